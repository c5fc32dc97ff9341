"""SQS's refusal of a malformed queue policy, which moto answers with an internal error."""

import json
from typing import Any

from moto.sqs.exceptions import InvalidAttributeValue
from moto.sqs.models import Queue, SQSBackend

from .extend import wrap

VERSIONS = ("2008-10-17", "2012-10-17")
REQUIRED = ("Effect", "Principal", "Action")


def is_policy(document: str) -> bool:
    """Whether SQS accepts the document as a queue's policy; an empty one removes the policy."""
    if document == "":
        return True
    try:
        policy = json.loads(document)
        statements = policy["Statement"]
        if isinstance(statements, dict):
            statements = [statements]
        complete = all(key in statement for statement in statements for key in REQUIRED)
        return bool(statements) and complete and policy.get("Version", VERSIONS[0]) in VERSIONS
    except (ValueError, KeyError, TypeError):
        return False


def check(attributes: dict[str, Any] | None) -> None:
    """Refuse attributes with a malformed policy."""
    if attributes and not is_policy(attributes.get("Policy", "")):
        raise InvalidAttributeValue("Policy")


@wrap(SQSBackend, "create_queue")
def create_queue(
    stock: Any, _backend: SQSBackend, name: str, tags: Any = None, **attributes: Any
) -> Queue:
    """CreateQueue: the policy is checked."""
    check(attributes)
    return stock(name, tags, **attributes)


@wrap(SQSBackend, "set_queue_attributes")
def set_queue_attributes(
    stock: Any, _backend: SQSBackend, queue_name: str, attributes: dict[str, Any]
) -> Queue:
    """SetQueueAttributes: the policy is checked."""
    check(attributes)
    return stock(queue_name, attributes)

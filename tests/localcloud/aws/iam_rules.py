"""IAM's rules on create and change that moto does not check: names, sizes, trust documents."""

import json
import re
from typing import Any

from moto.iam.exceptions import LimitExceededException, MalformedPolicyDocument, ValidationError
from moto.iam.models import IAMBackend, Role
from moto.iam.policy_validation import IAMTrustPolicyDocumentValidator

from .extend import wrap
from .identity import principal_exists

ROLE_NAME_LENGTH = 64
NAME_LENGTH = 128
MANAGED_POLICY_SIZE = 6144
INLINE_POLICIES_SIZE = 10240
TRUST_POLICY_SIZE = 2048
POLICIES_PER_ROLE = 10

FEDERATED = re.compile(r"arn:aws[\w-]*:iam::\d{12}:(oidc|saml)-provider/.+|[\w.-]+\.\w+")
IAM_PRINCIPAL = re.compile(r"arn:aws[\w-]*:iam::(\d{12}):(user|role)/.+")


def size(document: str) -> int:
    """Size of a document as IAM counts it: white space is free."""
    return len(re.sub(r"\s", "", document))


def check_name(name: str, parameter: str, longest: int) -> None:
    """Refuse a name that is too long or has characters that IAM does not take."""
    problem = ""
    if len(name) > longest:
        problem = f"Member must have length less than or equal to {longest}"
    elif not re.fullmatch(r"[\w+=,.@-]+", name, re.ASCII):
        problem = r"Member must satisfy regular expression pattern: [\w+=,.@-]+"
    if problem:
        raise ValidationError(
            f"1 validation error detected: Value '{name}' at '{parameter}' failed to satisfy "
            f"constraint: {problem}"
        )


def check_managed_policy(document: str) -> None:
    """Refuse a managed policy that is too large."""
    if size(document) > MANAGED_POLICY_SIZE:
        raise LimitExceededException(f"Cannot exceed quota for PolicySize: {MANAGED_POLICY_SIZE}")


def check_trust(account_id: str, document: str) -> None:
    """Refuse a trust document that IAM would refuse."""
    IAMTrustPolicyDocumentValidator(document).validate()
    for statement in as_list(json.loads(document)["Statement"]):
        if not (statement.get("Principal") or statement.get("NotPrincipal")):
            raise MalformedPolicyDocument("Missing required field Principal")
        check_principals(account_id, statement.get("Principal"))
    if size(document) > TRUST_POLICY_SIZE:
        raise LimitExceededException(f"Cannot exceed quota for ACLSizePerRole: {TRUST_POLICY_SIZE}")


def check_principals(account_id: str, principal: Any) -> None:
    """Refuse principals of a malformed kind, and those of this account that do not exist."""
    if not isinstance(principal, dict):
        return
    for federated in as_list(principal.get("Federated", [])):
        if not FEDERATED.fullmatch(federated):
            raise MalformedPolicyDocument(f'Invalid principal in policy: "FEDERATED":"{federated}"')
    for arn in as_list(principal.get("AWS", [])):
        match = IAM_PRINCIPAL.fullmatch(arn)
        if match and match[1] == account_id and not principal_exists(account_id, arn):
            raise MalformedPolicyDocument(f'Invalid principal in policy: "AWS":"{arn}"')


def as_list(value: Any) -> list[Any]:
    """The value, in a list if it is not one."""
    return value if isinstance(value, list) else [value]


@wrap(IAMBackend, "create_role")
def create_role(
    stock: Any,
    backend: IAMBackend,
    role_name: str,
    assume_role_policy_document: str,
    *args: Any,
    **kwargs: Any,
) -> Role:
    """CreateRole: name and trust document are checked."""
    check_name(role_name, "roleName", ROLE_NAME_LENGTH)
    if not kwargs.get("linked_service"):
        check_trust(backend.account_id, assume_role_policy_document)
    return stock(role_name, assume_role_policy_document, *args, **kwargs)


@wrap(IAMBackend, "update_assume_role_policy")
def update_assume_role_policy(
    stock: Any, backend: IAMBackend, role_name: str, policy_document: str
) -> None:
    """UpdateAssumeRolePolicy: the trust document is checked."""
    check_trust(backend.account_id, policy_document)
    stock(role_name, policy_document)


@wrap(IAMBackend, "put_role_policy")
def put_role_policy(
    stock: Any, backend: IAMBackend, role_name: str, policy_name: str, policy_json: str
) -> None:
    """PutRolePolicy: all of a role's inline policies count together."""
    check_name(policy_name, "policyName", NAME_LENGTH)
    others = {k: v for k, v in backend.get_role(role_name).policies.items() if k != policy_name}
    if sum(map(size, others.values())) + size(policy_json) > INLINE_POLICIES_SIZE:
        raise LimitExceededException(
            f"Maximum policy size of {INLINE_POLICIES_SIZE} bytes exceeded for role {role_name}"
        )
    stock(role_name, policy_name, policy_json)


@wrap(IAMBackend, "create_policy")
def create_policy(
    stock: Any,
    _backend: IAMBackend,
    description: str,
    path: str,
    policy_document: str,
    policy_name: str,
    *args: Any,
    **kwargs: Any,
) -> Any:
    """CreatePolicy: name and size are checked."""
    check_name(policy_name, "policyName", NAME_LENGTH)
    check_managed_policy(policy_document)
    return stock(description, path, policy_document, policy_name, *args, **kwargs)


@wrap(IAMBackend, "create_policy_version")
def create_policy_version(
    stock: Any, _backend: IAMBackend, policy_arn: str, policy_document: str, *args: Any
) -> Any:
    """CreatePolicyVersion: the size is checked."""
    check_managed_policy(policy_document)
    return stock(policy_arn, policy_document, *args)


@wrap(IAMBackend, "attach_role_policy")
def attach_role_policy(
    stock: Any, backend: IAMBackend, policy_arn: str, role_name: str, **kwargs: Any
) -> None:
    """AttachRolePolicy: ten for each role."""
    attached = backend.get_role(role_name).managed_policies
    if policy_arn not in attached and len(attached) >= POLICIES_PER_ROLE:
        raise LimitExceededException(
            f"Cannot exceed quota for PoliciesPerRole: {POLICIES_PER_ROLE}"
        )
    stock(policy_arn, role_name, **kwargs)


@wrap(IAMBackend, "create_instance_profile")
def create_instance_profile(
    stock: Any, _backend: IAMBackend, name: str, *args: Any, **kwargs: Any
) -> Any:
    """CreateInstanceProfile: the name is checked."""
    check_name(name, "instanceProfileName", NAME_LENGTH)
    return stock(name, *args, **kwargs)

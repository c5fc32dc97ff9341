"""The resources that the parameters of a call lead to, as an authorization of the call sees them:
with ARN and tags, and what a launch takes from them.
"""

import re
from collections.abc import Iterator
from typing import Any

from moto.core import DEFAULT_ACCOUNT_ID as ACCOUNT
from moto.ec2.models import ec2_backends
from moto.iam.models import iam_backends

from .identity import PARTITION

KINDS = {
    "ami": "image",
    "cr": "capacity-reservation",
    "eni": "network-interface",
    "i": "instance",
    "lt": "launch-template",
    "pg": "placement-group",
    "sg": "security-group",
    "snap": "snapshot",
    "subnet": "subnet",
    "vol": "volume",
}
EC2_ID = re.compile(rf"({'|'.join(KINDS)})-[0-9a-f]{{8,}}")

Resource = dict[str, Any]


def find_resources(parameters: dict[str, Any], region: str) -> list[Resource]:
    """The resources that the parameters name, and those that these name in turn."""
    found: dict[str, Resource] = {}
    waiting: list[Any] = [parameters]
    while waiting:
        for key, name in names(waiting.pop()):
            if name in found:
                continue
            if resource := ec2_resource(key, name, region) or iam_resource(key, name):
                found[name] = {"name": name, **resource}
                waiting.append(resource.get("data", {}))
    return list(found.values())


def names(value: Any, key: str = "") -> Iterator[tuple[str, str]]:
    """Every text in a value, with the key or the keys above it: "IamInstanceProfile.Name"."""
    if isinstance(value, dict):
        for name, part in value.items():
            yield from names(part, f"{key}.{name}" if key else name)
    elif isinstance(value, list):
        for part in value:
            yield from names(part, key)
    elif isinstance(value, str):
        yield key, value


def ec2_resource(key: str, name: str, region: str) -> Resource | None:
    """A resource of EC2, by its id or, for a launch template, its name."""
    backend = ec2_backends[ACCOUNT][region]
    if key.endswith("LaunchTemplateName"):
        name = backend.launch_template_name_to_ids.get(name, "")
    match = EC2_ID.fullmatch(name)
    if not match:
        return None
    kind = KINDS[match[1]]
    template = backend.launch_templates.get(name)
    account = "" if kind in ("image", "snapshot") else ACCOUNT  # these may be anybody's
    return {
        "arn": f"arn:{PARTITION}:ec2:{region}:{account}:{kind}/{name}",
        "tags": dict(backend.tags.get(name, {})),
        "data": template.latest_version().data if template else {},
    }


def iam_resource(key: str, name: str) -> Resource | None:
    """An instance profile with its roles, or a role, by its name."""
    backend = iam_backends[ACCOUNT][PARTITION]
    if key.endswith(("InstanceProfileName", "IamInstanceProfile.Name")):
        for profile in list(backend.instance_profiles.values()):
            if profile.name == name:
                tags = {tag["Key"]: tag["Value"] for tag in profile.tags}
                data = {"RoleName": [role.name for role in profile.roles]}
                return {"arn": profile.arn, "tags": tags, "data": data}
    if key.endswith("RoleName"):
        for role in list(backend.get_roles()):
            if role.name == name:
                return {"arn": role.arn, "tags": {}}
    return None

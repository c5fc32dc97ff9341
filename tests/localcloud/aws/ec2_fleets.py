"""What a fleet takes from its launch template and moto forgets: the security groups."""

from typing import Any

from moto.ec2.models.fleets import Fleet
from moto.ec2.models.spot_requests import SpotFleetLaunchSpec

from .extend import wrap


def security_groups(data: dict[str, Any]) -> list[str]:
    """The groups that a launch template names, for the instance or for its interfaces."""
    groups = list(data.get("SecurityGroupIds", []))
    for interface in data.get("NetworkInterfaces", []):
        groups.extend(interface.get("Groups", []))
    return list(dict.fromkeys(groups))


@wrap(Fleet, "get_launch_spec_counts")
def get_launch_spec_counts(
    stock: Any, fleet: Fleet, weight_to_add: float
) -> tuple[dict[SpotFleetLaunchSpec, int], float]:
    """The instances of a launch are in the groups of its launch template."""
    for spec in fleet.launch_specs:
        template = spec.launch_template_spec
        found = fleet.ec2_backend.get_launch_template(template_id=template["LaunchTemplateId"])
        data = found.get_version(template.get("Version", "$Default")).data
        spec.group_set = security_groups(data) or spec.group_set
    return stock(weight_to_add)

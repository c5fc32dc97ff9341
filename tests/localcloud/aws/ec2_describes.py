"""EC2 operations that Karpenter calls and moto answers with an error: there are none of these."""

from moto.core.responses import ActionResult
from moto.ec2.responses import EC2Response

from .extend import add


@add(EC2Response)
def describe_capacity_reservations(self: EC2Response) -> ActionResult:
    """DescribeCapacityReservations: none."""
    return ActionResult({"CapacityReservations": []})


@add(EC2Response)
def describe_placement_groups(self: EC2Response) -> ActionResult:
    """DescribePlacementGroups: none."""
    return ActionResult({"PlacementGroups": []})

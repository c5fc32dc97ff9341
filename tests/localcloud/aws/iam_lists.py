"""IAM's list of instance profiles below a path, of which moto gives all. Karpenter ends what it finds
below the path of a node class.
"""

from typing import Any

from moto.core.responses import ActionResult
from moto.iam.responses import IamResponse

from .extend import wrap


@wrap(IamResponse, "list_instance_profiles")
def list_instance_profiles(_stock: Any, request: IamResponse) -> ActionResult:
    """ListInstanceProfiles: those below PathPrefix."""
    prefix = request._get_param("PathPrefix") or "/"
    profiles = list(request.backend.get_instance_profiles())
    found = [profile for profile in profiles if profile.path.startswith(prefix)]
    return ActionResult({"InstanceProfiles": found})

"""URL paths of EKS that moto does not serve, and what the handlers read from a request."""

import uuid
from urllib.parse import unquote

from moto.core.responses import ActionResult
from moto.core.utils import utcnow
from moto.eks import urls
from moto.eks.exceptions import ResourceNotFoundException
from moto.eks.models import Cluster
from moto.eks.responses import EKSResponse


def route(*paths: str) -> None:
    """Serve further paths (regular expressions after the host) by EKS's dispatcher."""
    for path in paths:
        urls.url_paths["{0}" + path + "$"] = urls.response.dispatch


def path_parts(request: EKSResponse) -> list[str]:
    """The path of a request as decoded segments: ["clusters", name, ...]."""
    return [unquote(part) for part in decoded_path(request).strip("/").split("/")]


def decoded_path(request: EKSResponse) -> str:
    """The path of a request without query, decoded."""
    return unquote(request.path.split("?")[0])


def cluster_of(request: EKSResponse) -> Cluster:
    """The cluster that the path names; EKS's error when there is none."""
    return request.eks_backend.describe_cluster(name=path_parts(request)[1])


def not_found(message: str) -> ResourceNotFoundException:
    """EKS's error for what does not exist."""
    return ResourceNotFoundException(message=message)


def arn(request: EKSResponse, *parts: str) -> str:
    """An ARN of EKS, ended by a new UUID: kind/cluster/.../uuid."""
    resource = "/".join([*parts, str(uuid.uuid4())])
    return f"arn:aws:eks:{request.region}:{request.current_account}:{resource}"


def now() -> float:
    """The time as EKS writes it."""
    return utcnow().timestamp()


def record_update(cluster: Cluster, kind: str) -> ActionResult:
    """The answer to a change of a cluster: an update, done at once, for DescribeUpdate to find."""
    update = {
        "id": str(uuid.uuid4()),
        "status": "Successful",
        "type": kind,
        "params": [],
        "createdAt": now(),
        "errors": [],
    }
    cluster.updates[update["id"]] = update
    return ActionResult({"update": update})

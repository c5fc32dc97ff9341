"""EKS clusters and node groups, described as AWS does.

A cluster gets a VPC, a security group of its own (a real one of EC2), an AWS-shaped OIDC issuer,
an accessConfig with AWS's rules, and endpoint and CA of the local API server. A node group gets an
access entry for its role and loses what moto invents.
"""

import base64
import hashlib
import json
import os
import re
import uuid
from pathlib import Path
from typing import Any

from moto.core.responses import ActionResult
from moto.ec2.models import ec2_backends
from moto.eks.exceptions import InvalidParameterException
from moto.eks.models import Cluster, EKSBackend, Nodegroup
from moto.eks.responses import EKSResponse

from . import eks_access
from .eks_routes import cluster_of, not_found, path_parts, record_update, route
from .extend import add, wrap
from .identity import find_caller

DEFAULT_VERSION = "1.34"
DEFAULT_SERVICE_CIDR = "10.100.0.0/16"
AUTHENTICATION_MODES = ("CONFIG_MAP", "API_AND_CONFIG_MAP", "API")
NAME_PATTERN = re.compile(r"[0-9A-Za-z][0-9A-Za-z_-]{0,99}")
CONTROL_PLANE_FILE = "LOCALCLOUD_CONTROL_PLANE"
SECURITY_GROUP_DESCRIPTION = (
    "EKS created security group applied to ENI that is attached to EKS Control Plane "
    "master nodes, as well as any managed workloads."
)

route("/clusters/(?P<name>[^/]+)/updates", "/clusters/(?P<name>[^/]+)/updates/(?P<updateId>[^/]+)")


@wrap(EKSResponse, "create_cluster")
def create_cluster(stock: Any, request: EKSResponse) -> ActionResult:
    """CreateCluster, with the description and the rules of AWS."""
    name = request._get_param("name") or ""
    if not NAME_PATTERN.fullmatch(name):
        raise InvalidParameterException(
            message=f"The cluster name {name!r} must satisfy {NAME_PATTERN.pattern}"
        )
    access = request._get_param("accessConfig") or {}
    mode = access.get("authenticationMode") or "CONFIG_MAP"
    if mode not in AUTHENTICATION_MODES:
        raise InvalidParameterException(message=f"Invalid authentication mode {mode}")
    vpc_config = _vpc_config(request, request._get_param("resourcesVpcConfig") or {})

    result = stock()
    cluster: Cluster = request.eks_backend.clusters[name]
    cluster.resources_vpc_config = vpc_config
    vpc_config["clusterSecurityGroupId"] = _security_group(request, name, vpc_config["vpcId"])
    _describe(request, cluster)

    caller = find_caller(request.current_account, request.access_key)
    cluster.creator_arn = caller.principal_arn if caller else ""
    cluster.access_config = {
        "authenticationMode": mode,
        "bootstrapClusterCreatorAdminPermissions": access.get(
            "bootstrapClusterCreatorAdminPermissions", True
        ),
    }
    eks_access.admit_creator(request, cluster)
    return result


def _vpc_config(request: EKSResponse, given: dict[str, Any]) -> dict[str, Any]:
    """The cluster's resourcesVpcConfig with its VPC; EC2's error when a subnet is unknown."""
    ec2 = ec2_backends[request.current_account][request.region]
    subnets = [ec2.get_subnet(subnet) for subnet in given.get("subnetIds", [])]
    if len({subnet.availability_zone for subnet in subnets}) < 2:
        raise InvalidParameterException(
            message="Subnets specified must be in at least two different AZs"
        )
    defaults = {
        "securityGroupIds": [],
        "endpointPublicAccess": True,
        "endpointPrivateAccess": False,
        "publicAccessCidrs": ["0.0.0.0/0"],
    }
    return {**defaults, **given, "vpcId": subnets[0].vpc_id}


def _security_group(request: EKSResponse, cluster_name: str, vpc_id: str) -> str:
    ec2 = ec2_backends[request.current_account][request.region]
    group = ec2.create_security_group(
        f"eks-cluster-sg-{cluster_name}-{uuid.uuid4().int % 10**9}",
        SECURITY_GROUP_DESCRIPTION,
        vpc_id=vpc_id,
    )
    group.add_tags({f"kubernetes.io/cluster/{cluster_name}": "owned", "Name": group.name})
    return group.id


def _describe(request: EKSResponse, cluster: Cluster) -> None:
    """Give the cluster the values of AWS's shape in the place of moto's random ones."""
    cluster.version = request._get_param("version") or DEFAULT_VERSION
    network = request._get_param("kubernetesNetworkConfig") or {}
    cluster.kubernetes_network_config = {
        "ipFamily": network.get("ipFamily", "ipv4"),
        "serviceIpv4Cidr": network.get("serviceIpv4Cidr", DEFAULT_SERVICE_CIDR),
    }
    seed = f"{cluster.arn} {cluster.created_at}".encode()
    identifier = hashlib.sha256(seed).hexdigest()[:32].upper()
    issuer = f"https://oidc.eks.{request.region}.amazonaws.com/id/{identifier}"
    cluster.identity = {"oidc": {"issuer": issuer}}
    cluster.access_entries = {}
    cluster.pod_identities = {}
    cluster.addons = {}
    cluster.updates = {}


@wrap(EKSBackend, "describe_cluster")
def describe_cluster(stock: Any, _backend: EKSBackend, name: str) -> Cluster:
    """Every cluster is served by the one local API server, which may start after moto does."""
    cluster = stock(name=name)
    path = Path(os.environ.get(CONTROL_PLANE_FILE, ""))
    if path.is_file():
        control_plane = json.loads(path.read_text())
        cluster.endpoint = control_plane["endpoint"]
        authority = base64.b64encode(control_plane["certificateAuthority"].encode()).decode()
        cluster.certificate_authority = {"data": authority}
    return cluster


@wrap(EKSBackend, "delete_cluster")
def delete_cluster(stock: Any, backend: EKSBackend, name: str) -> Cluster:
    """DeleteCluster: its security group goes with it."""
    cluster = stock(name=name)
    ec2 = ec2_backends[backend.account_id][backend.region_name]
    ec2.delete_security_group(group_id=cluster.resources_vpc_config["clusterSecurityGroupId"])
    return cluster


@wrap(EKSResponse, "update_cluster_config")
def update_cluster_config(stock: Any, request: EKSResponse) -> ActionResult:
    """UpdateClusterConfig: what is not named stays as it is."""
    cluster = cluster_of(request)
    before = cluster.resources_vpc_config
    if access := request._get_param("accessConfig"):
        _change_authentication_mode(request, cluster, access["authenticationMode"])
        kind = "AccessConfigUpdate"
    else:
        kind = "LoggingUpdate" if request._get_param("logging") else "VpcConfigUpdate"
    stock()
    cluster.resources_vpc_config = {**before, **(request._get_param("resourcesVpcConfig") or {})}
    return record_update(cluster, kind)


def _change_authentication_mode(request: EKSResponse, cluster: Cluster, wanted: str) -> None:
    current = cluster.access_config["authenticationMode"]
    step = {"CONFIG_MAP": "API_AND_CONFIG_MAP", "API_AND_CONFIG_MAP": "API"}.get(current)
    if wanted != step:
        raise InvalidParameterException(
            message=f"Unsupported authentication mode update from {current} to {wanted}"
        )
    cluster.access_config = {**cluster.access_config, "authenticationMode": wanted}
    eks_access.admit_creator(request, cluster)


@add(EKSResponse)
def describe_update(self: EKSResponse) -> ActionResult:
    """DescribeUpdate."""
    cluster, identifier = cluster_of(self), path_parts(self)[3]
    if identifier not in cluster.updates:
        raise not_found(f"No update found for ID: {identifier}")
    return ActionResult({"update": cluster.updates[identifier]})


@add(EKSResponse)
def update_cluster_version(self: EKSResponse) -> ActionResult:
    """UpdateClusterVersion: one minor version at a time."""
    cluster = cluster_of(self)
    current, wanted = (int(v.split(".")[1]) for v in (cluster.version, self._get_param("version")))
    if wanted != current + 1:
        raise InvalidParameterException(
            message=f"Unsupported Kubernetes minor version update from 1.{current} to 1.{wanted}"
        )
    cluster.version = f"1.{wanted}"
    return record_update(cluster, "VersionUpdate")


@wrap(EKSBackend, "list_nodegroups")
def list_nodegroups(stock: Any, backend: EKSBackend, cluster_name: str, **page: Any) -> Any:
    """List the node groups; moto answers HTTP 500 for a cluster that does not exist."""
    backend.describe_cluster(name=cluster_name)
    return stock(cluster_name=cluster_name, **page)


@wrap(EKSResponse, "create_nodegroup")
def create_nodegroup(stock: Any, request: EKSResponse) -> ActionResult:
    """As AWS: the role of a node group is admitted to the cluster, nothing is invented."""
    cluster = cluster_of(request)
    ec2 = ec2_backends[request.current_account][request.region]
    for subnet in request._get_param("subnets") or []:
        ec2.get_subnet(subnet)
    result = stock()
    group: Nodegroup = cluster.nodegroups[request._get_param("nodegroupName")]
    if not request._get_param("remoteAccess"):
        group.remote_access = None
        group.resources.pop("remoteAccessSecurityGroup")
    group.version = request._get_param("version") or cluster.version
    group.release_version = f"{group.version}.4-20260120"
    group.ami_type = request._get_param("amiType") or "AL2023_x86_64_STANDARD"
    group.disk_size = None if group.launch_template else int(group.disk_size)
    eks_access.admit_nodes(request, cluster, group.node_role)
    return result

"""EKS access entries and access policies, with AWS's rules."""

from dataclasses import dataclass, field
from typing import Any

from moto.core.responses import ActionResult
from moto.eks.exceptions import (
    InvalidParameterException,
    InvalidRequestException,
    ResourceInUseException,
)
from moto.eks.models import Cluster
from moto.eks.responses import EKSResponse

from .eks_routes import arn, cluster_of, decoded_path, not_found, now, route
from .extend import add
from .identity import principal_exists

NODE_USER = "system:node:{{EC2PrivateDNSName}}"
NODE_GROUPS = {
    "EC2_LINUX": ["system:nodes"],
    "EC2_WINDOWS": ["eks:kube-proxy-windows", "system:nodes"],
    "EC2": ["system:nodes"],
    "FARGATE_LINUX": ["system:node-proxier", "system:nodes"],
    "HYBRID_LINUX": ["system:nodes"],
    "HYPERPOD_LINUX": ["system:nodes"],
}
NODE_USERS = {
    "FARGATE_LINUX": "system:node:{{SessionName}}",
    "HYBRID_LINUX": "system:node:{{SessionName}}",
    "HYPERPOD_LINUX": "system:node:{{SessionName}}",
}
RESERVED_USER_PREFIXES = ("system:", "eks:", "aws:", "amazon:", "iam:")
POLICY_PREFIX = "arn:aws:eks::aws:cluster-access-policy/"
CLUSTER_ADMIN_POLICY = POLICY_PREFIX + "AmazonEKSClusterAdminPolicy"
POLICIES = (
    "AmazonEKSAdminPolicy",
    "AmazonEKSAdminViewPolicy",
    "AmazonEKSClusterAdminPolicy",
    "AmazonEKSEditPolicy",
    "AmazonEKSViewPolicy",
)

ENTRIES = "/clusters/(?P<name>[^/]+)/access-entries"
route(
    ENTRIES,
    ENTRIES + "/(?P<principalArn>.+)",
    ENTRIES + "/(?P<principalArn>.+)/access-policies",
    ENTRIES + "/(?P<principalArn>.+)/access-policies/(?P<policyArn>.+)",
    "/access-policies",
)


@dataclass
class AccessEntry:
    """One principal's access to one cluster."""

    description: dict[str, Any]
    policies: dict[str, dict[str, Any]] = field(default_factory=dict)

    @property
    def is_cluster_admin(self) -> bool:
        """Whether the entry makes its principal an administrator of the cluster."""
        policy = self.policies.get(CLUSTER_ADMIN_POLICY)
        return policy is not None and policy["accessScope"]["type"] == "cluster"


def admit_creator(request: EKSResponse, cluster: Cluster) -> None:
    """The entry that EKS makes for a cluster's creator, where the mode has entries."""
    wanted = cluster.access_config["bootstrapClusterCreatorAdminPermissions"]
    creator = cluster.creator_arn
    if not (wanted and creator and allows_entries(cluster)) or creator in cluster.access_entries:
        return
    entry = _new_entry(request, cluster, creator, "STANDARD", [], "", {})
    entry.policies[CLUSTER_ADMIN_POLICY] = _association(CLUSTER_ADMIN_POLICY, {"type": "cluster"})


def admit_nodes(request: EKSResponse, cluster: Cluster, role_arn: str) -> None:
    """The entry that EKS makes for the role of a managed node group."""
    if allows_entries(cluster) and role_arn not in cluster.access_entries:
        _new_entry(request, cluster, role_arn, "EC2_LINUX", [], "", {})


def allows_entries(cluster: Cluster) -> bool:
    """Whether the authentication mode of a cluster has access entries."""
    return cluster.access_config["authenticationMode"] != "CONFIG_MAP"


def _new_entry(
    request: EKSResponse,
    cluster: Cluster,
    principal: str,
    kind: str,
    groups: list[str],
    user: str,
    tags: dict[str, str],
) -> AccessEntry:
    account, name = request.current_account, principal.split("/")[-1]
    principal_kind = "role" if ":role/" in principal else "user"
    description = {
        "clusterName": cluster.name,
        "principalArn": principal,
        "kubernetesGroups": NODE_GROUPS.get(kind, groups),
        "accessEntryArn": arn(request, "access-entry", cluster.name, principal_kind, account, name),
        "createdAt": now(),
        "modifiedAt": now(),
        "tags": tags,
        "username": user or _default_user(kind, principal, account),
        "type": kind,
    }
    entry = AccessEntry(description)
    cluster.access_entries[principal] = entry
    return entry


def _default_user(kind: str, principal: str, account: str) -> str:
    if kind != "STANDARD":
        return NODE_USERS.get(kind, NODE_USER)
    if ":role/" in principal:
        role = principal.split("/")[-1]
        return f"arn:aws:sts::{account}:assumed-role/{role}/" + "{{SessionName}}"
    return principal


def _entry_of(request: EKSResponse) -> AccessEntry:
    """The entry that the path names: .../access-entries/ARN[/access-policies[/ARN]]."""
    cluster = cluster_of(request)
    _require_entries(cluster)
    principal = decoded_path(request).split("/access-entries/", 1)[1].split("/access-policies")[0]
    if principal not in cluster.access_entries:
        raise not_found(
            "The specified principalArn could not be found. You can view your available access "
            "entries with 'list-access-entries'."
        )
    return cluster.access_entries[principal]


def _require_entries(cluster: Cluster) -> None:
    if not allows_entries(cluster):
        raise InvalidRequestException(
            message="The cluster's authentication mode must be set to one of "
            "[API, API_AND_CONFIG_MAP] to perform this operation."
        )


def _check_groups_and_user(kind: str, groups: list[str], user: str) -> None:
    if kind != "STANDARD" and (groups or user):
        raise InvalidParameterException(
            message=f"kubernetesGroups and username cannot be set for access entries of type {kind}"
        )
    for group in groups:
        if group.startswith("system:"):
            raise InvalidParameterException(
                message=f"The kubernetes group name {group} is invalid, "
                "it cannot start with system:"
            )
    if user.startswith(RESERVED_USER_PREFIXES):
        raise InvalidParameterException(
            message=f"The username {user} is invalid, it cannot start with "
            f"{', '.join(RESERVED_USER_PREFIXES)}"
        )


@add(EKSResponse)
def create_access_entry(self: EKSResponse) -> ActionResult:
    """CreateAccessEntry: one for each principal, in a mode that has entries."""
    cluster = cluster_of(self)
    _require_entries(cluster)
    principal = self._get_param("principalArn")
    kind = self._get_param("type") or "STANDARD"
    groups = self._get_param("kubernetesGroups") or []
    user = self._get_param("username") or ""
    if kind != "STANDARD" and kind not in NODE_GROUPS:
        raise InvalidParameterException(message=f"Invalid access entry type {kind}")
    _check_groups_and_user(kind, groups, user)
    if principal in cluster.access_entries:
        raise ResourceInUseException(
            message="The specified access entry resource is already in use on this cluster."
        )
    if not principal_exists(self.current_account, principal):
        raise InvalidParameterException(
            message="The specified principalArn is invalid: invalid principal."
        )
    if kind != "STANDARD" and ":role/" not in principal:
        raise InvalidParameterException(
            message=f"The principalArn of an access entry of type {kind} must be an IAM role"
        )
    tags = self._get_param("tags") or {}
    entry = _new_entry(self, cluster, principal, kind, groups, user, tags)
    return ActionResult({"accessEntry": entry.description})


@add(EKSResponse)
def describe_access_entry(self: EKSResponse) -> ActionResult:
    """DescribeAccessEntry."""
    return ActionResult({"accessEntry": _entry_of(self).description})


@add(EKSResponse)
def update_access_entry(self: EKSResponse) -> ActionResult:
    """UpdateAccessEntry: groups and user name, of type STANDARD only."""
    description = _entry_of(self).description
    groups, user = self._get_param("kubernetesGroups"), self._get_param("username")
    _check_groups_and_user(description["type"], groups or [], user or "")
    if groups is not None:
        description["kubernetesGroups"] = groups
    if user is not None:
        description["username"] = user
    description["modifiedAt"] = now()
    return ActionResult({"accessEntry": description})


@add(EKSResponse)
def delete_access_entry(self: EKSResponse) -> ActionResult:
    """DeleteAccessEntry."""
    principal = _entry_of(self).description["principalArn"]
    del cluster_of(self).access_entries[principal]
    return ActionResult({})


@add(EKSResponse)
def list_access_entries(self: EKSResponse) -> ActionResult:
    """ListAccessEntries: the ARNs of the principals."""
    cluster = cluster_of(self)
    _require_entries(cluster)
    policy = self._get_param("associatedPolicyArn")
    entries = cluster.access_entries.items()
    found = [principal for principal, entry in entries if not policy or policy in entry.policies]
    return ActionResult({"accessEntries": sorted(found)})


@add(EKSResponse)
def list_access_policies(self: EKSResponse) -> ActionResult:
    """ListAccessPolicies: those that EKS offers."""
    policies = [{"name": name, "arn": POLICY_PREFIX + name} for name in POLICIES]
    return ActionResult({"accessPolicies": policies})


@add(EKSResponse)
def associate_access_policy(self: EKSResponse) -> ActionResult:
    """AssociateAccessPolicy: with entries of type STANDARD only."""
    entry = _entry_of(self)
    policy, scope = self._get_param("policyArn"), self._get_param("accessScope") or {}
    if entry.description["type"] != "STANDARD":
        raise InvalidRequestException(
            message="Access policies can only be associated with access entries of type STANDARD"
        )
    if policy not in {POLICY_PREFIX + name for name in POLICIES}:
        raise InvalidParameterException(message="The policyArn parameter format is not valid")
    if scope.get("type") == "namespace" and not scope.get("namespaces"):
        raise InvalidParameterException(
            message="The accessScope of type namespace needs at least one namespace"
        )
    entry.policies[policy] = _association(policy, scope)
    return _policies_result(entry, associatedAccessPolicy=entry.policies[policy])


def _association(policy: str, scope: dict[str, Any]) -> dict[str, Any]:
    return {
        "policyArn": policy,
        "accessScope": scope,
        "associatedAt": now(),
        "modifiedAt": now(),
    }


def _policies_result(entry: AccessEntry, **result: Any) -> ActionResult:
    names = {key: entry.description[key] for key in ("clusterName", "principalArn")}
    return ActionResult({**names, **result})


@add(EKSResponse)
def list_associated_access_policies(self: EKSResponse) -> ActionResult:
    """ListAssociatedAccessPolicies."""
    entry = _entry_of(self)
    return _policies_result(entry, associatedAccessPolicies=list(entry.policies.values()))


@add(EKSResponse)
def disassociate_access_policy(self: EKSResponse) -> ActionResult:
    """DisassociateAccessPolicy."""
    entry = _entry_of(self)
    policy = decoded_path(self).split("/access-policies/", 1)[1]
    if policy not in entry.policies:
        raise not_found(f"The policy {policy} is not associated with this access entry")
    del entry.policies[policy]
    return ActionResult({})

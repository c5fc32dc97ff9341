"""EKS Pod Identity associations."""

import uuid
from typing import Any

from moto.core.responses import ActionResult
from moto.eks.exceptions import InvalidParameterException, ResourceInUseException
from moto.eks.responses import EKSResponse

from .eks_routes import cluster_of, not_found, now, path_parts, route
from .extend import add
from .identity import principal_exists

ASSOCIATIONS = "/clusters/(?P<name>[^/]+)/pod-identity-associations"
route(ASSOCIATIONS, ASSOCIATIONS + "/(?P<associationId>[^/]+)")

SUMMARY = ("clusterName", "namespace", "serviceAccount", "associationArn", "associationId")


def _require_role(request: EKSResponse, role: str) -> None:
    if ":role/" not in role or not principal_exists(request.current_account, role):
        raise InvalidParameterException(
            message=f"Role provided in the request does not exist: {role}"
        )


def _association_of(request: EKSResponse) -> dict[str, Any]:
    cluster, identifier = cluster_of(request), path_parts(request)[3]
    if identifier not in cluster.pod_identities:
        raise not_found(f"No pod identity association found with ID: {identifier}")
    return cluster.pod_identities[identifier]


@add(EKSResponse)
def create_pod_identity_association(self: EKSResponse) -> ActionResult:
    """CreatePodIdentityAssociation: one for each service account."""
    cluster = cluster_of(self)
    namespace, account = self._get_param("namespace"), self._get_param("serviceAccount")
    role = self._get_param("roleArn")
    _require_role(self, role)
    for identifier, other in cluster.pod_identities.items():
        if (other["namespace"], other["serviceAccount"]) == (namespace, account):
            raise ResourceInUseException(message=f"Association already exists: {identifier}")
    identifier = "a-" + uuid.uuid4().hex[:17]
    cluster.pod_identities[identifier] = {
        "clusterName": cluster.name,
        "namespace": namespace,
        "serviceAccount": account,
        "roleArn": role,
        "associationArn": f"arn:aws:eks:{self.region}:{self.current_account}:"
        f"podidentityassociation/{cluster.name}/{identifier}",
        "associationId": identifier,
        "tags": self._get_param("tags") or {},
        "createdAt": now(),
        "modifiedAt": now(),
        "disableSessionTags": bool(self._get_param("disableSessionTags")),
    }
    return ActionResult({"association": cluster.pod_identities[identifier]})


@add(EKSResponse)
def describe_pod_identity_association(self: EKSResponse) -> ActionResult:
    """DescribePodIdentityAssociation."""
    return ActionResult({"association": _association_of(self)})


@add(EKSResponse)
def update_pod_identity_association(self: EKSResponse) -> ActionResult:
    """UpdatePodIdentityAssociation."""
    association = _association_of(self)
    if role := self._get_param("roleArn"):
        _require_role(self, role)
        association["roleArn"] = role
    association["modifiedAt"] = now()
    return ActionResult({"association": association})


@add(EKSResponse)
def delete_pod_identity_association(self: EKSResponse) -> ActionResult:
    """DeletePodIdentityAssociation."""
    association = _association_of(self)
    del cluster_of(self).pod_identities[association["associationId"]]
    return ActionResult({"association": association})


@add(EKSResponse)
def list_pod_identity_associations(self: EKSResponse) -> ActionResult:
    """ListPodIdentityAssociations: summaries, by namespace and account if asked for."""
    wanted = {
        key: value
        for key in ("namespace", "serviceAccount")
        if (value := self._get_param(key)) is not None
    }
    found = [
        {key: association[key] for key in SUMMARY}
        for association in cluster_of(self).pod_identities.values()
        if all(association[key] == value for key, value in wanted.items())
    ]
    return ActionResult({"associations": found})

"""EKS add-ons: a record for each, always ACTIVE."""

from typing import Any

from moto.core.responses import ActionResult
from moto.eks.exceptions import ResourceInUseException
from moto.eks.responses import EKSResponse

from .eks_routes import arn, cluster_of, not_found, now, path_parts, record_update, route
from .extend import add

ADDONS = "/clusters/(?P<name>[^/]+)/addons"
route(ADDONS, ADDONS + "/(?P<addonName>[^/]+)", ADDONS + "/(?P<addonName>[^/]+)/update")

DEFAULT_VERSIONS = {"eks-pod-identity-agent": "v1.3.10-eksbuild.2"}
OPTIONAL = ("serviceAccountRoleArn", "configurationValues")


def _addon_of(request: EKSResponse) -> dict[str, Any]:
    cluster, name = cluster_of(request), path_parts(request)[3]
    if name not in cluster.addons:
        raise not_found(f"No addon: {name} found in cluster: {cluster.name}")
    return cluster.addons[name]


@add(EKSResponse)
def create_addon(self: EKSResponse) -> ActionResult:
    """CreateAddon: active at once."""
    cluster, name = cluster_of(self), self._get_param("addonName")
    if name in cluster.addons:
        raise ResourceInUseException(message="Addon already exists.")
    default = DEFAULT_VERSIONS.get(name, f"v{cluster.version}.0-eksbuild.1")
    cluster.addons[name] = {
        "addonName": name,
        "clusterName": cluster.name,
        "status": "ACTIVE",
        "addonVersion": self._get_param("addonVersion") or default,
        "health": {"issues": []},
        "addonArn": arn(self, "addon", cluster.name, name),
        "createdAt": now(),
        "modifiedAt": now(),
        "tags": self._get_param("tags") or {},
        **_given(self),
    }
    return ActionResult({"addon": cluster.addons[name]})


def _given(request: EKSResponse) -> dict[str, Any]:
    return {key: value for key in OPTIONAL if (value := request._get_param(key)) is not None}


@add(EKSResponse)
def describe_addon(self: EKSResponse) -> ActionResult:
    """DescribeAddon."""
    return ActionResult({"addon": _addon_of(self)})


@add(EKSResponse)
def update_addon(self: EKSResponse) -> ActionResult:
    """UpdateAddon: done at once."""
    addon, cluster = _addon_of(self), cluster_of(self)
    addon.update(_given(self), modifiedAt=now())
    addon["addonVersion"] = self._get_param("addonVersion") or addon["addonVersion"]
    return record_update(cluster, "AddonUpdate")


@add(EKSResponse)
def delete_addon(self: EKSResponse) -> ActionResult:
    """DeleteAddon."""
    addon = _addon_of(self)
    del cluster_of(self).addons[addon["addonName"]]
    return ActionResult({"addon": {**addon, "status": "DELETING"}})


@add(EKSResponse)
def list_addons(self: EKSResponse) -> ActionResult:
    """ListAddons: their names."""
    return ActionResult({"addons": sorted(cluster_of(self).addons)})

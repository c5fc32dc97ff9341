"""EKS token authentication: the webhook that the API server asks about each bearer token.

A token of `aws eks get-token` is "k8s-aws-v1." and the base64url of a presigned STS
GetCallerIdentity URL, with the cluster's name as a signed header. The signature is computed anew
with the secret that IAM or STS issued, once for each cluster of the cloud, since they all share the
one API server: a token of another cloud, a forged or an old one fits none of them.
"""

import base64
import binascii
import calendar
import hashlib
import hmac
import json
import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any
from urllib.parse import SplitResult, parse_qs, urlsplit

from moto.core import DEFAULT_ACCOUNT_ID
from moto.ec2.models import ec2_backends
from moto.eks.models import Cluster, eks_backends

from .eks_access import AccessEntry, allows_entries
from .identity import Caller, find_caller

PREFIX = "k8s-aws-v1."
LIFETIME = 15 * 60  # seconds
CLOCK_SKEW = 5 * 60
ADMIN_GROUP = "system:masters"


class RefusedError(Exception):
    """Why a token is not accepted; goes to the API server's log."""


@dataclass(frozen=True)
class PresignedUrl:
    """What a token says, not yet verified."""

    url: SplitResult
    parameters: dict[str, str]

    @property
    def scope(self) -> list[str]:
        """The credential: access key, date, region, service, "aws4_request"."""
        return self.parameters["X-Amz-Credential"].split("/")


def review(request: dict[str, Any]) -> dict[str, Any]:
    """Answer a TokenReview (authentication.k8s.io/v1)."""
    try:
        user = authenticate(request["spec"]["token"])
        status = {"authenticated": True, "user": user}
    except RefusedError as refusal:
        status = {"authenticated": False, "error": str(refusal)}
    return {"apiVersion": request["apiVersion"], "kind": "TokenReview", "status": status}


def authenticate(token: str) -> dict[str, Any]:
    """The Kubernetes user (username, uid, groups, extra) that a token stands for."""
    presigned = _parse(token)
    caller = find_caller(DEFAULT_ACCOUNT_ID, presigned.scope[0])
    if caller is None:
        raise RefusedError(f"access key {presigned.scope[0]} is unknown to this cloud")
    for cluster in _clusters():
        signature = _signature(presigned, caller.secret_access_key, cluster.name)
        if signature == presigned.parameters["X-Amz-Signature"]:
            return _user(cluster, caller)
    raise RefusedError("the signature is for no cluster of this cloud")


def _parse(token: str) -> PresignedUrl:
    if not token.startswith(PREFIX):
        raise RefusedError("not a token of EKS")
    encoded = token.removeprefix(PREFIX)
    try:
        url = urlsplit(base64.urlsafe_b64decode(encoded + "=" * (-len(encoded) % 4)).decode())
    except (binascii.Error, UnicodeDecodeError, ValueError) as error:
        raise RefusedError(f"malformed token: {error}") from error
    parameters = {key: values[0] for key, values in parse_qs(url.query).items()}
    presigned = PresignedUrl(url, parameters)
    try:
        issued = calendar.timegm(time.strptime(parameters["X-Amz-Date"], "%Y%m%dT%H%M%SZ"))
        complete = parameters["Action"] == "GetCallerIdentity" and len(presigned.scope) == 5
        complete = complete and {"X-Amz-Signature", "X-Amz-SignedHeaders"} <= parameters.keys()
    except (KeyError, ValueError) as error:
        raise RefusedError(f"malformed token: {error}") from error
    if not complete:
        raise RefusedError("malformed token: not a presigned GetCallerIdentity")
    if not -CLOCK_SKEW <= time.time() - issued <= LIFETIME:
        raise RefusedError(f"the token was issued at {parameters['X-Amz-Date']}")
    return presigned


def _clusters() -> Iterator[Cluster]:
    for backend in eks_backends[DEFAULT_ACCOUNT_ID].values():
        yield from backend.clusters.values()


def _signature(presigned: PresignedUrl, secret: str, cluster_name: str) -> str:
    """AWS Signature Version 4 of the URL, for the given value of the x-k8s-aws-id header."""
    values = {"host": presigned.url.netloc, "x-k8s-aws-id": cluster_name}
    names = presigned.parameters["X-Amz-SignedHeaders"].split(";")
    query = [p for p in presigned.url.query.split("&") if not p.startswith("X-Amz-Signature=")]
    canonical = [
        "GET",
        presigned.url.path or "/",
        "&".join(sorted(query)),
        *(f"{name}:{values.get(name, '')}" for name in names),
        "",
        ";".join(names),
        hashlib.sha256(b"").hexdigest(),
    ]
    scope = presigned.scope[1:]
    to_sign = [
        "AWS4-HMAC-SHA256",
        presigned.parameters["X-Amz-Date"],
        "/".join(scope),
        hashlib.sha256("\n".join(canonical).encode()).hexdigest(),
    ]
    key = ("AWS4" + secret).encode()
    for part in (*scope, "\n".join(to_sign)):
        key = hmac.new(key, part.encode(), hashlib.sha256).digest()
    return key.hex()


def _user(cluster: Cluster, caller: Caller) -> dict[str, Any]:
    """The user that the cluster's access entries make of a caller."""
    entry: AccessEntry | None = cluster.access_entries.get(caller.principal_arn)
    if entry:
        name = _user_name(cluster, entry.description["username"], caller)
        groups = list(entry.description["kubernetesGroups"])
        if entry.is_cluster_admin:
            groups.append(ADMIN_GROUP)
    elif not allows_entries(cluster) and caller.principal_arn == cluster.creator_arn:
        # Without access entries the creator is an administrator whom no list shows.
        name, groups = caller.principal_arn, [ADMIN_GROUP]
    else:
        raise RefusedError(f"{caller.principal_arn} has no access entry in cluster {cluster.name}")
    return {
        "username": name,
        "uid": f"aws-iam-authenticator:{DEFAULT_ACCOUNT_ID}:{caller.user_id}",
        "groups": groups,
        "extra": {"arn": [caller.principal_arn], "sessionName": [caller.session_name]},
    }


def _user_name(cluster: Cluster, template: str, caller: Caller) -> str:
    name = template.replace("{{SessionName}}", caller.session_name)
    if "{{EC2PrivateDNSName}}" in name:
        # An instance's session is named after the instance.
        region = cluster.arn.split(":")[3]
        instance = ec2_backends[DEFAULT_ACCOUNT_ID][region].get_instance_by_id(caller.session_name)
        if instance is None:
            raise RefusedError(f"{caller.session_name} is not an instance")
        name = name.replace("{{EC2PrivateDNSName}}", instance.private_dns)
    return name


def review_bytes(body: bytes) -> bytes:
    """`review` for a request's body."""
    return json.dumps(review(json.loads(body))).encode()

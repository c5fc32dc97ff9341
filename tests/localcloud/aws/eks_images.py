"""The machine images of EKS: known to EC2, and named by the public parameters of SSM."""

import hashlib
from collections import defaultdict
from dataclasses import dataclass
from typing import Any

from moto.core.utils import utcnow
from moto.ec2.models import amis
from moto.ssm.models import Parameter, ParameterDict

from .extend import wrap

VERSIONS = tuple(f"1.{minor}" for minor in range(30, 37))
AMAZON_LINUX = (
    ("x86_64", "standard"),
    ("x86_64", "nvidia"),
    ("x86_64", "neuron"),
    ("arm64", "standard"),
    ("arm64", "nvidia"),
)
BOTTLEROCKET = (("x86_64", ""), ("x86_64", "-nvidia"), ("arm64", ""), ("arm64", "-nvidia"))
BUILD = "v20260120"
OWNER = "602401143452"


@dataclass(frozen=True)
class Image:
    """One image and the parameters that lead to it."""

    name: str
    architecture: str
    parameters: tuple[str, ...]

    @property
    def ami_id(self) -> str:
        """An id that is the same in every cloud."""
        return "ami-" + hashlib.sha256(self.name.encode()).hexdigest()[:17]


def images() -> list[Image]:
    """All images, by version, architecture and variant."""
    found = []
    for version in VERSIONS:
        for arch, variant in AMAZON_LINUX:
            name = f"amazon-eks-node-al2023-{arch}-{variant}-{version}-{BUILD}"
            path = f"/aws/service/eks/optimized-ami/{version}/amazon-linux-2023/{arch}/{variant}"
            paths = (f"{path}/recommended/image_id", f"{path}/{name}/image_id")
            found.append(Image(name, arch, paths))
        for arch, variant in BOTTLEROCKET:
            name = f"bottlerocket-aws-k8s-{version}{variant}-{arch}-v1.50.0-e0ddf1b"
            path = f"/aws/service/bottlerocket/aws-k8s-{version}{variant}/{arch}/latest/image_id"
            found.append(Image(name, arch, (path,)))
    return found


def as_moto_image(image: Image) -> dict[str, Any]:
    """The image as moto's list of images has it."""
    return {
        "ami_id": image.ami_id,
        "name": image.name,
        "description": "EKS-optimized image of the local cloud",
        "owner_id": OWNER,
        "public": True,
        "virtualization_type": "hvm",
        "architecture": image.architecture,
        "state": "available",
        "image_type": "machine",
        "image_location": f"amazon/{image.name}",
        "hypervisor": "xen",
        "root_device_name": "/dev/xvda",
        "root_device_type": "ebs",
        "sriov": "simple",
    }


IMAGES = images()
amis.AMIS.extend(as_moto_image(image) for image in IMAGES)


@wrap(ParameterDict, "_check_loading_status")
def load_parameters(stock: Any, parameters: ParameterDict, key: str) -> None:
    """Load the parameters on the first look at one of their paths, as moto does with its own."""
    stock(key)
    ours = str(key or "").startswith(("/aws/service/eks/", "/aws/service/bottlerocket/"))
    if not ours or getattr(parameters, "eks_images_loaded", False):
        return
    parameters.eks_images_loaded = True
    for image in IMAGES:
        for name in image.parameters:
            parameter = Parameter(
                account_id=parameters.account_id,
                name=name,
                value=image.ami_id,
                parameter_type="String",
                description=None,
                allowed_pattern=None,
                keyid=None,
                last_modified_date=utcnow(),
                version=1,
                data_type="text",
            )
            defaultdict.__getitem__(parameters, name).append(parameter)

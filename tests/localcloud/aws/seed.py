"""Seed an EKS cluster as somebody has one before Karpenter comes: boto3 against the running server.

Reads options as JSON from standard input (`ClusterOptions` of the Go package, see `Options`) and
writes what it made as JSON to standard output. With "createCaller" it first makes the IAM user who
creates the cluster and whose credentials the cloud's users get.

Nothing that it makes carries karpenter.sh/discovery.
"""

import hashlib
import json
import sys
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import boto3
from botocore.config import Config

CALLER = "local-admin"
ZONES = ("a", "b", "c")
OIDC_THUMBPRINT = "9e99a48a9960b14926bb7f3b02e22da2b0ab7280"
NODE_POLICIES = (
    "AmazonEKSWorkerNodePolicy",
    "AmazonEKS_CNI_Policy",
    "AmazonEC2ContainerRegistryReadOnly",
)
NODES_PER_GROUP = 2
IAM_ROLE_NAME_LENGTH = 64


@dataclass(frozen=True)
class NodeGroup:
    """A managed node group: the two of a cluster share the private subnet of zone b."""

    name: str
    instance_type: str
    zones: tuple[str, ...]


NODE_GROUPS = (
    NodeGroup("system", "m6i.large", ("a", "b")),
    NodeGroup("workers", "m6i.xlarge", ("b", "c")),
)


@dataclass(frozen=True)
class Options:
    """What the cluster is to look like, by the names of the JSON."""

    name: str
    region: str
    kubernetesVersion: str
    authenticationMode: str
    noNodeGroups: bool
    noOIDCProvider: bool
    createCaller: bool


class Seed:
    """Makes one cluster with its network, roles and node groups."""

    def __init__(self, options: Options, session: boto3.Session) -> None:
        self.options = options
        self.session = session
        self.ec2 = client(session, "ec2")
        self.iam = client(session, "iam")
        self.eks = client(session, "eks")

    @cached_property
    def account(self) -> str:
        """The account that the calls reach."""
        return client(self.session, "sts").get_caller_identity()["Account"]

    def run(self) -> dict[str, Any]:
        """Make everything and return the facts (`Facts` of the Go package)."""
        options = self.options
        vpc, private, public = self._network()
        cluster_role = self._role("cluster", "eks.amazonaws.com", ("AmazonEKSClusterPolicy",))
        node_role = self._role("node", "ec2.amazonaws.com", NODE_POLICIES)
        old_node_role = self._role("node-old", "ec2.amazonaws.com", NODE_POLICIES)
        admin_role = self._role("admin", "ec2.amazonaws.com", ())
        cluster = self.eks.create_cluster(
            name=options.name,
            version=options.kubernetesVersion,
            roleArn=cluster_role,
            resourcesVpcConfig={
                "subnetIds": list(private.values()) + list(public.values()),
                "endpointPrivateAccess": True,
                "endpointPublicAccess": True,
            },
            accessConfig={"authenticationMode": options.authenticationMode},
        )["cluster"]
        issuer = cluster["identity"]["oidc"]["issuer"]
        groups, nodes = self._node_groups(node_role, private)
        return {
            "clusterName": options.name,
            "clusterArn": cluster["arn"],
            "region": options.region,
            "account": self.account,
            "kubernetesVersion": cluster["version"],
            "authenticationMode": cluster["accessConfig"]["authenticationMode"],
            "vpc": vpc,
            "privateSubnets": list(private.values()),
            "publicSubnets": list(public.values()),
            "nodeGroups": groups,
            "nodes": nodes,
            "clusterSecurityGroup": cluster["resourcesVpcConfig"]["clusterSecurityGroupId"],
            "issuer": issuer,
            "oidcProviderArn": self._oidc_provider(issuer),
            "clusterRoleArn": cluster_role,
            "nodeRoleArn": node_role,
            "oldNodeRoleArn": old_node_role,
            "adminRoleArn": admin_role,
        }

    def _network(self) -> tuple[str, dict[str, str], dict[str, str]]:
        """A VPC with a private and a public subnet in each zone: their ids by zone."""
        name = self.options.name
        vpc = self.ec2.create_vpc(
            CidrBlock="10.42.0.0/16", TagSpecifications=tags("vpc", Name=name)
        )
        vpc_id = vpc["Vpc"]["VpcId"]
        private, public = {}, {}
        for index, zone in enumerate(ZONES):
            private[zone] = self._subnet(
                vpc_id, zone, index, "private", {"kubernetes.io/role/internal-elb": "1"}
            )
            public[zone] = self._subnet(
                vpc_id, zone, index + 10, "public", {"kubernetes.io/role/elb": "1"}
            )
            self.ec2.modify_subnet_attribute(
                SubnetId=public[zone], MapPublicIpOnLaunch={"Value": True}
            )
        return vpc_id, private, public

    def _subnet(self, vpc: str, zone: str, third: int, kind: str, further: dict[str, str]) -> str:
        subnet = self.ec2.create_subnet(
            VpcId=vpc,
            CidrBlock=f"10.42.{third}.0/24",
            AvailabilityZone=self.options.region + zone,
            TagSpecifications=tags("subnet", Name=f"{self.options.name}-{kind}-{zone}", **further),
        )
        return subnet["Subnet"]["SubnetId"]

    def _role(self, purpose: str, service: str, policies: tuple[str, ...]) -> str:
        name = role_name(self.options.name, purpose)
        statement = {
            "Effect": "Allow",
            "Principal": {"Service": service},
            "Action": "sts:AssumeRole",
        }
        role = self.iam.create_role(
            RoleName=name,
            AssumeRolePolicyDocument=json.dumps(
                {"Version": "2012-10-17", "Statement": [statement]}
            ),
        )
        for policy in policies:
            self.iam.attach_role_policy(
                RoleName=name, PolicyArn=f"arn:aws:iam::aws:policy/{policy}"
            )
        return role["Role"]["Arn"]

    def _oidc_provider(self, issuer: str) -> str:
        if self.options.noOIDCProvider:
            return ""
        provider = self.iam.create_open_id_connect_provider(
            Url=issuer, ClientIDList=["sts.amazonaws.com"], ThumbprintList=[OIDC_THUMBPRINT]
        )
        return provider["OpenIDConnectProviderArn"]

    def _node_groups(
        self, node_role: str, private: dict[str, str]
    ) -> tuple[dict[str, list[str]], list[dict[str, str]]]:
        """Node groups and their instances: subnets by name of the group, and the nodes."""
        if self.options.noNodeGroups:
            return {}, []
        groups, nodes = {}, []
        for group in NODE_GROUPS:
            groups[group.name] = [private[zone] for zone in group.zones]
            self.eks.create_nodegroup(
                clusterName=self.options.name,
                nodegroupName=group.name,
                nodeRole=node_role,
                subnets=groups[group.name],
                instanceTypes=[group.instance_type],
                scalingConfig={"minSize": 1, "maxSize": 4, "desiredSize": NODES_PER_GROUP},
            )
            for number in range(NODES_PER_GROUP):
                zone = group.zones[number % len(group.zones)]
                nodes.append(self._node(group, zone, private[zone]))
        return groups, nodes

    def _node(self, group: NodeGroup, zone: str, subnet: str) -> dict[str, str]:
        cluster = self.options.name
        path = f"/aws/service/eks/optimized-ami/{self.options.kubernetesVersion}"
        path += "/amazon-linux-2023/x86_64/standard/recommended/image_id"
        image = client(self.session, "ssm").get_parameter(Name=path)["Parameter"]["Value"]
        instance = self.ec2.run_instances(
            ImageId=image,
            InstanceType=group.instance_type,
            MinCount=1,
            MaxCount=1,
            SubnetId=subnet,
            TagSpecifications=tags(
                "instance",
                Name=f"{cluster}-{group.name}",
                **{
                    "eks:cluster-name": cluster,
                    "eks:nodegroup-name": group.name,
                    f"kubernetes.io/cluster/{cluster}": "owned",
                },
            ),
        )["Instances"][0]
        return {
            "name": instance["PrivateDnsName"],
            "address": instance["PrivateIpAddress"],
            "nodeGroup": group.name,
            "instanceId": instance["InstanceId"],
            "instanceType": group.instance_type,
            "zone": self.options.region + zone,
        }


def client(session: boto3.Session, service: str) -> Any:
    """A client that does not hide the server's errors behind retries."""
    return session.client(service, config=Config(retries={"max_attempts": 0}))


def tags(resource: str, **pairs: str) -> list[dict[str, Any]]:
    """TagSpecifications of EC2 for one kind of resource."""
    pairs_list = [{"Key": key, "Value": value} for key, value in pairs.items()]
    return [{"ResourceType": resource, "Tags": pairs_list}]


def role_name(cluster: str, purpose: str) -> str:
    """<cluster>-<purpose>, shortened with a hash where it is too long for IAM."""
    name = f"{cluster}-{purpose}"
    if len(name) <= IAM_ROLE_NAME_LENGTH:
        return name
    mark = hashlib.sha256(cluster.encode()).hexdigest()[:8]
    end = f"-{mark}-{purpose}"
    return cluster[: IAM_ROLE_NAME_LENGTH - len(end)] + end


def create_caller(region: str) -> dict[str, str]:
    """The IAM user whose credentials the users of the cloud get."""
    iam = client(boto3.Session(region_name=region), "iam")
    iam.create_user(UserName=CALLER)
    iam.attach_user_policy(UserName=CALLER, PolicyArn="arn:aws:iam::aws:policy/AdministratorAccess")
    key = iam.create_access_key(UserName=CALLER)["AccessKey"]
    return {"accessKeyId": key["AccessKeyId"], "secretAccessKey": key["SecretAccessKey"]}


def main() -> None:
    """Read the options, seed, write the facts."""
    options = Options(**json.load(sys.stdin))
    result: dict[str, Any] = {}
    credentials: dict[str, str] = {}
    if options.createCaller:
        result["credentials"] = create_caller(options.region)
        credentials = {
            "aws_access_key_id": result["credentials"]["accessKeyId"],
            "aws_secret_access_key": result["credentials"]["secretAccessKey"],
        }
    session = boto3.Session(region_name=options.region, **credentials)
    result["facts"] = Seed(options, session).run()
    json.dump(result, sys.stdout)


if __name__ == "__main__":
    main()

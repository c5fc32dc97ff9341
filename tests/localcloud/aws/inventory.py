"""What exists in AWS, as JSON on standard output: sorted, so that two runs can be compared.

Only real API calls are used, one thread for each kind of resource.
"""

import json
import sys
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import boto3
from botocore.exceptions import ClientError

Json = Any


class Inventory:
    """Gathers the resources of one region."""

    def __init__(self) -> None:
        session = boto3.Session()
        self.clients = {
            name: session.client(name) for name in ("iam", "sqs", "events", "ec2", "eks")
        }

    def gather(self) -> dict[str, Json]:
        """Every kind of resource by its name."""
        kinds: dict[str, Callable[[], Json]] = {
            "roles": self.roles,
            "policies": self.policies,
            "instanceProfiles": self.instance_profiles,
            "oidcProviders": self.oidc_providers,
            "queues": self.queues,
            "eventRules": self.event_rules,
            "subnetTags": self.subnet_tags,
            "securityGroupTags": self.security_group_tags,
            "instances": self.instances,
            "launchTemplates": self.launch_templates,
            "accessEntries": self.access_entries,
            "podIdentityAssociations": self.pod_identity_associations,
            "addons": self.addons,
        }
        with ThreadPoolExecutor(max_workers=4) as pool:
            running = {name: pool.submit(kind) for name, kind in kinds.items()}
            return {name: future.result() for name, future in running.items()}

    def _pages(self, service: str, operation: str, key: str, **arguments: Json) -> Iterable[Json]:
        client = self.clients[service]
        if not client.can_paginate(operation):
            yield from getattr(client, operation)(**arguments)[key]
            return
        for page in client.get_paginator(operation).paginate(**arguments):
            yield from page.get(key, [])

    def roles(self) -> Json:
        """Roles with trust, attached and inline policies, boundary and tags."""
        iam, found = self.clients["iam"], {}
        for summary in self._pages("iam", "list_roles", "Roles"):
            name = summary["RoleName"]
            role = iam.get_role(RoleName=name)["Role"]
            attached = self._pages(
                "iam", "list_attached_role_policies", "AttachedPolicies", RoleName=name
            )
            inline = self._pages("iam", "list_role_policies", "PolicyNames", RoleName=name)
            found[name] = {
                "arn": role["Arn"],
                "trust": role["AssumeRolePolicyDocument"],
                "attachedPolicies": sorted(policy["PolicyArn"] for policy in attached),
                "inlinePolicies": {
                    policy: iam.get_role_policy(RoleName=name, PolicyName=policy)["PolicyDocument"]
                    for policy in inline
                },
                "permissionsBoundary": role.get("PermissionsBoundary", {}).get(
                    "PermissionsBoundaryArn", ""
                ),
                "tags": as_map(role.get("Tags", [])),
            }
        return found

    def policies(self) -> Json:
        """Customer-managed policies with the document in force."""
        iam, found = self.clients["iam"], {}
        for policy in self._pages("iam", "list_policies", "Policies", Scope="Local"):
            version = iam.get_policy_version(
                PolicyArn=policy["Arn"], VersionId=policy["DefaultVersionId"]
            )
            found[policy["Arn"]] = {"document": version["PolicyVersion"]["Document"]}
        return found

    def instance_profiles(self) -> Json:
        """Instance profiles with the names of their roles."""
        profiles = self._pages("iam", "list_instance_profiles", "InstanceProfiles")
        return {
            profile["InstanceProfileName"]: sorted(role["RoleName"] for role in profile["Roles"])
            for profile in profiles
        }

    def oidc_providers(self) -> Json:
        """ARNs of the OIDC providers."""
        providers = self.clients["iam"].list_open_id_connect_providers()
        return sorted(p["Arn"] for p in providers["OpenIDConnectProviderList"])

    def queues(self) -> Json:
        """Queues with their attributes, less those that change by themselves."""
        sqs, found = self.clients["sqs"], {}
        for url in self._pages("sqs", "list_queues", "QueueUrls"):
            attributes = sqs.get_queue_attributes(QueueUrl=url, AttributeNames=["All"])
            found[url.rsplit("/", 1)[1]] = {
                "attributes": {
                    key: parsed(value) if key == "Policy" else value
                    for key, value in attributes["Attributes"].items()
                    if not key.endswith("Timestamp") and not key.startswith("Approximate")
                },
                "tags": sqs.list_queue_tags(QueueUrl=url).get("Tags", {}),
            }
        return found

    def event_rules(self) -> Json:
        """Rules of the default event bus with their targets."""
        found = {}
        for rule in self._pages("events", "list_rules", "Rules"):
            targets = self._pages("events", "list_targets_by_rule", "Targets", Rule=rule["Name"])
            found[rule["Name"]] = {
                "pattern": parsed(rule.get("EventPattern", "null")),
                "state": rule["State"],
                "targets": sorted(target["Arn"] for target in targets),
            }
        return found

    def subnet_tags(self) -> Json:
        """Tags by subnet; the default VPC's have none and are left out."""
        return self._tagged("describe_subnets", "Subnets", "SubnetId")

    def security_group_tags(self) -> Json:
        """Tags by security group, of those that have any."""
        return self._tagged("describe_security_groups", "SecurityGroups", "GroupId")

    def _tagged(self, operation: str, key: str, identifier: str) -> Json:
        found = self._pages("ec2", operation, key)
        return {one[identifier]: as_map(one["Tags"]) for one in found if one.get("Tags")}

    def instances(self) -> Json:
        """Instances that are not terminated."""
        found = {}
        for reservation in self._pages("ec2", "describe_instances", "Reservations"):
            for instance in reservation["Instances"]:
                if instance["State"]["Name"] not in ("terminated", "shutting-down"):
                    found[instance["InstanceId"]] = {
                        "type": instance["InstanceType"],
                        "state": instance["State"]["Name"],
                        "subnet": instance.get("SubnetId", ""),
                        "tags": as_map(instance.get("Tags", [])),
                    }
        return found

    def launch_templates(self) -> Json:
        """Names of the launch templates."""
        templates = self._pages("ec2", "describe_launch_templates", "LaunchTemplates")
        return sorted(template["LaunchTemplateName"] for template in templates)

    def access_entries(self) -> Json:
        """Access entries with their policies, by cluster and principal."""
        eks, found = self.clients["eks"], {}
        for cluster in self._clusters():
            found[cluster] = {}
            try:
                principals = list(
                    self._pages("eks", "list_access_entries", "accessEntries", clusterName=cluster)
                )
            except ClientError as error:
                if error.response["Error"]["Code"] != "InvalidRequestException":
                    raise
                continue  # authentication mode CONFIG_MAP: there are no entries
            for principal in principals:
                names = {"clusterName": cluster, "principalArn": principal}
                entry = eks.describe_access_entry(**names)["accessEntry"]
                policies = eks.list_associated_access_policies(**names)
                found[cluster][principal] = {
                    "type": entry["type"],
                    "username": entry["username"],
                    "groups": sorted(entry["kubernetesGroups"]),
                    "policies": sorted(
                        policy["policyArn"] for policy in policies["associatedAccessPolicies"]
                    ),
                    "tags": entry["tags"],
                }
        return found

    def pod_identity_associations(self) -> Json:
        """Pod Identity associations by cluster: namespace/account -> role."""
        eks, found = self.clients["eks"], {}
        for cluster in self._clusters():
            found[cluster] = {}
            for one in self._pages(
                "eks", "list_pod_identity_associations", "associations", clusterName=cluster
            ):
                association = eks.describe_pod_identity_association(
                    clusterName=cluster, associationId=one["associationId"]
                )["association"]
                account = f"{association['namespace']}/{association['serviceAccount']}"
                found[cluster][account] = association["roleArn"]
        return found

    def addons(self) -> Json:
        """Names of the add-ons by cluster."""
        return {
            cluster: sorted(self._pages("eks", "list_addons", "addons", clusterName=cluster))
            for cluster in self._clusters()
        }

    def _clusters(self) -> Iterable[str]:
        return self._pages("eks", "list_clusters", "clusters")


def as_map(tags: list[dict[str, str]]) -> dict[str, str]:
    """A list of tags as a map."""
    return {tag["Key"]: tag["Value"] for tag in tags}


def parsed(document: str) -> Json:
    """A JSON document as a value; the text itself where it is none."""
    try:
        return json.loads(document)
    except ValueError:
        return document


if __name__ == "__main__":
    json.dump(Inventory().gather(), sys.stdout, sort_keys=True)

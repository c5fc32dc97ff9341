package localcloud

import (
	"fmt"
	"testing"
)

// testInstanceProfiles lists those below a path.
func testInstanceProfiles(t *testing.T, c *Cloud) {
	aws[any](t, c, "iam", "create-instance-profile", "--instance-profile-name", "listed", "--path", "/here/")
	for path, want := range map[string]int{"/here/": 1, "/there/": 0} {
		found := aws[object](t, c, "iam", "list-instance-profiles", "--path-prefix", path)["InstanceProfiles"].([]any)
		if len(found) != want {
			t.Errorf("%d instance profiles below %s, want %d", len(found), path, want)
		}
	}
	aws[any](t, c, "iam", "delete-instance-profile", "--instance-profile-name", "listed")
}

func testPrices(t *testing.T, c *Cloud) {
	for family, want := range map[string]int{"Compute Instance": 1, "Storage": 0} {
		prices := aws[object](t, c, "pricing", "get-products", "--service-code", "AmazonEC2", "--filters", "Type=TERM_MATCH,Field=productFamily,Value="+family)
		if list := prices["PriceList"].([]any); len(list) != want {
			t.Errorf("%d products of the family %s, want %d", len(list), family, want)
		}
	}
}

// testFleet launches by a launch template, whose security group the instance must have.
func testFleet(t *testing.T, c *Cloud) {
	facts := c.Facts()
	image := aws[object](t, c, "ssm", "get-parameter", "--name",
		"/aws/service/eks/optimized-ami/1.34/amazon-linux-2023/x86_64/standard/recommended/image_id")["Parameter"].(object)["Value"]
	data := fmt.Sprintf(`{"ImageId":%q,"NetworkInterfaces":[{"DeviceIndex":0,"Groups":[%q]}]}`, image, facts.ClusterSecurityGroup)
	aws[any](t, c, "ec2", "create-launch-template", "--launch-template-name", "fleet", "--launch-template-data", data)
	for _, capacity := range []string{"on-demand", "spot"} {
		fleet := aws[object](t, c, "ec2", "create-fleet", "--type", "instant",
			"--target-capacity-specification", "TotalTargetCapacity=1,DefaultTargetCapacityType="+capacity,
			"--launch-template-configs", `[{"LaunchTemplateSpecification":{"LaunchTemplateName":"fleet","Version":"$Latest"},`+
				`"Overrides":[{"InstanceType":"m6i.large","SubnetId":"`+facts.PrivateSubnets[0]+`"}]}]`)
		id := fleet["Instances"].([]any)[0].(object)["InstanceIds"].([]any)[0].(string)
		found := aws[object](t, c, "ec2", "describe-instances", "--instance-ids", id)
		groups := found["Reservations"].([]any)[0].(object)["Instances"].([]any)[0].(object)["SecurityGroups"].([]any)
		if len(groups) != 1 || groups[0].(object)["GroupId"] != facts.ClusterSecurityGroup {
			t.Errorf("a %s instance is in %v, want %s", capacity, groups, facts.ClusterSecurityGroup)
		}
	}
	aws[any](t, c, "ec2", "delete-launch-template", "--launch-template-name", "fleet")
}

package permissions

import (
	"strings"

	"github.com/valohai/pulumi-kubernetes-autoscaling/internal/authorize"
)

// changeProfile is a call on an existing profile.
var changeProfile = change("instance-profile", "InstanceProfileName")

// profileARN is the ARN of an instance profile that may not exist.
func (c call) profileARN(path, name string) string {
	return "arn:aws:iam::" + c.account + ":instance-profile" + path + name
}

// createInstanceProfile makes a profile with its tags. IAM asks for the permission to tag it as well.
// The reference policy gives that for profiles with the cluster's tags only, and it suffices: the
// tags count as the profile's already.
func createInstanceProfile(c call) ([]authorize.Request, error) {
	name, err := c.text("InstanceProfileName")
	if err != nil {
		return nil, err
	}
	path, _ := c.Parameters["Path"].(string)
	if path == "" {
		path = "/"
	}
	arn, t := c.profileARN(path, name), tagsIn(c.Parameters)
	requests := []authorize.Request{c.request(c.action(), arn, asked(t))}
	if len(t) > 0 {
		requests = append(requests, c.request("iam:TagInstanceProfile", arn, asked(t), present(t)))
	}
	return requests, nil
}

// getInstanceProfile reads a profile, which Karpenter also does to see whether there is one.
func getInstanceProfile(c call) ([]authorize.Request, error) {
	if len(c.of("instance-profile")) > 0 {
		return changeProfile(c)
	}
	return on("InstanceProfileName", func(c call, name string) string { return c.profileARN("/", name) })(c)
}

// listInstanceProfiles lists the profiles below a path.
func listInstanceProfiles(c call) ([]authorize.Request, error) {
	prefix, _ := c.Parameters["PathPrefix"].(string)
	return []authorize.Request{c.request(c.action(), c.profileARN("/"+strings.TrimPrefix(prefix, "/"), ""))}, nil
}

// addRole puts a role into a profile, and so passes it to EC2.
func addRole(c call) ([]authorize.Request, error) {
	requests, err := changeProfile(c)
	if err != nil {
		return nil, err
	}
	role, err := c.text("RoleName")
	if err != nil {
		return nil, err
	}
	pass, err := c.passRole(role)
	return append(requests, pass), err
}

// passRole passes a role to EC2.
func (c call) passRole(name string) (authorize.Request, error) {
	role, err := c.named("role", name)
	if err != nil {
		return authorize.Request{}, err
	}
	return c.request("iam:PassRole", role.ARN, conditions{"iam:PassedToService": {ec2Service}}), nil
}

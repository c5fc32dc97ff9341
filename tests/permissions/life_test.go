package permissions

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/valohai/pulumi-kubernetes-autoscaling/components/nodepool"
	"github.com/valohai/pulumi-kubernetes-autoscaling/tests/localcloud"
)

// patience bounds the wait for one step on a busy machine.
const patience = 4 * time.Minute

// live starts the controller and leads it through the lives of two nodes, a spot one that is
// interrupted and an on-demand one that goes with its pool, until nothing is left in AWS.
func live(t *testing.T, cloud *localcloud.Cloud, k clients, session credentials) {
	t.Helper()
	k.makePools(t, cloud.Facts().ClusterName)
	if err := runController(cloud, session); err != nil {
		t.Fatal(err)
	}
	eventually(t, cloud, "the node class is ready", func(ctx context.Context) error {
		return k.holds(ctx, nodeClasses, nodepool.DefaultNodeClass, "Ready", "True")
	})
	eventually(t, cloud, "the pool is ready", func(ctx context.Context) error {
		return k.holds(ctx, nodePools, poolName, "Ready", "True")
	})

	special(t, cloud, k)

	k.makePod(t, "spot")
	k.makePod(t, "on-demand")
	eventually(t, cloud, "both pods run on nodes of their own", func(ctx context.Context) error {
		return k.settled(ctx, 2)
	})

	claims, err := k.claims(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	spot := claims[slices.IndexFunc(claims, func(c nodeClaim) bool { return c.capacityType == "spot" })]
	interrupt(t, cloud, spot.instance())
	eventually(t, cloud, "the interrupted node is gone", func(ctx context.Context) error {
		claims, err := k.claims(ctx)
		if err == nil && len(claims) != 1 {
			err = fmt.Errorf("there are %d node claims", len(claims))
		}
		return err
	})

	k.remove(t, nodePools, poolName)
	eventually(t, cloud, "the last node is gone", func(ctx context.Context) error { return k.gone(ctx, nodeClaims) })
	k.remove(t, nodeClasses, nodepool.DefaultNodeClass)
	eventually(t, cloud, "the node class is gone", func(ctx context.Context) error { return k.gone(ctx, nodeClasses) })
	checkNothingLeft(t, cloud)
}

// special leads a node class without a pool through its life: it asks for reserved and for placed
// capacity, of which there is none.
func special(t *testing.T, cloud *localcloud.Cloud, k clients) {
	t.Helper()
	eventually(t, cloud, "the special class has looked for its placement group", func(ctx context.Context) error {
		return k.holds(ctx, nodeClasses, specialClass, "PlacementGroupReady", "PlacementGroupNotFound")
	})
	k.remove(t, nodeClasses, specialClass)
	eventually(t, cloud, "the special class is gone", func(ctx context.Context) error {
		return k.gone(ctx, nodeClasses, nodepool.DefaultNodeClass)
	})
}

// runController starts the controller with the credentials of its role.
func runController(cloud *localcloud.Cloud, session credentials) error {
	return cloud.Run(localcloud.Program{Name: program, Env: []string{
		"AWS_ACCESS_KEY_ID=" + session.AccessKeyID,
		"AWS_SECRET_ACCESS_KEY=" + session.SecretAccessKey,
		"AWS_SESSION_TOKEN=" + session.SessionToken,
		"CLUSTER_NAME=" + cloud.Facts().ClusterName,
		"INTERRUPTION_QUEUE=" + queueName,
		"DISABLE_LEADER_ELECTION=true",
		// It would serve both on every interface, and can only be told the port: 0 is any free one.
		"METRICS_PORT=0", "HEALTH_PROBE_PORT=0",
		"LOG_LEVEL=debug",
	}})
}

// interrupt tells the queue that EC2 takes a spot instance back.
func interrupt(t *testing.T, cloud *localcloud.Cloud, instance string) {
	t.Helper()
	facts := cloud.Facts()
	message, err := json.Marshal(map[string]any{
		"version": "0", "id": "7a7a2a0e-0000-4000-8000-000000000001", "source": "aws.ec2",
		"detail-type": "EC2 Spot Instance Interruption Warning",
		"account":     facts.Account, "region": facts.Region, "time": time.Now().UTC().Format(time.RFC3339),
		"resources": []string{"arn:aws:ec2:" + facts.Region + ":" + facts.Account + ":instance/" + instance},
		"detail":    map[string]string{"instance-id": instance, "instance-action": "terminate"},
	})
	if err != nil {
		t.Fatal(err)
	}
	type queue struct{ QueueUrl string }
	url := aws[queue](t, cloud, "sqs", "get-queue-url", "--queue-name", queueName).QueueUrl
	aws[any](t, cloud, "sqs", "send-message", "--queue-url", url, "--message-body", string(message))
}

// checkNothingLeft looks for what the controller has made in AWS.
func checkNothingLeft(t *testing.T, cloud *localcloud.Cloud) {
	t.Helper()
	inventory, err := cloud.Snapshot(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	maps.DeleteFunc(inventory.AWS.Instances, func(_ string, i localcloud.Instance) bool {
		return i.Tags["karpenter.sh/nodepool"] == ""
	})
	left := fmt.Sprint(inventory.AWS.Instances, inventory.AWS.LaunchTemplates, inventory.AWS.InstanceProfiles)
	if want := "map[] [] map[]"; left != want {
		t.Errorf("instances, launch templates and instance profiles are left: %s", left)
	}
}

// eventually waits until a check has nothing to say.
func eventually(t *testing.T, cloud *localcloud.Cloud, what string, check func(context.Context) error) {
	t.Helper()
	started := time.Now()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	for {
		err := check(ctx)
		if err == nil {
			t.Logf("%s after %.1f s", what, time.Since(started).Seconds())
			return
		}
		if crash := cloud.Err(); crash != nil {
			t.Fatalf("%s: %v", what, crash)
		}
		select {
		case <-ctx.Done():
			t.Fatalf("%s: not within %s: %v", what, patience, err)
		case <-time.After(200 * time.Millisecond):
		}
	}
}

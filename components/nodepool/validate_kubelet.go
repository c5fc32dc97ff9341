package nodepool

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/valohai/pulumi-kubernetes-autoscaling/internal/quantity"
)

var (
	reservedResources = []string{"cpu", "memory", "ephemeral-storage", "pid"}
	evictionSignals   = []string{"memory.available", "nodefs.available", "nodefs.inodesFree", "imagefs.available", "imagefs.inodesFree", "pid.available"}
)

func (c *check) kubelet(path string, k Kubelet) {
	for field, n := range map[string]*int{
		"maxPods": k.MaxPods, "podsPerCore": k.PodsPerCore, "evictionMaxPodGracePeriod": k.EvictionMaxPodGracePeriod,
	} {
		if n != nil && *n < 0 {
			c.add(path+"."+field, strconv.Itoa(*n), "0 or more", "correct it")
		}
	}
	for field, n := range map[string]*int{
		"imageGCHighThresholdPercent": k.ImageGCHighThresholdPercent, "imageGCLowThresholdPercent": k.ImageGCLowThresholdPercent,
	} {
		if n != nil && (*n < 0 || *n > 100) {
			c.add(path+"."+field, strconv.Itoa(*n), "0 to 100", "correct it")
		}
	}
	if h, l := k.ImageGCHighThresholdPercent, k.ImageGCLowThresholdPercent; h != nil && l != nil && *h <= *l {
		c.add(path+".imageGCHighThresholdPercent", strconv.Itoa(*h), fmt.Sprintf("more than the low threshold, %d", *l), "raise it")
	}
	c.quantities(path+".systemReserved", k.SystemReserved, reservedResources, quantity.Form)
	c.quantities(path+".kubeReserved", k.KubeReserved, reservedResources, quantity.Form)
	c.quantities(path+".evictionHard", k.EvictionHard, evictionSignals, evictionForm)
	c.quantities(path+".evictionSoft", k.EvictionSoft, evictionSignals, evictionForm)
	c.softEviction(path, k)
}

// softEviction checks that every soft limit has its grace period, and the other
// way round.
func (c *check) softEviction(path string, k Kubelet) {
	for _, signal := range slices.Sorted(maps.Keys(k.EvictionSoftGracePeriod)) {
		at := fmt.Sprintf("%s.evictionSoftGracePeriod[%q]", path, signal)
		c.form(at, k.EvictionSoftGracePeriod[signal], durationForm, durationWords)
		if _, ok := k.EvictionSoft[signal]; !ok {
			c.add(at, "no evictionSoft of the same signal", "one for each", "add it")
		}
	}
	for _, signal := range slices.Sorted(maps.Keys(k.EvictionSoft)) {
		if _, ok := k.EvictionSoftGracePeriod[signal]; !ok {
			c.add(fmt.Sprintf("%s.evictionSoft[%q]", path, signal), "no evictionSoftGracePeriod of the same signal", "one for each", "add it")
		}
	}
}

// quantities checks a map whose keys are known.
func (c *check) quantities(path string, m map[string]Scalar, keys []string, form interface{ MatchString(string) bool }) {
	for _, key := range slices.Sorted(maps.Keys(m)) {
		at := fmt.Sprintf("%s[%q]", path, key)
		if !slices.Contains(keys, key) {
			c.add(at, strconv.Quote(key), strings.Join(keys, ", "), "choose one of these")
		}
		if !form.MatchString(string(m[key])) {
			c.add(at, strconv.Quote(string(m[key])), quantityWords, "write it so")
		}
	}
}

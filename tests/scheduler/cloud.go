package scheduler

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"github.com/aws/aws-sdk-go-v2/service/ec2"
	ec2types "github.com/aws/aws-sdk-go-v2/service/ec2/types"
	sdk "github.com/aws/karpenter-provider-aws/pkg/aws"
	awscache "github.com/aws/karpenter-provider-aws/pkg/cache"
	awscloudprovider "github.com/aws/karpenter-provider-aws/pkg/cloudprovider"
	"github.com/aws/karpenter-provider-aws/pkg/providers/arczonalshift"
	"github.com/aws/karpenter-provider-aws/pkg/providers/instancetype"
	"github.com/aws/karpenter-provider-aws/pkg/providers/pricing"
	"github.com/patrickmn/go-cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/karpenter/pkg/cloudprovider"
)

// instanceTypesFile is where moto, which is among the tools, has its instance types.
const instanceTypesFile = "venv/lib/python3*/site-packages/moto/ec2/resources/instance_types.json.gz"

// LoadInstanceTypes reads the instance types that moto has, from the folder of
// the tools (`go run ./install -bin` in tools, or $AUTOSCALING_TOOLS). They are
// those of EC2 at the time of moto's release.
func LoadInstanceTypes(tools string) ([]byte, error) {
	files, err := filepath.Glob(filepath.Join(tools, instanceTypesFile))
	if err != nil {
		return nil, err
	}
	if len(files) != 1 {
		return nil, fmt.Errorf("%d files match %s in %q, want one", len(files), instanceTypesFile, tools)
	}
	packed, err := os.ReadFile(files[0])
	if err != nil {
		return nil, err
	}
	unpacked, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", files[0], err)
	}
	return io.ReadAll(unpacked)
}

// newCloudProvider returns Karpenter's provider for AWS, of which only
// GetInstanceTypes and what needs no cloud can be called.
//
// Its prices are those that are compiled in, which are of us-east-1 for every
// region outside of China and GovCloud. Until it has asked AWS, the provider
// takes the on-demand price of a type as its spot price too, in all zones.
func newCloudProvider(ctx context.Context, o Options, kube client.Client) (cloudprovider.CloudProvider, error) {
	infos := map[string]ec2types.InstanceTypeInfo{}
	if err := json.Unmarshal(o.InstanceTypes, &infos); err != nil {
		return nil, fmt.Errorf("reading the instance types: %w", err)
	}
	api := &ec2API{zones: o.Zones}
	for _, info := range infos {
		api.types = append(api.types, info)
	}
	types := instancetype.NewDefaultProvider(
		newCache(), newCache(), newCache(),
		api,
		nil, // subnets: for launches only
		pricing.NewDefaultProvider(nil, api, o.Region, true),
		nil, nil, // no capacity reservations and placement groups, see newClass
		awscache.NewUnavailableOfferings(),
		instancetype.NewDefaultResolver(o.Region),
		arczonalshift.NewNoopProvider(),
		kube,
	)
	if err := types.UpdateInstanceTypes(ctx); err != nil {
		return nil, err
	}
	if err := types.UpdateInstanceTypeOfferings(ctx); err != nil {
		return nil, err
	}
	return awscloudprovider.New(types, nil, silence{}, kube, nil, nil, nil, nil, nil, nil), nil
}

// newCache returns a cache whose entries stay, and which starts no goroutine.
func newCache() *cache.Cache {
	return cache.New(cache.NoExpiration, 0)
}

// ec2API answers the two calls of EC2 that make up the list of instance types.
// Any other call is a nil pointer.
type ec2API struct {
	sdk.EC2API
	types []ec2types.InstanceTypeInfo
	zones []string
}

// DescribeInstanceTypes returns the types that pass the filters, in one page.
func (e *ec2API) DescribeInstanceTypes(_ context.Context, in *ec2.DescribeInstanceTypesInput, _ ...func(*ec2.Options)) (*ec2.DescribeInstanceTypesOutput, error) {
	out := &ec2.DescribeInstanceTypesOutput{}
	for _, info := range e.types {
		ok, err := passes(info, in.Filters)
		if err != nil {
			return nil, err
		}
		if ok {
			out.InstanceTypes = append(out.InstanceTypes, info)
		}
	}
	return out, nil
}

// DescribeInstanceTypeOfferings returns every type in every zone, in one page.
func (e *ec2API) DescribeInstanceTypeOfferings(_ context.Context, in *ec2.DescribeInstanceTypeOfferingsInput, _ ...func(*ec2.Options)) (*ec2.DescribeInstanceTypeOfferingsOutput, error) {
	out := &ec2.DescribeInstanceTypeOfferingsOutput{}
	for _, info := range e.types {
		for i := range e.zones {
			out.InstanceTypeOfferings = append(out.InstanceTypeOfferings, ec2types.InstanceTypeOffering{
				InstanceType: info.InstanceType, Location: &e.zones[i], LocationType: in.LocationType,
			})
		}
	}
	return out, nil
}

// passes says whether an instance type passes all filters, each of which names
// the values of which the type must have one.
func passes(info ec2types.InstanceTypeInfo, filters []ec2types.Filter) (bool, error) {
	for _, f := range filters {
		var have []string
		switch name := *f.Name; name {
		case "supported-virtualization-type":
			have = texts(info.SupportedVirtualizationTypes)
		case "processor-info.supported-architecture":
			have = texts(info.ProcessorInfo.SupportedArchitectures)
		default:
			return false, fmt.Errorf("DescribeInstanceTypes has a filter %s, which is not simulated", name)
		}
		if !slices.ContainsFunc(have, func(value string) bool { return slices.Contains(f.Values, value) }) {
			return false, nil
		}
	}
	return true, nil
}

// texts returns the values of an enumeration as they are in the API.
func texts[T ~string](values []T) []string {
	out := make([]string, 0, len(values))
	for _, v := range values {
		out = append(out, string(v))
	}
	return out
}

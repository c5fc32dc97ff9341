package conformance

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/valohai/pulumi-kubernetes-autoscaling/components/nodepool"
)

// words are texts of which some fit each field.
var words = []string{
	"", "a", "x y", "true", "1", "0", "-1", "3.5", "100Gi", "18Ti", "Ti", "1h", "30d", "90", "1h30m", "Never", "10%", "101%", "@daily", "0 9 * * mon",
	"karpenter.k8s.aws/instance-cpu", "karpenter.k8s.aws/instance-tenancy", "karpenter.k8s.aws/x", "karpenter.sh/nodepool", "karpenter.sh/capacity-type",
	"kubernetes.io/hostname", "kubernetes.io/arch", "app.kubernetes.io/name", "example.com/team", "a/b/c", "In", "NotIn", "Exists", "Gt", "Gte", "Lt",
	"NoSchedule", "NoExecute", "spot", "WhenEmpty", "WhenEmptyOrUnderutilized", "Balanced", "Drifted", "Unhealthy", "cpu", "memory", "nodes",
	"al2023@latest", "al2023@", "windows2022@latest", "windows2025@latest", "AL2023", "Custom", "ami-1", "subnet-1", "sg-1", "xsg-1", "cr-1", "pg-1",
	"111122223333", "open", "interface", "efa-only", "gp3", "io2", "snap-1", "RAID0", "enabled", "required", "memory.available", "5%", "kubernetes.io/cluster/x",
	"arn:aws:kms:eu-west-1:111122223333:key/k", "cpu-compute", "gpu",
}

// fill sets some fields of a value at random, with words and small numbers.
func fill(r *rand.Rand, v reflect.Value, depth int) {
	if depth > 6 {
		return
	}
	switch v.Kind() {
	case reflect.String:
		v.SetString(words[r.IntN(len(words))])
	case reflect.Int:
		v.SetInt(int64(r.IntN(120) - 5))
	case reflect.Bool:
		v.SetBool(r.IntN(2) == 0)
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(r, v.Elem(), depth+1)
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1+r.IntN(2), 3))
		for i := range v.Len() {
			fill(r, v.Index(i), depth+1)
		}
	case reflect.Map:
		v.Set(reflect.MakeMap(v.Type()))
		key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
		fill(r, key, depth+1)
		fill(r, value, depth+1)
		v.SetMapIndex(key, value)
	case reflect.Struct:
		fillStruct(r, v, depth)
	}
}

// fillStruct sets one or two fields: with more, hardly anything is accepted. The
// raw override is the user's own risk, and names are the table's.
func fillStruct(r *rand.Rand, v reflect.Value, depth int) {
	for range 1 + r.IntN(2) {
		i := r.IntN(v.NumField())
		if name := v.Type().Field(i).Name; name != "Override" && name != "Preset" && name != "NodeClass" {
			fill(r, v.Field(i), depth+1)
		}
	}
}

// FuzzValidator makes pools and classes at random: what our validator accepts,
// the definitions of every release accept, and drop nothing of. Each find
// becomes a row of the table.
func FuzzValidator(f *testing.F) {
	for seed := range uint64(200) {
		f.Add(seed)
	}
	sets := pinned(f)
	f.Fuzz(func(t *testing.T, seed uint64) {
		r := rand.New(rand.NewPCG(seed, 1)) //nolint:gosec // a find must come back with its seed
		s := spec{pool: nodepool.Pool{Preset: "cpu"}}
		fill(r, reflect.ValueOf(&s.pool).Elem(), 0)
		fill(r, reflect.ValueOf(&s.class).Elem(), 0)
		for version, set := range sets {
			rel := find(t, version)
			err := nodepool.Validate(nodepool.Target{Release: rel}, map[string]nodepool.Pool{"p": s.pool},
				map[string]nodepool.NodeClass{nodepool.DefaultNodeClass: s.class})
			if err != nil {
				continue
			}
			if theirs := faults(rel, set, s); len(theirs) > 0 {
				t.Errorf("%s: we accept it, and it is refused or dropped: %q\n%s", version, theirs, fmt.Sprintf("%+v", s))
			}
		}
	})
}

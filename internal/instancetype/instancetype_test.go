package instancetype

import (
	"strings"
	"testing"
)

// TestTable reads every line, so that nothing in it can end a user's preview.
func TestTable(t *testing.T) {
	seen := map[string]bool{}
	for _, typ := range All() {
		if seen[typ.Name] {
			t.Errorf("%s stands twice", typ.Name)
		}
		seen[typ.Name] = true
		for _, fault := range faults(typ) {
			t.Errorf("%s: %s: %+v", typ.Name, fault, typ)
		}
		for region, price := range typ.prices {
			if price <= 0 || price > 2000 {
				t.Errorf("%s costs %g in %s", typ.Name, price, region)
			}
		}
	}
	if len(seen) < 1000 {
		t.Errorf("the catalogue has %d types only", len(seen))
	}
	if !strings.Contains(Source(), "Prices are on-demand, Linux, an hour, of 20") {
		t.Errorf("the source names no date of the prices: %s", Source())
	}
}

// faults are the parts of a type that cannot be.
func faults(typ Type) []string {
	var list []string
	for fault, found := range map[string]bool{
		"parts of the name": typ.Category == "" || typ.Generation == "" || typ.Family+"."+typ.Size != typ.Name,
		"architecture":      typ.Arch != "amd64" && typ.Arch != "arm64",
		"size":              typ.VCPUs < 1 || typ.MemoryMiB < 512,
		"network":           len(typ.Cards) == 0 || typ.Cards[0] < 1 || typ.IPv4 < 1,
	} {
		if found {
			list = append(list, fault)
		}
	}
	return list
}

func find(t *testing.T, name string) *Type {
	t.Helper()
	typ, ok := Find(name)
	if !ok {
		t.Fatalf("no %s", name)
	}
	return &typ
}

func TestDevices(t *testing.T) {
	for _, c := range []struct {
		name, resource string
		want           int
	}{
		{"g5.12xlarge", "nvidia.com/gpu", 4},
		{"p4d.24xlarge", "nvidia.com/gpu", 8},
		{"g4ad.4xlarge", "nvidia.com/gpu", 0},
		{"g4ad.4xlarge", "amd.com/gpu", 1},
		{"g6f.large", "nvidia.com/gpu", 0},
		{"m5.large", "nvidia.com/gpu", 0},
		{"dl1.24xlarge", "habana.ai/gaudi", 8},
		{"inf2.48xlarge", "aws.amazon.com/neuron", 12},
		{"inf2.48xlarge", "aws.amazon.com/neuroncore", 24},
		{"m5.large", "aws.amazon.com/neuroncore", 0},
	} {
		if got := find(t, c.name).Devices(c.resource); got != c.want {
			t.Errorf("%s has %d %s, want %d", c.name, got, c.resource, c.want)
		}
	}
}

func TestLabels(t *testing.T) {
	for _, c := range []struct {
		name, key, want string
		has             bool
	}{
		{"g5.12xlarge", "karpenter.k8s.aws/instance-gpu-name", "a10g", true},
		{"g5.12xlarge", "karpenter.k8s.aws/instance-gpu-count", "4", true},
		{"g5.12xlarge", "karpenter.k8s.aws/instance-local-nvme", "3800", true},
		{"m5.large", "karpenter.k8s.aws/instance-gpu-count", "", false},
		{"m5.large", "beta.kubernetes.io/instance-type", "m5.large", true},
		{"m5.metal", "karpenter.k8s.aws/instance-hypervisor", "", true},
		{"u-6tb1.56xlarge", "karpenter.k8s.aws/instance-category", "u", true},
		{"inf2.xlarge", "karpenter.k8s.aws/instance-accelerator-manufacturer", "aws", true},
		{"m7i-flex.large", "karpenter.k8s.aws/instance-capability-flex", "true", true},
	} {
		label, ok := LabelOf(c.key)
		if !ok {
			t.Fatalf("%s does not follow from the type", c.key)
		}
		if got, has := find(t, c.name).Value(label); got != c.want || has != c.has {
			t.Errorf("%s of %s is %q, %t, want %q, %t", c.key, c.name, got, has, c.want, c.has)
		}
	}
	if _, ok := LabelOf("karpenter.sh/capacity-type"); ok {
		t.Error("the capacity type follows from the instance type")
	}
}

func TestPrice(t *testing.T) {
	m5 := find(t, "m5.large")
	if price, known, exact := m5.Price("us-east-1"); price != 0.096 || !known || !exact {
		t.Error(price, known, exact)
	}
	if price, known, exact := m5.Price("eu-west-1"); price != 0.096 || !known || exact {
		t.Error("another region takes the price of us-east-1, and says so:", price, known, exact)
	}
	home, _, _ := m5.Price("cn-north-1")
	if price, known, exact := m5.Price("cn-northwest-1"); price != home || !known || exact {
		t.Error(price, known, exact)
	}
	if _, known, exact := find(t, "p5.48xlarge").Price("us-gov-east-1"); known || !exact {
		t.Error("a type that a region with prices lacks gets none of another region")
	}
}

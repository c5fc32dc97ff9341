package release

import (
	"strings"
	"testing"
)

func TestFind(t *testing.T) {
	for _, version := range []string{"0.33.1", "v0.33.1", "0.37.7", "1.0.0", "1.0.8", "1.8.2", "1.15.2", ""} {
		r, err := Find(version)
		if err != nil {
			t.Errorf("%q: %v", version, err)
			continue
		}
		want := strings.TrimPrefix(version, "v")
		if version == "" {
			want = Newest
		}
		if r.Version != want {
			t.Errorf("%q: found %q", version, r.Version)
		}
	}
}

func TestFindRefuses(t *testing.T) {
	for version, message := range map[string]string{
		"0.32.0":    "not in the catalogue",
		"0.38.0":    "not in the catalogue",
		"1.16.0":    "not in the catalogue",
		"2.0.0":     "not in the catalogue",
		"1.15":      "all three numbers",
		"1.15.2-rc": "not a Karpenter version",
		"latest":    "not a Karpenter version",
	} {
		if _, err := Find(version); err == nil || !strings.Contains(err.Error(), message) {
			t.Errorf("%q: %v", version, err)
		}
	}
}

func TestNewestIsOfTheLastMinor(t *testing.T) {
	minors := Minors()
	if last := minors[len(minors)-1]; !strings.HasPrefix(Newest, last+".") {
		t.Errorf("Newest is %s and the last catalogued minor %s", Newest, last)
	}
}

// The pairs are those that users of Karpenter reported.
func TestCheckKubernetes(t *testing.T) {
	for _, c := range []struct{ kubernetes, karpenter, remedy string }{
		{"1.32", "1.1.1", "1.2.0"},
		{"1.31", "1.0.4", "1.0.5"},
		{"1.30", "0.36.2", "0.37.0"},
		{"1.29", "0.33.1", "0.34.0"},
		{"1.34", "1.6.0", "1.6.6"},
		{"1.25", "1.15.0", "0.33.0"},
		{"1.99", "1.15.2", "no catalogued Karpenter"},
	} {
		r, err := Find(c.karpenter)
		if err != nil {
			t.Fatal(err)
		}
		if err := r.CheckKubernetes(c.kubernetes); err == nil || !strings.Contains(err.Error(), c.remedy) {
			t.Errorf("karpenter %s on %s: %v", c.karpenter, c.kubernetes, err)
		}
	}
	for kubernetes, karpenter := range map[string]string{
		"1.31": "1.0.5", "1.32": "1.2.0", "1.33": "1.5.0", "1.35": "1.9.0", "1.36": "1.13.0", "v1.34.4-eks-1": "1.15.2",
	} {
		r, err := Find(karpenter)
		if err != nil {
			t.Fatal(err)
		}
		if err := r.CheckKubernetes(kubernetes); err != nil {
			t.Error(err)
		}
	}
	if err := All()[0].CheckKubernetes("latest"); err == nil {
		t.Error("accepted a Kubernetes version that is none")
	}
}

func TestChartTag(t *testing.T) {
	for version, tag := range map[string]string{"0.33.1": "v0.33.1", "0.34.9": "v0.34.9", "0.35.0": "0.35.0", "v1.15.2": "1.15.2"} {
		r, err := Find(version)
		if err != nil {
			t.Fatal(err)
		}
		if r.ChartTag() != tag {
			t.Errorf("%s: tag %s", version, r.ChartTag())
		}
	}
}

func TestInterruptionEvents(t *testing.T) {
	for version, count := range map[string]int{"0.33.1": 4, "1.9.0": 4, "1.10.0": 5, "1.15.2": 5} {
		r, err := Find(version)
		if err != nil {
			t.Fatal(err)
		}
		if n := len(r.InterruptionEvents()); n != count {
			t.Errorf("%s: %d events", version, n)
		}
	}
	if p := All()[0].InterruptionEvents()[3].Pattern(); p != `{"detail-type":["EC2 Instance State-change Notification"],"source":["aws.ec2"]}` {
		t.Error(p)
	}
}

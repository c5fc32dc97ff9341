package quantity

import "testing"

func TestParse(t *testing.T) {
	for text, want := range map[string]string{
		"2": "2", "500m": "1/2", "1.5": "3/2", "8Gi": "8589934592", "1k": "1000", "100u": "1/10000", "0": "0",
		"": "", "-1": "", "1e3": "", "Gi": "", "1 Gi": "", "2GB": "",
	} {
		n, ok := Parse(text)
		if ok != (want != "") {
			t.Errorf("%q: read is %t", text, ok)
		} else if ok && n.RatString() != want {
			t.Errorf("%q is %s, want %s", text, n.RatString(), want)
		}
	}
}

func TestMilli(t *testing.T) {
	for text, want := range map[string]int64{"1": 1000, "1m": 1, "100u": 1, "1001u": 2, "1Ki": 1024000} {
		if n, ok := Milli(text); n != want || !ok {
			t.Errorf("%q is %d thousandths, %t, want %d", text, n, ok, want)
		}
	}
	if n, ok := Milli("16E"); ok {
		t.Errorf("16E is %d, beyond what the number holds", n)
	}
}

func TestWrite(t *testing.T) {
	for _, c := range []struct {
		resource, text, want string
	}{{"cpu", "1500m", "1.5"}, {"memory", "2048Mi", "2Gi"}, {"ephemeral-storage", "1536Mi", "1.5Gi"}, {"nvidia.com/gpu", "8", "8"}} {
		n, _ := Milli(c.text)
		if got := WriteMilli(c.resource, n); got != c.want {
			t.Errorf("%s of %s is written %s, want %s", c.text, c.resource, got, c.want)
		}
	}
}

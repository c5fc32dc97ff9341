package main

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
)

// print writes the report for people.
func (r *report) print(out io.Writer) error {
	var b strings.Builder
	for i, pod := range r.Pods {
		if i > 0 {
			b.WriteString("\n")
		}
		pod.print(&b)
	}
	if r.priced() {
		fmt.Fprintf(&b, "\n%s\n", r.priceNote())
	}
	_, err := io.WriteString(out, b.String())
	return err
}

func (a answer) print(b *strings.Builder) {
	fmt.Fprintf(b, "%s asks for %s\n", named(a.Name), a.Asks)
	for _, line := range a.Refused {
		fmt.Fprintf(b, "  lands nowhere: %s\n", line)
	}
	if len(a.Refused) > 0 {
		return
	}
	if a.Pool == "" {
		b.WriteString("  lands nowhere: no pool takes it. One of these has to change, in a pool or in the pod:\n")
	}
	for _, v := range a.Pools {
		switch {
		case v.Pool == a.Pool:
			fmt.Fprintf(b, "  lands in pool %s, on one of %d instance types. The cheapest:\n", v.Pool, v.Count)
			table(b, v.Types)
		case len(v.Reasons) == 0:
			fmt.Fprintf(b, "  pool %s would take it too, on %d instance types\n", v.Pool, v.Count)
		}
	}
	for _, v := range a.Pools {
		for _, reason := range v.Reasons {
			fmt.Fprintf(b, "  not in pool %s: %s\n", v.Pool, reason)
		}
	}
	if len(a.NotLookedAt) > 0 {
		fmt.Fprintf(b, "  not looked at: %s\n", strings.Join(a.NotLookedAt, ", "))
	}
}

func named(name string) string {
	if name == "" {
		return "the pod"
	}
	return name
}

// table lists instance types.
func table(b *strings.Builder, offers []offer) {
	w := tabwriter.NewWriter(b, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "    TYPE\tVCPU\tMEMORY\tACCELERATOR\tAN HOUR")
	for _, o := range offers {
		fmt.Fprintf(w, "    %s\t%d\t%g Gi\t%s\t%.3f\n", o.Type, o.VCPUs, float64(o.Memory)/1024, o.GPUs, o.Price)
	}
	_ = w.Flush() // a strings.Builder takes all
}

// priced tells whether a price was printed.
func (r *report) priced() bool {
	for _, a := range r.Pods {
		if a.Pool != "" {
			return true
		}
	}
	return false
}

// priceNote says what the prices are.
func (r *report) priceNote() string {
	currency := "US dollars"
	if strings.HasPrefix(r.Region, "cn-") {
		currency = "yuan"
	}
	note := fmt.Sprintf("Prices are on-demand, in %s, without spot or any discount.", currency)
	for _, a := range r.Pods {
		for _, v := range a.Pools {
			for _, o := range v.Types {
				if o.Elsewhere {
					return note + fmt.Sprintf(" There are none for %s: those of us-east-1 (cn-north-1 in China) stand in, and their order is about the same.", r.Region)
				}
			}
		}
	}
	return note
}

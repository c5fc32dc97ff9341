package scheduling

import "fmt"

// Taint keeps pods that do not tolerate it off a node.
type Taint struct {
	Key    string `json:"key"`
	Value  string `json:"value"`
	Effect string `json:"effect"`
}

// String writes a taint as kubectl does.
func (t Taint) String() string {
	if t.Value == "" {
		return t.Key + ":" + t.Effect
	}
	return t.Key + "=" + t.Value + ":" + t.Effect
}

// Toleration lets a pod onto nodes with a taint.
type Toleration struct {
	Key      string `json:"key"`
	Operator string `json:"operator"`
	Value    string `json:"value"`
	Effect   string `json:"effect"`
}

func (t Toleration) tolerates(taint Taint) bool {
	if t.Effect != "" && t.Effect != taint.Effect || t.Key != "" && t.Key != taint.Key {
		return false
	}
	switch t.Operator {
	case "Exists":
		return true
	case "", "Equal":
		return t.Key != "" && t.Value == taint.Value
	}
	return false
}

const preferNoSchedule = "PreferNoSchedule"

// untolerated returns one line for each taint that a pod does not tolerate.
// Karpenter takes a taint that is only a preference as seriously, until nothing
// else is left.
func untolerated(taints []Taint, tolerations []Toleration) []string {
	var lines []string
	for _, taint := range taints {
		tolerated := false
		for _, t := range tolerations {
			tolerated = tolerated || t.tolerates(taint)
		}
		if !tolerated {
			lines = append(lines, fmt.Sprintf("the pod does not tolerate the taint %s: add the toleration {key: %s, operator: Exists}", taint, taint.Key))
		}
	}
	return lines
}

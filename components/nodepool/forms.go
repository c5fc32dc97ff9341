package nodepool

import "regexp"

// Forms of Kubernetes and of Karpenter's CRDs, anchored where the CRDs forgot
// to.
var (
	nameForm         = regexp.MustCompile(`^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$`)
	keyForm          = regexp.MustCompile(`^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*/)?([A-Za-z0-9][-A-Za-z0-9_.]{0,61})?[A-Za-z0-9]$`)
	labelForm        = regexp.MustCompile(`^([A-Za-z0-9][-A-Za-z0-9_.]{0,61})?[A-Za-z0-9]$`)
	taintForm        = regexp.MustCompile(`^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*/)?([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]$`)
	durationForm     = regexp.MustCompile(`^([0-9]+(s|m|h))+$`)
	orNeverForm      = regexp.MustCompile(`^(([0-9]+(s|m|h))+|Never)$`)
	evictionForm     = regexp.MustCompile(`^([0-9]{1,2}(\.[0-9]{1,2})?%|100(\.0{1,2})?%|[0-9]+(\.[0-9]+)?([numkMGTPE]|[KMGTPE]i)?)$`)
	volumeForm       = regexp.MustCompile(`^(([1-9][0-9]{0,3}|[1-4][0-9]{4}|5[0-8][0-9]{3}|59000)Gi|([1-9][0-9]{0,3}|[1-5][0-9]{4}|6[0-3][0-9]{3}|64000)G|([1-9]|[1-5][0-7]|58)Ti|([1-9]|[1-5][0-9]|6[0-4])T)$`)
	aliasForm        = regexp.MustCompile(`^[a-zA-Z0-9]+@.+$`)
	bottlerocketForm = regexp.MustCompile(`^v?[0-9]+\.[0-9]+\.[0-9]+$`)
	budgetForm       = regexp.MustCompile(`^((100|[0-9]{1,2})%|[0-9]+)$`)
	budgetTimeForm   = regexp.MustCompile(`^(([0-9]+(h|m))|([0-9]+h[0-9]+m))(0s)?$`)
	// The first patches of 0.34 and 0.35 take one unit only.
	betaBudgetTimeForm = regexp.MustCompile(`^[0-9]+(h|m)(0s)?$`)
	imageForm          = regexp.MustCompile(`^ami-[0-9a-z]+$`)
	subnetForm         = regexp.MustCompile(`^subnet-[0-9a-z]+$`)
	groupForm          = regexp.MustCompile(`^sg-[0-9a-z]+$`)
	capacityForm       = regexp.MustCompile(`^cr-[0-9a-z]+$`)
	placementForm      = regexp.MustCompile(`^pg-[0-9a-z]+$`)
	accountForm        = regexp.MustCompile(`^[0-9]{12}$`)
)

// What the forms mean, for messages.
const (
	durationWords = `hours, minutes and seconds such as "720h" or "1h30m"`
	quantityWords = `a quantity such as "100" or "1000Gi"`
	keyWords      = `a label key such as "example.com/team"`
	labelWords    = "at most 63 letters, digits, '-', '_' and '.', with a letter or a digit at both ends"
)

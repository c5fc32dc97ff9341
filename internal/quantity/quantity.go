// Package quantity reads quantities of Kubernetes, such as "100m" and "1000Gi".
package quantity

import (
	"math/big"
	"regexp"
	"strings"
)

// Form is that of a quantity which is not negative. Kubernetes takes exponents
// too, which nobody writes.
var Form = regexp.MustCompile(`^[0-9]+(\.[0-9]+)?([numkMGTPE]|[KMGTPE]i)?$`)

// suffixes of quantities, as powers of ten and of two.
var suffixes = map[string]*big.Rat{
	"n": power(10, -9), "u": power(10, -6), "m": power(10, -3), "": power(10, 0), "k": power(10, 3), "M": power(10, 6), "G": power(10, 9),
	"T": power(10, 12), "P": power(10, 15), "E": power(10, 18),
	"Ki": power(2, 10), "Mi": power(2, 20), "Gi": power(2, 30), "Ti": power(2, 40), "Pi": power(2, 50), "Ei": power(2, 60),
}

func power(base, exponent int64) *big.Rat {
	n := new(big.Rat).SetInt(new(big.Int).Exp(big.NewInt(base), big.NewInt(max(exponent, -exponent)), nil))
	if exponent < 0 {
		n.Inv(n)
	}
	return n
}

// Parse reads a quantity.
func Parse(text string) (*big.Rat, bool) {
	if !Form.MatchString(text) {
		return nil, false
	}
	number := strings.TrimRight(text, "numkKMGTPEi")
	n, ok := new(big.Rat).SetString(number)
	if !ok {
		return nil, false
	}
	return n.Mul(n, suffixes[text[len(number):]]), true
}

// Milli reads a quantity in thousandths, rounded up: of a core, of a byte, of a
// GPU.
func Milli(text string) (int64, bool) {
	n, ok := Parse(text)
	if !ok {
		return 0, false
	}
	n.Mul(n, big.NewRat(1000, 1))
	whole, rest := new(big.Int).QuoRem(n.Num(), n.Denom(), new(big.Int))
	if rest.Sign() > 0 {
		whole.Add(whole, big.NewInt(1))
	}
	return whole.Int64(), whole.IsInt64()
}

// Write writes an amount of a resource as people read it: memory and storage in
// Gi, everything else as it is.
func Write(resource string, n *big.Rat) string {
	unit := ""
	if resource == "memory" || strings.HasSuffix(resource, "storage") {
		n, unit = new(big.Rat).Quo(n, suffixes["Gi"]), "Gi"
	}
	if n.IsInt() {
		return n.Num().String() + unit
	}
	return n.FloatString(1) + unit
}

// WriteMilli writes thousandths of a resource as people read it.
func WriteMilli(resource string, milli int64) string { return Write(resource, big.NewRat(milli, 1000)) }

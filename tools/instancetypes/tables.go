package main

import (
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// tables are what Karpenter's source knows beside EC2's description.
type tables struct {
	// date of the prices, and the prices by region and type as they are written.
	date      string
	perRegion map[string]map[string]string
	// bandwidth in megabits a second, and branch interfaces for pods.
	bandwidth, branches map[string]int
}

// readTables reads the generated files below the folder of Karpenter's providers.
// They are parsed and not compiled: Karpenter is no dependency.
func readTables(providers string) (*tables, error) {
	t := &tables{perRegion: map[string]map[string]string{}, bandwidth: map[string]int{}, branches: map[string]int{}}
	for _, name := range []string{"zz_generated.pricing_aws.go", "zz_generated.pricing_aws_cn.go", "zz_generated.pricing_aws_us_gov.go"} {
		file, err := parse(filepath.Join(providers, "pricing", name))
		if err != nil {
			return nil, err
		}
		if t.date = max(t.date, generatedAt(file)); t.date == "" {
			return nil, errors.New(name + " has no date")
		}
		for region, prices := range entries(file) {
			t.perRegion[region] = map[string]string{}
			for typ, price := range pairs(prices) {
				t.perRegion[region][typ] = strings.TrimRight(strings.TrimRight(literal(price), "0"), ".")
			}
		}
	}
	for name, read := range map[string]func(typ string, value ast.Expr){
		"zz_generated.bandwidth.go": func(typ string, value ast.Expr) { t.bandwidth[typ], _ = strconv.Atoi(literal(value)) },
		"zz_generated.vpclimits.go": t.addBranches,
	} {
		file, err := parse(filepath.Join(providers, "instancetype", name))
		if err != nil {
			return nil, err
		}
		for typ, value := range entries(file) {
			read(typ, value)
		}
	}
	if len(t.perRegion) == 0 || len(t.bandwidth) == 0 || len(t.branches) == 0 {
		return nil, errors.New("a table of Karpenter's source is empty: has its form changed?")
	}
	return t, nil
}

// addBranches reads a type's limits: branch interfaces count only where trunking
// works.
func (t *tables) addBranches(typ string, limits ast.Expr) {
	trunking, branches := false, 0
	composite, _ := limits.(*ast.CompositeLit)
	if composite == nil {
		return
	}
	for _, e := range composite.Elts {
		field, ok := e.(*ast.KeyValueExpr)
		if !ok {
			continue
		}
		switch name, _ := field.Key.(*ast.Ident); name.Name {
		case "IsTrunkingCompatible":
			value, _ := field.Value.(*ast.Ident)
			trunking = value != nil && value.Name == "true"
		case "BranchInterface":
			branches, _ = strconv.Atoi(literal(field.Value))
		}
	}
	if trunking {
		t.branches[typ] = branches
	}
}

// regions are the regions with prices, sorted.
func (t *tables) regions() []string { return slices.Sorted(maps.Keys(t.perRegion)) }

// prices are those of a type, in the order of regions.
func (t *tables) prices(typ string) []string {
	var prices []string
	for _, region := range t.regions() {
		prices = append(prices, t.perRegion[region][typ])
	}
	return prices
}

func parse(path string) (*ast.File, error) {
	return parser.ParseFile(token.NewFileSet(), path, nil, parser.ParseComments)
}

var generated = regexp.MustCompile(`generated at (\d{4}-\d{2}-\d{2})`)

// generatedAt is the day on which a file says that it was made.
func generatedAt(file *ast.File) string {
	for _, group := range file.Comments {
		if m := generated.FindStringSubmatch(group.Text()); m != nil {
			return m[1]
		}
	}
	return ""
}

// entries returns the entries of the first map of a file.
func entries(file *ast.File) map[string]ast.Expr {
	var found map[string]ast.Expr
	ast.Inspect(file, func(n ast.Node) bool {
		if composite, ok := n.(*ast.CompositeLit); ok && found == nil {
			found = pairs(composite)
		}
		return found == nil
	})
	return found
}

// pairs returns the entries of a map literal whose keys are strings.
func pairs(e ast.Expr) map[string]ast.Expr {
	composite, ok := e.(*ast.CompositeLit)
	if !ok {
		return nil
	}
	found := map[string]ast.Expr{}
	for _, e := range composite.Elts {
		if pair, ok := e.(*ast.KeyValueExpr); ok {
			found[strings.Trim(literal(pair.Key), `"`)] = pair.Value
		}
	}
	return found
}

func literal(e ast.Expr) string {
	if l, ok := e.(*ast.BasicLit); ok {
		return l.Value
	}
	return ""
}

// Command instancetypes writes the catalogue of instance types that the library
// carries, internal/instancetype/types.tsv, from public data that the rig has
// anyway: EC2's description of instance types as moto carries it, and the tables
// of prices, bandwidth and network interfaces in the source of Karpenter.
//
//	AUTOSCALING_TOOLS=... go run ./instancetypes [-out FILE]
package main

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// karpenterModule is the module whose tables are read, at the version that
// tools/karpenter pins.
const karpenterModule = "github.com/aws/karpenter-provider-aws"

func main() {
	out := flag.String("out", filepath.Join("..", "internal", "instancetype", "types.tsv"), "the file to write")
	flag.Parse()
	if err := run(*out); err != nil {
		fmt.Fprintln(os.Stderr, "instancetypes:", err)
		os.Exit(1)
	}
}

func run(out string) error {
	programs := os.Getenv("AUTOSCALING_TOOLS")
	if programs == "" {
		return errors.New("AUTOSCALING_TOOLS is not set: run make instance-types")
	}
	infos, source, err := readInfos(programs)
	if err != nil {
		return err
	}
	dir, version, err := karpenterSource()
	if err != nil {
		return err
	}
	t, err := readTables(filepath.Join(dir, "pkg", "providers"))
	if err != nil {
		return err
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, "# Instance types of EC2 for Karpenter: made by tools/instancetypes of %s and of Karpenter %s.\n", source, version)
	fmt.Fprintf(&b, "# Prices are on-demand, Linux, an hour, of %s: in US dollars, and in yuan for cn-north-1.\n", t.date)
	b.WriteString(strings.Join(append(columns(), t.regions()...), "\t") + "\n")
	for _, i := range infos {
		b.WriteString(strings.Join(append(i.row(t), t.prices(i.InstanceType)...), "\t") + "\n")
	}
	return os.WriteFile(out, b.Bytes(), 0o644)
}

// readInfos reads the types that Karpenter asks EC2 for: those of hardware
// virtualization with an architecture of Kubernetes. It also says what it read.
func readInfos(programs string) ([]info, string, error) {
	site, err := filepath.Glob(filepath.Join(programs, "venv", "lib", "python3*", "site-packages"))
	if err != nil || len(site) != 1 {
		return nil, "", fmt.Errorf("no Python packages below %s: run make tools", programs)
	}
	dist, err := filepath.Glob(filepath.Join(site[0], "moto-*.dist-info"))
	if err != nil || len(dist) != 1 {
		return nil, "", fmt.Errorf("no moto in %s: run make tools", site[0])
	}
	f, err := os.Open(filepath.Join(site[0], "moto", "ec2", "resources", "instance_types.json.gz"))
	if err != nil {
		return nil, "", err
	}
	defer func() { _ = f.Close() }()
	plain, err := gzip.NewReader(f)
	if err != nil {
		return nil, "", err
	}
	b, err := io.ReadAll(plain)
	if err != nil {
		return nil, "", err
	}
	var all map[string]info
	if err := json.Unmarshal(b, &all); err != nil {
		return nil, "", err
	}
	var infos []info
	for _, i := range all {
		if slices.Contains(i.SupportedVirtualizationTypes, "hvm") && i.arch() != "" {
			infos = append(infos, i)
		}
	}
	slices.SortFunc(infos, func(a, b info) int { return strings.Compare(a.InstanceType, b.InstanceType) })
	version := strings.TrimSuffix(strings.TrimPrefix(filepath.Base(dist[0]), "moto-"), ".dist-info")
	return infos, "moto " + version, nil
}

// karpenterSource returns the folder and the version of Karpenter's module.
func karpenterSource() (dir, version string, err error) {
	cmd := exec.Command("go", "mod", "download", "-json", karpenterModule)
	cmd.Dir, cmd.Stderr = "karpenter", os.Stderr
	b, err := cmd.Output()
	if err != nil {
		return "", "", err
	}
	var m struct{ Dir, Version string }
	if err := json.Unmarshal(b, &m); err != nil {
		return "", "", err
	}
	return m.Dir, strings.TrimPrefix(m.Version, "v"), nil
}

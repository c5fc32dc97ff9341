// Command embed writes the two files that pulumi-resource-kubernetes embeds
// into a folder: the provider's schema with its version filled in, and its
// Terraform mapping.
//
//	embed VERSION OUT_DIR
package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

const module = "github.com/pulumi/pulumi-kubernetes/provider/v4"

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: embed VERSION OUT_DIR")
		os.Exit(2)
	}
	if err := run(os.Args[1], os.Args[2]); err != nil {
		fmt.Fprintln(os.Stderr, "embed:", err)
		os.Exit(1)
	}
}

func run(version, out string) error {
	dir, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", module).Output()
	if err != nil {
		return fmt.Errorf("finding the folder of %s: %w", module, err)
	}
	src := filepath.Join(strings.TrimSpace(string(dir)), "cmd", "pulumi-resource-kubernetes")

	schema, err := os.ReadFile(filepath.Join(src, "schema.json"))
	if err != nil {
		return err
	}
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(schema, &fields); err != nil {
		return fmt.Errorf("schema.json: %w", err)
	}
	if fields["version"], err = json.Marshal(version); err != nil {
		return err
	}
	versioned, err := json.Marshal(fields)
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(out, "schema-embed.json"), versioned, 0o600); err != nil {
		return err
	}

	mapping, err := os.ReadFile(filepath.Join(src, "terraform-mapping.json"))
	if err != nil {
		return err
	}
	var compact bytes.Buffer
	if err := json.Compact(&compact, mapping); err != nil {
		return fmt.Errorf("terraform-mapping.json: %w", err)
	}
	return os.WriteFile(filepath.Join(out, "terraform-mapping-embed.json"), compact.Bytes(), 0o600)
}

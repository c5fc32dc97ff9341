package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
)

// file is the name that helm gives to a packaged chart.
func (c chart) file() string { return c.Name + "-" + c.Of.Version + ".tgz" }

// buildCharts packages the charts into out.
func buildCharts(ctx context.Context, helm string, have downloads, log *logFile, out string) error {
	tmp, err := os.MkdirTemp("", "charts-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(tmp) }()
	// A home of its own, so that no plugin or repository of the user counts.
	env := []string{"HELM_CACHE_HOME=" + tmp, "HELM_CONFIG_HOME=" + tmp, "HELM_DATA_HOME=" + tmp}
	for _, c := range charts {
		dir := filepath.Join(tmp, c.Of.Version, c.Name)
		if err := unzip(have.zip(c.Of), c.Of.String()+"/"+c.Dir, dir); err != nil {
			return fmt.Errorf("unpacking the chart %s %s: %w", c.Name, c.Of.Version, err)
		}
		argv := []string{helm, "package", "--destination", out, "--version", c.Of.Version, "--app-version", c.Of.Version, dir}
		if _, err := log.run(ctx, command{env: env, argv: argv}); err != nil {
			return err
		}
		if !exists(filepath.Join(out, c.file())) {
			return fmt.Errorf("helm package did not write %s", c.file())
		}
	}
	return nil
}

package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
)

// chartFile is the name that helm gives to a packaged chart.
func chartFile(chart, ver string) string { return chart + "-" + ver + ".tgz" }

// buildCharts packages the charts of the releases that have them into out.
func buildCharts(ctx context.Context, helm string, have downloads, log *logFile, out string) error {
	tmp, err := os.MkdirTemp("", "charts-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(tmp) }()
	for _, r := range chartReleases() {
		src := filepath.Join(tmp, r.Version)
		argv := []string{helm, "package", "--destination", out, "--version", r.Version, "--app-version", r.Version}
		for _, chart := range chartNames {
			dir := filepath.Join(src, chart)
			prefix := fmt.Sprintf("%s@v%s/charts/%s/", karpenterModule, r.Version, chart)
			if err := unzip(have.zip(r), prefix, dir); err != nil {
				return fmt.Errorf("unpacking the chart %s %s: %w", chart, r.Version, err)
			}
			argv = append(argv, dir)
		}
		// A home of its own, so that no plugin or repository of the user counts.
		env := []string{"HELM_CACHE_HOME=" + tmp, "HELM_CONFIG_HOME=" + tmp, "HELM_DATA_HOME=" + tmp}
		if _, err := log.run(ctx, command{env: env, argv: argv}); err != nil {
			return err
		}
		for _, chart := range chartNames {
			if !exists(filepath.Join(out, chartFile(chart, r.Version))) {
				return fmt.Errorf("helm package did not write %s", chartFile(chart, r.Version))
			}
		}
	}
	return nil
}

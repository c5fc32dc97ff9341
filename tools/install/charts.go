package main

import (
	"archive/zip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// chartFile is the name that helm gives to a packaged chart.
func chartFile(chart, ver string) string { return chart + "-" + ver + ".tgz" }

// buildCharts packages the charts of every release in the table into out.
func buildCharts(ctx context.Context, helm string, zips map[string]string, log *logFile, out string) error {
	tmp, err := os.MkdirTemp("", "charts-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(tmp) }()
	for _, r := range chartReleases {
		src := filepath.Join(tmp, r.Version)
		argv := []string{helm, "package", "--destination", out, "--version", r.Version, "--app-version", r.Version}
		for _, chart := range chartNames {
			dir := filepath.Join(src, chart)
			prefix := fmt.Sprintf("%s@v%s/charts/%s/", karpenterCharts, r.Version, chart)
			if err := unzip(zips[r.Version], prefix, dir); err != nil {
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

// fetchCharts downloads the module of one Karpenter release and returns its
// zip. Newer releases ask for a newer Go; the command then fails after it has
// downloaded and verified the zip, and only its files are wanted here.
func fetchCharts(ctx context.Context, r chartRelease, log *logFile) (string, error) {
	dir, err := os.MkdirTemp("", "charts-module-")
	if err != nil {
		return "", err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	if err := os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module charts\n\ngo 1.24\n"), 0o600); err != nil {
		return "", err
	}
	out, runErr := log.run(ctx, command{
		dir: dir, env: append([]string{"GOFLAGS=-mod=mod", "GOTOOLCHAIN=local"}, goEnv...),
		argv: []string{"go", "mod", "download", "-json", karpenterCharts + "@v" + r.Version},
	})
	if ctx.Err() != nil {
		return "", ctx.Err()
	}
	var module struct{ Zip, Sum, Error string }
	if err := json.Unmarshal(out, &module); err != nil || module.Zip == "" {
		if runErr != nil {
			return "", runErr
		}
		return "", fmt.Errorf("go mod download printed no zip of %s %s: %w", karpenterCharts, r.Version, err)
	}
	if module.Sum != r.Sum {
		return "", fmt.Errorf("%s %s has the checksum %s, the pin is %s", karpenterCharts, r.Version, module.Sum, r.Sum)
	}
	return module.Zip, nil
}

// unzip writes the files below a prefix of a zip into a folder.
func unzip(archive, prefix, dir string) error {
	r, err := zip.OpenReader(archive)
	if err != nil {
		return err
	}
	defer func() { _ = r.Close() }()
	n := 0
	for _, f := range r.File {
		rel, ok := strings.CutPrefix(f.Name, prefix)
		if !ok || !filepath.IsLocal(rel) {
			continue
		}
		if err := unzipFile(f, filepath.Join(dir, filepath.FromSlash(rel))); err != nil {
			return err
		}
		n++
	}
	if n == 0 {
		return fmt.Errorf("%s has no files below %s", filepath.Base(archive), prefix)
	}
	return nil
}

func unzipFile(f *zip.File, path string) (err error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	in, err := f.Open()
	if err != nil {
		return err
	}
	defer func() { _ = in.Close() }()
	out, err := os.Create(path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, out.Close()) }()
	_, err = io.Copy(out, in)
	return err
}

// asExit finds the exit of a program in an error.
func asExit(err error) (*exec.ExitError, bool) {
	var exit *exec.ExitError
	ok := errors.As(err, &exit)
	return exit, ok
}

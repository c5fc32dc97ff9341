package localcloud

import (
	"context"
	"embed"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

//go:embed aws/*.py
var awsFiles embed.FS

//go:embed stages.yaml
var stages []byte

// awsWrapper makes version 1 of the AWS CLI heed AWS_ENDPOINT_URL for all services: it has fixed
// endpoints for SQS, and would go to the real AWS with them.
const awsWrapper = `#!/bin/sh
exec "${LOCALCLOUD_AWS_CLI:?}" --endpoint-url "${AWS_ENDPOINT_URL:?}" "$@"
`

// start brings up everything in the order that the parts need, as much as possible side by side.
func (c *Cloud) start(ctx context.Context, cluster ClusterOptions) error {
	if err := c.state.write(c.dir); err != nil {
		return err
	}
	if err := c.writeFiles(); err != nil {
		return fmt.Errorf("writing the files of the cloud: %w", err)
	}
	keys, err := makePKI(c.file("pki"))
	if err != nil {
		return err
	}
	awsPort, err := c.launchAWS(ctx)
	if err != nil {
		return err
	}
	if err := writeWebhookConfig(c.file("token-webhook"), c.awsEndpoint()); err != nil {
		return err
	}
	err = inParallel(ctx,
		func(ctx context.Context) error {
			if err := c.waitReady(ctx, c.aws(), awsPort); err != nil {
				return err
			}
			return c.seedAWS(ctx, cluster)
		},
		func(ctx context.Context) error { return c.startKubernetes(ctx, keys) },
	)
	if err != nil {
		return err
	}
	if err := c.seedKubernetes(ctx); err != nil {
		return fmt.Errorf("seeding Kubernetes: %w", err)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.state.Complete = true
	return c.state.write(c.dir)
}

// startKubernetes starts the control plane.
func (c *Cloud) startKubernetes(ctx context.Context, keys pki) error {
	etcdPort, err := c.launch(ctx, c.etcd())
	if err != nil {
		return err
	}
	port, err := c.launch(ctx, c.apiServer(keys, etcdPort))
	if err != nil {
		return err
	}
	server := fmt.Sprintf("https://127.0.0.1:%d", port)
	if err := writeKubeconfig(c.Kubeconfig(), keys, server); err != nil {
		return err
	}
	if err := writeControlPlane(c.file("control-plane.json"), keys, server); err != nil {
		return err
	}
	var launches []func(context.Context) error
	for _, p := range []part{c.controllerManager(keys), c.scheduler(keys), c.kwok()} {
		launches = append(launches, func(ctx context.Context) error {
			_, err := c.launch(ctx, p)
			return err
		})
	}
	return inParallel(ctx, launches...)
}

// writeFiles writes the folders of the cloud, the extension of moto and the stages of kwok.
func (c *Cloud) writeFiles() error {
	for _, dir := range []string{"logs", "aws", "bin", "kwok"} {
		if err := os.MkdirAll(c.file(dir), 0o755); err != nil {
			return err
		}
	}
	files, err := fs.Glob(awsFiles, "aws/*.py")
	if err != nil {
		return err
	}
	for _, name := range files {
		data, err := awsFiles.ReadFile(name)
		if err != nil {
			return err
		}
		if err := os.WriteFile(c.file(filepath.FromSlash(name)), data, 0o644); err != nil {
			return err
		}
	}
	if err := os.WriteFile(c.awsCLI(), []byte(awsWrapper), 0o755); err != nil {
		return err
	}
	return os.WriteFile(c.file("stages.yaml"), stages, 0o644)
}

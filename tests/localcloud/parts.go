package localcloud

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"time"
)

// The names of the parts, which are those of their logs too.
const (
	partAWS               = "aws"
	partEtcd              = "etcd"
	partAPIServer         = "kube-apiserver"
	partControllerManager = "kube-controller-manager"
	partScheduler         = "kube-scheduler"
	partKwok              = "kwok"
)

const (
	serviceRange      = "10.100.0.0/16" // as EKS reports it
	apiServiceAddress = "10.100.0.1"
	podRange          = "10.244.0.0/16"
	nodeLeaseSeconds  = "40"
)

// part is one process of the cloud.
type part struct {
	name    string
	program string
	args    func(port int) []string
	env     []string
	// probe returns nil when the part does its work.
	probe func(ctx context.Context, port int) error
}

func (c *Cloud) etcd() part {
	return part{
		name:    partEtcd,
		program: c.tools.program("etcd"),
		args: func(port int) []string {
			client := fmt.Sprintf("http://127.0.0.1:%d", port)
			const peer = "http://127.0.0.1:0" // there are no peers
			return []string{
				"--name=localcloud", "--data-dir=" + c.file("etcd"), "--unsafe-no-fsync", "--log-level=warn",
				"--listen-client-urls=" + client, "--advertise-client-urls=" + client,
				"--listen-peer-urls=" + peer, "--initial-advertise-peer-urls=" + peer,
				"--initial-cluster=localcloud=" + peer,
			}
		},
		probe: func(ctx context.Context, port int) error {
			return get(ctx, http.DefaultClient, fmt.Sprintf("http://127.0.0.1:%d/health", port))
		},
	}
}

func (c *Cloud) apiServer(p pki, etcdPort int) part {
	return part{
		name:    partAPIServer,
		program: c.tools.program("kube-apiserver"),
		args: func(port int) []string {
			return []string{
				fmt.Sprintf("--etcd-servers=http://127.0.0.1:%d", etcdPort),
				"--bind-address=127.0.0.1", fmt.Sprintf("--secure-port=%d", port), "--advertise-address=127.0.0.1",
				"--tls-cert-file=" + p.file("server.crt"), "--tls-private-key-file=" + p.file("server.key"),
				"--client-ca-file=" + p.file("ca.crt"),
				"--service-account-key-file=" + p.file("service-accounts.key"),
				"--service-account-signing-key-file=" + p.file("service-accounts.key"),
				"--service-account-issuer=https://kubernetes.default.svc",
				"--service-cluster-ip-range=" + serviceRange, "--endpoint-reconciler-type=none",
				"--authorization-mode=RBAC", "--allow-privileged",
				"--authentication-token-webhook-config-file=" + c.file("token-webhook"),
				"--authentication-token-webhook-version=v1", "--authentication-token-webhook-cache-ttl=1s",
			}
		},
		probe: probeTLS(p, "readyz"),
	}
}

func (c *Cloud) controllerManager(p pki) part {
	return part{
		name:    partControllerManager,
		program: c.tools.program("kube-controller-manager"),
		args: func(port int) []string {
			return append(c.controllerFlags(p, port),
				"--use-service-account-credentials", "--root-ca-file="+p.file("ca.crt"),
				"--service-account-private-key-file="+p.file("service-accounts.key"),
				"--controllers=*,-node-ipam-controller,-service-lb-controller,-node-route-controller")
		},
		probe: probeTLS(p, "healthz"),
	}
}

func (c *Cloud) scheduler(p pki) part {
	return part{
		name:    partScheduler,
		program: c.tools.program("kube-scheduler"),
		args:    func(port int) []string { return c.controllerFlags(p, port) },
		probe:   probeTLS(p, "healthz"),
	}
}

// controllerFlags are common to the controller manager and the scheduler.
func (c *Cloud) controllerFlags(p pki, port int) []string {
	return []string{
		"--kubeconfig=" + c.Kubeconfig(), "--leader-elect=false",
		"--bind-address=127.0.0.1", fmt.Sprintf("--secure-port=%d", port),
		"--tls-cert-file=" + p.file("server.crt"), "--tls-private-key-file=" + p.file("server.key"),
	}
}

func (c *Cloud) kwok() part {
	return part{
		name:    partKwok,
		program: c.tools.program("kwok"),
		args: func(port int) []string {
			return []string{
				"--kubeconfig=" + c.Kubeconfig(), "--config=" + c.file("stages.yaml"), "--manage-all-nodes",
				"--node-lease-duration-seconds=" + nodeLeaseSeconds, "--cidr=" + podRange,
				fmt.Sprintf("--server-address=127.0.0.1:%d", port),
			}
		},
		// kwok would read its configuration from the home folder too.
		env: []string{"HOME=" + c.dir, "KWOK_WORKDIR=" + c.file("kwok")},
		probe: func(ctx context.Context, port int) error {
			return get(ctx, http.DefaultClient, fmt.Sprintf("http://127.0.0.1:%d/healthz", port))
		},
	}
}

// aws chooses its port itself, see server.py.
func (c *Cloud) aws() part {
	return part{
		name:    partAWS,
		program: c.tools.program("venv/bin/python"),
		args: func(int) []string {
			args := []string{"-m", "aws.server", "--port-file", c.file("aws-port")}
			if c.recordCalls {
				args = append(args, "--calls", c.file(callsFile))
			}
			return args
		},
		env: []string{
			"PYTHONPATH=" + c.dir, "PYTHONUNBUFFERED=1",
			"MOTO_IAM_LOAD_MANAGED_POLICIES=true", "LOCALCLOUD_CONTROL_PLANE=" + c.file("control-plane.json"),
		},
		probe: func(ctx context.Context, port int) error {
			return get(ctx, http.DefaultClient, fmt.Sprintf("http://127.0.0.1:%d/localcloud/ready", port))
		},
	}
}

// probeTLS asks a path of a server that has the cloud's certificate, as the administrator.
func probeTLS(p pki, path string) func(ctx context.Context, port int) error {
	return func(ctx context.Context, port int) error {
		certificate, err := tls.LoadX509KeyPair(p.file("admin.crt"), p.file("admin.key"))
		if err != nil {
			return err
		}
		authority, err := os.ReadFile(p.file("ca.crt"))
		if err != nil {
			return err
		}
		roots := x509.NewCertPool()
		roots.AppendCertsFromPEM(authority)
		transport := &http.Transport{
			TLSClientConfig: &tls.Config{RootCAs: roots, Certificates: []tls.Certificate{certificate}},
		}
		defer transport.CloseIdleConnections()
		return get(ctx, &http.Client{Transport: transport}, fmt.Sprintf("https://127.0.0.1:%d/%s", port, path))
	}
}

// get is an error unless the URL answers 200.
func get(ctx context.Context, client *http.Client, url string) error {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return err
	}
	response, err := client.Do(request)
	if err != nil {
		return err
	}
	defer func() { _ = response.Body.Close() }()
	if _, err := io.Copy(io.Discard, response.Body); err != nil {
		return err
	}
	if response.StatusCode != http.StatusOK {
		return errors.New(response.Status)
	}
	return nil
}

func (c *Cloud) file(name string) string { return filepath.Join(c.dir, name) }

// LogFile is the path of a part's log.
func (c *Cloud) LogFile(part string) string { return logFile(c.dir, part) }

func logFile(dir, part string) string { return filepath.Join(dir, "logs", part+".log") }

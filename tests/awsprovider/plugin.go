package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"time"

	"github.com/hashicorp/go-hclog"
	"github.com/hashicorp/go-plugin"
	"google.golang.org/grpc"
)

const (
	// logVariable names a file that receives the Terraform provider's log.
	logVariable = "AWSPROVIDER_TF_LOG"

	// startTimeout covers a first read of the binary from a slow disk.
	startTimeout = 3 * time.Minute
)

// handshake is Terraform's own: its providers refuse any other caller.
// https://github.com/hashicorp/terraform-plugin-go/blob/v0.29.0/tfprotov5/tf5server/server.go
var handshake = plugin.HandshakeConfig{
	MagicCookieKey:   "TF_PLUGIN_MAGIC_COOKIE",
	MagicCookieValue: "d602bf8f470bc67ca7faa0386276bbdd4330efaf76d1a219cb4d6991ca9872b2",
}

// tfPlugin is a running Terraform provider.
type tfPlugin struct {
	client *plugin.Client
	conn   *grpc.ClientConn
}

// startPlugin starts the Terraform provider at path with exactly this
// environment, and connects to it. On Linux it ends with the thread that
// called startPlugin.
func startPlugin(path string, env []string) (*tfPlugin, error) {
	logs, level, err := openLog(os.Getenv(logVariable))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", logVariable, err)
	}
	cmd := exec.Command(path)
	cmd.Env = env
	endWithParent(cmd)
	client := plugin.NewClient(&plugin.ClientConfig{
		HandshakeConfig:  handshake,
		VersionedPlugins: map[int]plugin.PluginSet{5: {"provider": connPlugin{}}},
		AllowedProtocols: []plugin.Protocol{plugin.ProtocolGRPC},
		AutoMTLS:         true,
		Cmd:              cmd,
		SkipHostEnv:      true, // The caller chose the environment.
		StartTimeout:     startTimeout,
		Logger:           hclog.New(&hclog.LoggerOptions{Output: logs, Level: level}),
		SyncStdout:       logs,
		SyncStderr:       logs,
	})
	conn, err := connect(client)
	if err != nil {
		client.Kill()
		return nil, fmt.Errorf("starting %s: %w", path, err)
	}
	return &tfPlugin{client: client, conn: conn}, nil
}

// stop ends the Terraform provider.
func (p *tfPlugin) stop() { p.client.Kill() }

func connect(client *plugin.Client) (*grpc.ClientConn, error) {
	rpc, err := client.Client()
	if err != nil {
		return nil, err
	}
	dispensed, err := rpc.Dispense("provider")
	if err != nil {
		return nil, err
	}
	conn, ok := dispensed.(*grpc.ClientConn)
	if !ok {
		return nil, fmt.Errorf("the plugin gave a %T, not a connection", dispensed)
	}
	return conn, nil
}

// openLog opens the log file, or discards the log when there is no path.
func openLog(path string) (io.Writer, hclog.Level, error) {
	if path == "" {
		return io.Discard, hclog.Off, nil
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	return f, hclog.Trace, err
}

// connPlugin is the go-plugin client that is only the connection.
type connPlugin struct{ plugin.NetRPCUnsupportedPlugin }

// GRPCServer implements plugin.GRPCPlugin: there is nothing to serve.
func (connPlugin) GRPCServer(*plugin.GRPCBroker, *grpc.Server) error {
	return errors.New("this end of the plugin is a client")
}

// GRPCClient implements plugin.GRPCPlugin.
func (connPlugin) GRPCClient(_ context.Context, _ *plugin.GRPCBroker, conn *grpc.ClientConn) (any, error) {
	return conn, nil
}

package testcontainers

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net/netip"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/moby/moby/api/types/container"
	"github.com/moby/moby/api/types/network"
	tc "github.com/testcontainers/testcontainers-go"
	"github.com/testcontainers/testcontainers-go/log"
)

// label marks each container and network with the process that created it.
const label = "uncial.test"

// run identifies this process among all that use the container engine, including those on other machines and in containers.
var run = rand.Text()

// ownLabels are the labels of everything that this process creates.
func ownLabels() map[string]string { return map[string]string{label: run} }

// start starts a container, which the watchdog removes after this process ends, at the latest. If the container engine is
// on this machine, ports are published on the loopback address only, because services of tests have no passwords.
func start(ctx context.Context, req tc.ContainerRequest) (tc.Container, error) {
	if _, err := watchdog(); err != nil {
		return nil, err
	}
	req.Labels = ownLabels() // the watchdog finds containers by them
	given := req.HostConfigModifier
	req.HostConfigModifier = func(h *container.HostConfig) {
		if given != nil {
			given(h)
		}
		if isEngineLocal() {
			h.PortBindings = onLoopback(req.ExposedPorts)
		}
	}
	// The library's messages about containers that start would bury the failures of tests.
	return tc.GenericContainer(ctx, tc.GenericContainerRequest{ContainerRequest: req, Started: true, Logger: log.NewNoopLogger()})
}

// isEngineLocal reports whether the container engine is on this machine: DOCKER_HOST is unset or names a socket file.
func isEngineLocal() bool {
	host := os.Getenv("DOCKER_HOST")
	return host == "" || strings.HasPrefix(host, "unix://")
}

// onLoopback maps ports to free ports of the loopback address.
func onLoopback(ports []string) network.PortMap {
	bindings := network.PortMap{}
	for _, p := range ports {
		bindings[network.MustParsePort(p)] = []network.PortBinding{{HostIP: netip.AddrFrom4([4]byte{127, 0, 0, 1})}}
	}
	return bindings
}

// watchdog starts a process in its own session that outlives this one, even if this one is killed, and then removes the
// containers and networks that were left. Containers that were being created at that moment may appear slightly later, so it
// looks several times before it exits. Only this process holds the returned file open: the file closes when the process ends.
var watchdog = sync.OnceValues(func() (held *os.File, err error) {
	// cat ends when the pipe closes, which the kernel does when this process ends, however it ends.
	const script = `cat
for look in 1 2 3 4 5 6; do
	c=$(docker ps -aq --filter "label=$1"); [ -z "$c" ] || docker rm -fv $c
	n=$(docker network ls -q --filter "label=$1"); [ -z "$n" ] || docker network rm $n
	sleep $look
done`
	end, held, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer func() { _ = end.Close() }()
	cmd := exec.Command("sh", "-c", script, "watchdog", label+"="+run) //nolint:gosec // constants and a random name
	cmd.Stdin = end
	// In a session of its own, so that Ctrl-C in a terminal does not end it too.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := cmd.Start(); err != nil {
		return nil, errors.Join(err, held.Close())
	}
	return held, cmd.Process.Release()
})

// docker runs the docker command and returns its output without surrounding white space. The error contains the output and the
// subcommand, but not the other arguments.
func docker(ctx context.Context, args ...string) (string, error) {
	out, err := exec.CommandContext(ctx, "docker", args...).CombinedOutput() //nolint:gosec // arguments of tests
	if err != nil {
		return "", fmt.Errorf("docker %s: %w: %s", args[0], err, out)
	}
	return strings.TrimSpace(string(out)), nil
}

// mustDocker is docker, but fails the test after an error.
func mustDocker(ctx context.Context, tb testing.TB, args ...string) string {
	tb.Helper()
	out, err := docker(ctx, args...)
	if err != nil {
		tb.Fatal(err)
	}
	return out
}

package testcontainers

import (
	"context"
	"net"
	"testing"
	"time"

	tc "github.com/testcontainers/testcontainers-go"
	"github.com/testcontainers/testcontainers-go/wait"
)

// Engine starts an engine from its production image (Tesseract with the language packs, behind `uncial engine`) and
// returns its base URL. The engine is removed when the test ends.
func Engine(tb testing.TB) string {
	tb.Helper()
	req := engineRequest(mustImages(tb))
	req.ExposedPorts = []string{"8090/tcp"}
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	c, err := start(ctx, req)
	removeAfterTest(tb, c)
	if err != nil {
		tb.Fatalf("start the engine: %v", err)
	}
	return "http://" + mustEndpoint(tb, c, "8090/tcp")
}

// engineRequest describes an engine with two workers, hardened as in production, without published ports.
func engineRequest(b built) tc.ContainerRequest {
	return tc.ContainerRequest{
		Image:              b.engine,
		Env:                map[string]string{"UNCIAL_WORKERS": "2"},
		HostConfigModifier: hardened,
		// Asked from inside the container, because in a System no port of it is published.
		WaitingFor: wait.ForExec([]string{"uncial", "health", "http://127.0.0.1:8090/readyz"}).
			WithPollInterval(200 * time.Millisecond).WithStartupTimeout(time.Minute),
	}
}

// removeAfterTest removes the container when the test ends. c may be nil.
func removeAfterTest(tb testing.TB, c tc.Container) {
	tb.Helper()
	tb.Cleanup(func() { terminate(c) })
}

// terminate kills and removes the container, if there is one. If that fails, the watchdog does it later. Containers of
// tests need no orderly stop.
func terminate(c tc.Container) { _ = tc.TerminateContainer(c, tc.StopTimeout(0)) }

// endpoint returns the address (host:port) at which this machine reaches a port of the container, which is given as
// "8080/tcp". It changes when the container is restarted.
func endpoint(ctx context.Context, c tc.Container, port string) (string, error) {
	host, err := c.Host(ctx)
	if err != nil {
		return "", err
	}
	mapped, err := c.MappedPort(ctx, port)
	if err != nil {
		return "", err
	}
	return net.JoinHostPort(host, mapped.Port()), nil
}

// mustEndpoint is endpoint for tests. It has a timeout of its own, so that it works in clean-ups too.
func mustEndpoint(tb testing.TB, c tc.Container, port string) string {
	tb.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	addr, err := endpoint(ctx, c, port)
	if err != nil {
		tb.Fatal(err)
	}
	return addr
}

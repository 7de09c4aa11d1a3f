package testcontainers

import (
	"context"
	"net"
	"testing"
	"time"

	tc "github.com/testcontainers/testcontainers-go"
	"github.com/testcontainers/testcontainers-go/wait"
)

// Tesseract is the base URL of an engine in its production image: Tesseract with the language packs behind `uncial engine`.
// It goes with the test.
func Tesseract(tb testing.TB) string {
	tb.Helper()
	mustImages(tb)
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	c, err := start(ctx, engineRequest())
	removed(tb, c)
	if err != nil {
		tb.Fatalf("start the engine: %v", err)
	}
	return "http://" + mustEndpoint(tb, c, "8090/tcp")
}

// engineRequest is an engine with two workers, hardened as in production.
func engineRequest() tc.ContainerRequest {
	return tc.ContainerRequest{
		Image:              "uncial-engine:" + tag,
		Env:                map[string]string{"UNCIAL_WORKERS": "2"},
		ExposedPorts:       []string{"8090/tcp"},
		HostConfigModifier: hardened,
		WaitingFor:         wait.ForHTTP("/readyz").WithPort("8090/tcp").WithStartupTimeout(time.Minute),
	}
}

// removed removes the container at the end of the test; what is left, the watchdog removes.
func removed(tb testing.TB, c tc.Container) {
	tb.Helper()
	tb.Cleanup(func() {
		if c != nil {
			_ = tc.TerminateContainer(c, tc.StopTimeout(0))
		}
	})
}

// mustEndpoint is the address at which this machine reaches a port of the container.
func mustEndpoint(tb testing.TB, c tc.Container, port string) string {
	tb.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	host, err := c.Host(ctx)
	if err != nil {
		tb.Fatal(err)
	}
	mapped, err := c.MappedPort(ctx, port)
	if err != nil {
		tb.Fatal(err)
	}
	return net.JoinHostPort(host, mapped.Port())
}

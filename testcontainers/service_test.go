package testcontainers_test

import (
	"fmt"
	"io"
	"net"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	tc "github.com/testcontainers/testcontainers-go"
	tcexec "github.com/testcontainers/testcontainers-go/exec"

	"uncial/testcontainers"
)

// runIn runs a command in the container and returns its exit status and output.
func runIn(tb testing.TB, c tc.Container, args ...string) (status int, printed string) {
	tb.Helper()
	status, out, err := c.Exec(tb.Context(), args, tcexec.Multiplexed())
	require.NoError(tb, err)
	text, err := io.ReadAll(out)
	require.NoError(tb, err)
	return status, string(text)
}

// canConnect reports whether a TCP connection from the container succeeds within two seconds.
func canConnect(tb testing.TB, c tc.Container, host, port string) bool {
	tb.Helper()
	status, _ := runIn(tb, c, "timeout", "2", "bash", "-c", fmt.Sprintf("</dev/tcp/%s/%s", host, port))
	return status == 0
}

func TestService(t *testing.T) {
	t.Parallel()
	s := testcontainers.Service(t, testcontainers.ServiceOptions{})
	api, engine := s.Replicas[0], s.Engines[0]

	t.Run("the engine, which decodes untrusted images, reaches only the API", func(t *testing.T) {
		here, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", ":0")
		require.NoError(t, err)
		t.Cleanup(func() { _ = here.Close() })
		_, port, err := net.SplitHostPort(here.Addr().String())
		require.NoError(t, err)
		postgres, err := s.Postgres.ContainerIP(t.Context())
		require.NoError(t, err)

		// Containers of other networks reach this machine. Inspecting the default network would not always tell its address:
		// an engine that has just created that network leaves the gateway out.
		resolved := docker(t, "run", "--rm", "--add-host", "machine:host-gateway", "debian:bookworm-slim",
			"timeout", "2", "bash", "-c", "getent hosts machine && </dev/tcp/machine/"+port)
		gateway := strings.Fields(resolved)[0]
		require.True(t, canConnect(t, engine, "api1", "8080"))
		require.False(t, canConnect(t, engine, "postgres", "5432"))
		require.False(t, canConnect(t, engine, postgres, "5432"))
		require.False(t, canConnect(t, engine, gateway, port))
	})

	t.Run("only the API has the secret", func(t *testing.T) {
		const secret = "a test secret"
		require.Contains(t, docker(t, "inspect", api.GetContainerID()), secret)
		for _, c := range []tc.Container{engine, s.Postgres} {
			require.NotContains(t, docker(t, "inspect", c.GetContainerID()), secret)
		}
	})

	t.Run("the file systems are read-only, and the user is not root", func(t *testing.T) {
		for _, c := range []tc.Container{api, engine} {
			form := "{{.Config.User}} {{.HostConfig.ReadonlyRootfs}} {{.HostConfig.CapDrop}} {{.HostConfig.SecurityOpt}}"
			require.Equal(t, "65532:65532 true [ALL] [no-new-privileges]", docker(t, "inspect", "--format", form, c.GetContainerID()))
		}
		status, output := runIn(t, engine, "touch", "/tmp/file")
		require.NotZero(t, status)
		require.Contains(t, output, "Read-only file system")
		_, caps := runIn(t, engine, "grep", "CapBnd", "/proc/1/status")
		require.Equal(t, "CapBnd:\t0000000000000000", strings.TrimSpace(caps))
	})

	t.Run("ports are published on the loopback address only", func(t *testing.T) {
		require.Regexp(t, `^127\.0\.0\.1:\d+$`, docker(t, "port", api.GetContainerID(), "8080/tcp"))
		require.Empty(t, docker(t, "port", engine.GetContainerID()))
		require.Empty(t, docker(t, "port", s.Postgres.GetContainerID()))
	})
}

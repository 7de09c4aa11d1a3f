package testcontainers_test

import (
	"os"
	"os/exec"
	"testing"

	"github.com/stretchr/testify/require"

	"uncial/testcontainers"
)

// noEngineEnv tells the test binary that it was started without a container engine.
const noEngineEnv = "UNCIAL_TEST_NO_ENGINE"

// TestRequire runs itself again with a DOCKER_HOST that does not answer.
func TestRequire(t *testing.T) {
	t.Parallel()
	if os.Getenv(noEngineEnv) != "" {
		testcontainers.Require(t)
		return
	}
	for name, c := range map[string]struct{ required, verdict string }{
		"fails if containers are required": {"1", "--- FAIL: TestRequire"},
		"skips otherwise":                  {"", "--- SKIP: TestRequire"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cmd := exec.Command(os.Args[0], "-test.run=^TestRequire$", "-test.v")
			cmd.Env = append(os.Environ(), noEngineEnv+"=1", "DOCKER_HOST=tcp://127.0.0.1:1", "UNCIAL_REQUIRE_CONTAINERS="+c.required)
			out, err := cmd.CombinedOutput()
			require.Equal(t, c.required == "1", err != nil)
			require.Contains(t, string(out), c.verdict)
			require.Contains(t, string(out), "no container engine answers; run `make containers`")
			require.Contains(t, string(out), "127.0.0.1:1", "names the address")
		})
	}
}

package neural_test

import (
	"os"
	"os/exec"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestBuild_otherProcessors checks that a build for arm64 has only the plain kernels and what all processors share. If Debian's
// cross compiler (gcc-aarch64-linux-gnu) is installed, it compiles the package too.
func TestBuild_otherProcessors(t *testing.T) {
	t.Parallel()
	env := append(os.Environ(), "GOOS=linux", "GOARCH=arm64", "CGO_ENABLED=1")
	cmd := exec.CommandContext(t.Context(), "go", "list", "-f", "{{.CFiles}}", ".")
	cmd.Env = env
	out, err := cmd.Output()
	require.NoError(t, err)
	require.Equal(t, "[kernels_plain.c weights.c]\n", string(out))
	compiler, err := exec.LookPath("aarch64-linux-gnu-gcc")
	if err != nil {
		return
	}
	cmd = exec.CommandContext(t.Context(), "go", "build", ".")
	cmd.Env = append(env, "CC="+compiler)
	out, err = cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
}

package contracttests_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"uncial/impl/app/apptest"
)

// TestModule_UsedByAnother shows how another module uses gen, mock and contracttests: the module has no address on the network,
// so a replace line names a clone of it.
func TestModule_UsedByAnother(t *testing.T) {
	t.Parallel()
	root, dir := apptest.Root(t), t.TempDir()
	test, err := os.ReadFile("testdata/client/client_test.go.txt")
	require.NoError(t, err)
	sums, err := os.ReadFile(filepath.Join(root, "go.sum"))
	require.NoError(t, err)
	for name, text := range map[string]string{
		"go.mod":         fmt.Sprintf("module example.org/client\n\ngo 1.26\n\nrequire uncial v0.0.0\n\nreplace uncial => %s\n", root),
		"go.sum":         string(sums),
		"client_test.go": string(test),
	} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	cmd := exec.CommandContext(t.Context(), "go", "test", "-mod=mod", "./...")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOPROXY=off", "GOFLAGS=", "GOWORK=off")
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
	require.Contains(t, string(out), "ok")
}

package mock_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"uncial/internal/clienttest"
)

// A TypeScript client, generated from openapi.yaml by openapi-typescript and openapi-fetch and checked by the compiler, gets
// every status of both operations.
func TestOpenAPIFetch_EveryStatus(t *testing.T) {
	t.Parallel()
	for _, program := range []string{"node", "npm"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skipf("%s is missing: apt-get install nodejs npm", program)
		}
	}
	contract, err := filepath.Abs("../openapi.yaml")
	require.NoError(t, err)
	dir := t.TempDir()
	require.NoError(t, os.CopyFS(dir, os.DirFS("testdata/openapi-fetch")))
	env := []string{"CONTRACT=" + contract, "BASE_URL=" + mustServe(t)}
	clienttest.MustRun(t, dir, env, "npm", "ci", "--no-audit", "--no-fund")
	clienttest.MustRun(t, dir, env, "npm", "run", "generate")
	clienttest.MustRun(t, dir, env, "npm", "run", "check")
	require.Contains(t, clienttest.MustRun(t, dir, env, "npm", "start"), "every status of both operations")
}

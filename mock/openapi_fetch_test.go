package mock_test

import (
	"context"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"uncial/mock"
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
	srv := httptest.NewServer(mock.New(mock.Options{}))
	t.Cleanup(srv.Close)
	dir := t.TempDir()
	require.NoError(t, os.CopyFS(dir, os.DirFS("testdata/openapi-fetch")))
	env := append(os.Environ(), "CONTRACT="+contract, "BASE_URL="+srv.URL+"/api/v1")
	npm(t, dir, env, "ci", "--no-audit", "--no-fund")
	npm(t, dir, env, "run", "generate")
	npm(t, dir, env, "run", "check")
	require.Contains(t, npm(t, dir, env, "start"), "every status of both operations")
}

func npm(t *testing.T, dir string, env []string, arguments ...string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, "npm", arguments...)
	cmd.Dir, cmd.Env = dir, env
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "npm %v: %.8000s", arguments, out)
	return string(out)
}

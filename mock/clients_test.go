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

// mustServe starts a mock and returns the address of its API.
func mustServe(tb testing.TB) string {
	tb.Helper()
	srv := httptest.NewServer(mock.New(mock.Options{}))
	tb.Cleanup(srv.Close)
	return srv.URL + "/api/v1"
}

// mustRun runs a program in a folder, with further environment variables, and returns what it prints.
func mustRun(tb testing.TB, dir string, env []string, name string, arguments ...string) string {
	tb.Helper()
	ctx, cancel := context.WithTimeout(tb.Context(), 5*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, name, arguments...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), env...)
	out, err := cmd.CombinedOutput()
	require.NoErrorf(tb, err, "%s %v: %.16000s", name, arguments, out)
	return string(out)
}

func TestClients_Python(t *testing.T) {
	t.Parallel()
	mustRun(t, "../gen/clients/python", []string{"UNCIAL_URL=" + mustServe(t), "UNCIAL_KEY=ocr_test_ok_python", "UNCIAL_MOCK=1", "PYTHONDONTWRITEBYTECODE=1"},
		"/usr/bin/python3", "-m", "unittest", "-v")
}

func TestClients_TypeScript(t *testing.T) {
	t.Parallel()
	contract, err := filepath.Abs("../openapi.yaml")
	require.NoError(t, err)
	dir := t.TempDir()
	for _, name := range []string{"package.json", "package-lock.json", "tsconfig.json", "uncial.ts", "uncial.test.ts", "service.test.ts"} {
		content, err := os.ReadFile(filepath.Join("../gen/clients/typescript", name))
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), content, 0o600))
	}
	mustRun(t, dir, nil, "npm", "ci", "--no-audit", "--no-fund")
	env := []string{"CONTRACT=" + contract, "UNCIAL_URL=" + mustServe(t)}
	for _, script := range []string{"generate", "build", "test"} {
		mustRun(t, dir, env, "npm", "run", script)
	}
}

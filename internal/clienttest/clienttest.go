// Package clienttest runs the tests of the clients for Python and TypeScript against a server: the mock and the real service
// have one test each, which starts the server. The clients and their tests are in gen/clients. It also compares answers with
// the contract, for tests of handlers (RequireValid).
package clienttest

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// clients is the folder of the clients, from a package in a folder of the top level.
const clients = "../gen/clients"

// patience limits one program: npm may have to fetch packages.
const patience = 5 * time.Minute

// Python runs the tests of the client for Python. env are further environment variables, which name the server.
func Python(tb testing.TB, env ...string) {
	tb.Helper()
	MustRun(tb, filepath.Join(clients, "python"), append(env, "PYTHONDONTWRITEBYTECODE=1"), "/usr/bin/python3", "-m", "unittest", "-v")
}

// TypeScript generates and builds the client for TypeScript in a new folder, and runs one of its test scripts there.
func TypeScript(tb testing.TB, script string, env ...string) {
	tb.Helper()
	contract, err := filepath.Abs("../openapi.yaml")
	require.NoError(tb, err)
	dir := tb.TempDir()
	for _, name := range []string{"package.json", "package-lock.json", "tsconfig.json", "uncial.ts", "uncial.test.ts", "service.test.ts"} {
		content, err := os.ReadFile(filepath.Join(clients, "typescript", name))
		require.NoError(tb, err)
		require.NoError(tb, os.WriteFile(filepath.Join(dir, name), content, 0o600)) //nolint:gosec // the names are constant
	}
	MustRun(tb, dir, nil, "npm", "ci", "--no-audit", "--no-fund")
	for _, s := range []string{"generate", "build", script} {
		MustRun(tb, dir, append(env, "CONTRACT="+contract), "npm", "run", s)
	}
}

// MustRun runs a program in a folder, with further environment variables, and returns its output.
func MustRun(tb testing.TB, dir string, env []string, name string, arguments ...string) string {
	tb.Helper()
	ctx, cancel := context.WithTimeout(tb.Context(), patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, name, arguments...) //nolint:gosec // the programs are named above
	cmd.Dir, cmd.Env = dir, append(os.Environ(), env...)
	out, err := cmd.CombinedOutput()
	require.NoErrorf(tb, err, "%s %v: %.16000s", name, arguments, out)
	return string(out)
}

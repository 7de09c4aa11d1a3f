// Package apptest starts the real service for tests, with real workers and a new database. Only tests may import it,
// because it links package testing. Tests with a fake recognizer construct impl.Service themselves. Start with Start.
package apptest

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"uncial/impl/account"
	"uncial/impl/app"
	"uncial/impl/ocr/sandbox"
)

// Main is the TestMain of every package that starts the service. To confine a worker, the sandbox runs the test binary once
// more, as a shim; Main recognizes that case and runs no tests in it. It also stops the shared engine, and deletes the programs
// that Binary has built.
func Main(m *testing.M) {
	sandbox.MaybeShim()
	status := m.Run()
	if err := closeEngine(); err != nil {
		fmt.Fprintln(os.Stderr, "stop the engine:", err)
		status = 1
	}
	if dir := built.dir; dir != "" {
		_ = os.RemoveAll(dir)
	}
	os.Exit(status)
}

// built has the folder of the programs that Binary has built. The mutex keeps tests from building a program twice.
var built struct {
	sync.Mutex
	dir string
}

// Binary builds a program of this module, once for all tests of the process, and returns its path. command is its package, such
// as "./impl/cmd/uncial-worker".
func Binary(tb testing.TB, command string) string {
	tb.Helper()
	built.Lock()
	defer built.Unlock()
	if built.dir == "" {
		dir, err := os.MkdirTemp("", "uncial-bin-")
		if err != nil {
			tb.Fatal(err)
		}
		built.dir = dir
	}
	path := filepath.Join(built.dir, filepath.Base(command))
	if _, err := os.Stat(path); err == nil {
		return path
	}
	cmd := exec.Command("go", "build", "-o", path, command) //nolint:gosec // tests name commands of this module
	cmd.Dir = Root(tb)
	if out, err := cmd.CombinedOutput(); err != nil {
		tb.Fatalf("build %s: %v\n%s", command, err, out)
	}
	return path
}

// Root returns the folder of go.mod. Tests need it for paths in the repository, because they run in the folder of their
// package.
func Root(tb testing.TB) string {
	tb.Helper()
	out, err := exec.Command("go", "env", "GOMOD").Output()
	if err != nil {
		tb.Fatal(err)
	}
	return filepath.Dir(strings.TrimSpace(string(out)))
}

// Start starts the service and stops it when the test ends. It fails the test if the service does not start or stop properly.
// The defaults differ from those of package app: a new SQLite file, two workers, a free port and no log.
func Start(tb testing.TB, o app.Options) *app.App {
	tb.Helper()
	if o.Data.Database == "" {
		o.Data.Database = "sqlite:" + filepath.Join(tb.TempDir(), "uncial.db")
	}
	if o.Data.KeySecret == "" { // fixed, so that no secret file is written
		o.Data.KeySecret = "a test secret that is long enough"
	}
	if o.Listen == "" {
		o.Listen = "127.0.0.1:0"
	}
	if o.Engine.Worker == "" && o.EngineURL == "" {
		o.Engine.Worker = Binary(tb, "./impl/cmd/uncial-worker")
	}
	if o.Engine.Workers == 0 {
		o.Engine.Workers = 2
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	a, err := app.New(o)
	if err != nil {
		tb.Fatal(err)
	}
	// Registered before Start, because Stop must also close what a failed Start has opened. The context of the test has already
	// ended when this runs.
	tb.Cleanup(func() {
		if err := a.Stop(context.Background()); err != nil {
			tb.Errorf("stop the service: %v", err)
		}
	})
	if err := a.Start(tb.Context()); err != nil {
		tb.Fatal(err)
	}
	return a
}

// Key creates an account on the plan, which must be in the catalogue, and returns its ID and the token of a key. Each test of a
// shared service calls it once, so that tests share neither points nor rate limits.
func Key(tb testing.TB, a *app.App, plan string) (accountID, token string) {
	tb.Helper()
	owner, err := a.Data().Accounts.Create(tb.Context(), "test", plan)
	if err != nil {
		tb.Fatal(err)
	}
	_, token, err = a.Data().Accounts.CreateKey(tb.Context(), account.NewKey{AccountID: owner.ID, Name: "test"})
	if err != nil {
		tb.Fatal(err)
	}
	return owner.ID, token
}

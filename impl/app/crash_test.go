package app_test

import (
	"context"
	"os/exec"
	"path/filepath"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"uncial/impl/account"
	"uncial/impl/app"
	"uncial/impl/app/apptest"
	"uncial/impl/sample"
)

// TestUncial_Kill kills the server during extractions and then checks the ledger.
func TestUncial_Kill(t *testing.T) {
	t.Parallel()
	options := app.DataOptions{
		Database:  "sqlite:" + filepath.Join(t.TempDir(), "uncial.db"),
		KeySecret: "a test secret that is long enough",
	}
	data := mustOpenData(t, options, time.Now)
	owner, err := data.Accounts.Create(t.Context(), "test", "pro")
	require.NoError(t, err)
	_, key, err := data.Accounts.CreateKey(t.Context(), account.NewKey{AccountID: owner.ID, Name: "test"})
	require.NoError(t, err)
	require.NoError(t, data.Close())

	var charged atomic.Int64
	for round := range 3 {
		server, base := mustServe(t, options)
		var running sync.WaitGroup
		for range 4 {
			running.Go(func() {
				for {
					got, err := extract(context.Background(), base, key, map[string]any{"imageUrl": inline(sample.Image)})
					if err != nil {
						return
					}
					if got.Status == 200 {
						charged.Add(1)
					}
				}
			})
		}
		require.Eventually(t, func() bool { return charged.Load() > int64(round) }, 30*time.Second, 10*time.Millisecond)
		require.NoError(t, server.Process.Kill())
		_ = server.Wait()
		running.Wait()
	}

	later := func() time.Time { return time.Now().Add(10 * time.Minute) }
	data = mustOpenData(t, options, later)
	swept, err := data.Ledger.Sweep(t.Context())
	require.NoError(t, err)
	require.Positive(t, swept.Expired, "extractions were running")
	b := mustBalance(t, data, owner.ID)
	// A response may be lost after its points were settled: at most one for each connection.
	require.GreaterOrEqual(t, b.Used, 10*charged.Load())
	require.LessOrEqual(t, b.Used, 10*(charged.Load()+3*4))
	t.Logf("3 services killed during extractions: %d answers received, %d points charged, %d holds expired", charged.Load(), b.Used, swept.Expired)
	requireCorrectBooks(t, data)
}

// mustServe starts the built server and waits until it is ready.
func mustServe(tb testing.TB, o app.DataOptions, args ...string) (*exec.Cmd, string) {
	tb.Helper()
	args = append([]string{
		"serve", "--listen", "127.0.0.1:0", "--database", o.Database, "--key-secret", o.KeySecret, "--workers", "2",
		"--worker", apptest.Binary(tb, "./impl/cmd/uncial-worker"),
	}, args...)
	cmd := exec.Command(apptest.Binary(tb, "./impl/cmd/uncial"), args...)
	logs, err := cmd.StderrPipe()
	require.NoError(tb, err)
	require.NoError(tb, cmd.Start())
	tb.Cleanup(func() { _ = cmd.Process.Signal(syscall.SIGKILL); _ = cmd.Wait() })
	base := "http://" + mustReadAddress(tb, logs)
	awaitReady(tb, base)
	return cmd, base
}

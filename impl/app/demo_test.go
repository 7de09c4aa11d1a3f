package app_test

import (
	"bytes"
	"context"
	"log/slog"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"uncial/impl/app"
	"uncial/impl/app/apptest"
)

// mustDemo runs `uncial demo`, as `make run` does, until it asks for Ctrl-C, and then presses it. It returns standard output.
func mustDemo(t *testing.T, data string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, apptest.Binary(t, "./impl/cmd/uncial"), "demo", "--listen", "127.0.0.1:0", "--data", data)
	log := &bytes.Buffer{}
	cmd.Stderr = log
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	var printed []byte
	for buf := make([]byte, 4096); !bytes.Contains(printed, []byte("Press Ctrl-C to stop")); {
		n, err := out.Read(buf)
		printed = append(printed, buf[:n]...)
		require.NoError(t, err, "%s", log)
	}
	require.NoError(t, cmd.Process.Signal(unix.SIGINT))
	require.NoError(t, cmd.Wait(), "%s", log)
	return string(printed)
}

func TestDemo(t *testing.T) {
	t.Parallel()
	apptest.Binary(t, "./impl/cmd/uncial-worker") // next to uncial, which looks for it there
	data := filepath.Join(t.TempDir(), "data")
	first := mustDemo(t, data)
	for _, part := range []string{"empire of Rome", `"pointsUsed": 10`, "curl -sS http://127.0.0.1:", "Dashboard: http://127.0.0.1:", "become its first operator"} {
		require.Contains(t, first, part)
	}
	key, err := os.ReadFile(filepath.Join(data, "key"))
	require.NoError(t, err)
	second := mustDemo(t, data)
	require.Contains(t, second, string(bytes.TrimSpace(key)), "the key is kept")
	require.Contains(t, second, "Response of an earlier start, not charged again")
	require.Contains(t, second, "empire of Rome")
	d, err := app.OpenData(t.Context(), app.DataOptions{Database: "sqlite:" + filepath.Join(data, "uncial.db"), WithoutKeys: true}, slog.New(slog.DiscardHandler), time.Now)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, d.Close()) })
	list, err := d.Statements(t.Context())
	require.NoError(t, err)
	require.Len(t, list, 1)
	require.EqualValues(t, 10, list[0].PointsUsed, "the points are kept, and the page is charged once")
}

func TestDemo_UnusableFolder(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(data, "uncial.db"), 0o700)) // cannot be opened as a file, even by root
	apptest.Binary(t, "./impl/cmd/uncial-worker")
	out, err := exec.CommandContext(t.Context(), apptest.Binary(t, "./impl/cmd/uncial"), "demo", "--listen", "127.0.0.1:0", "--data", data).CombinedOutput()
	require.Error(t, err)
	require.Contains(t, string(out), "uncial: --data: database: SQLite file "+filepath.Join(data, "uncial.db"))
	require.NotContains(t, string(out), "--database")
}

func TestDemo_TakenPort(t *testing.T) {
	t.Parallel()
	taken, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer func() { _ = taken.Close() }()
	cmd := exec.CommandContext(t.Context(), apptest.Binary(t, "./impl/cmd/uncial"), "demo", "--listen", taken.Addr().String(), "--data", t.TempDir())
	apptest.Binary(t, "./impl/cmd/uncial-worker")
	out, err := cmd.CombinedOutput()
	require.Error(t, err)
	require.Contains(t, string(out), "--listen: ")
	require.Contains(t, string(out), "stop it, or choose another port")
}

package main_test

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"uncial/impl/ocr/ocrtest"
	"uncial/impl/ocr/pipe"
	"uncial/impl/sample"
)

// MustBuild compiles the command.
func MustBuild(tb testing.TB) string {
	tb.Helper()
	path := filepath.Join(tb.TempDir(), "uncial-worker")
	out, err := exec.Command("go", "build", "-o", path, ".").CombinedOutput()
	require.NoError(tb, err, string(out))
	return path
}

func TestWorker_refuses_to_run_by_hand(t *testing.T) {
	t.Parallel()
	path := MustBuild(t)
	for environment, want := range map[string]string{
		"":                         "does nothing by hand",
		pipe.ProtocolEnv + "=9999": "same build",
	} {
		cmd := exec.Command(path)
		cmd.Env = []string{environment}
		out, err := cmd.CombinedOutput()
		var exit *exec.ExitError
		require.ErrorAs(t, err, &exit)
		require.Equal(t, 2, exit.ExitCode())
		require.Contains(t, string(out), want)
	}
}

func TestWorker_answers_until_its_input_ends(t *testing.T) {
	t.Parallel()
	cmd := exec.Command(MustBuild(t))
	cmd.Env = []string{
		fmt.Sprintf("%s=%d", pipe.ProtocolEnv, pipe.Protocol),
		pipe.ModelsEnv + "=" + strings.Join([]string{t.TempDir(), ocrtest.Tessdata}, string(os.PathListSeparator)),
	}
	in, err := cmd.StdinPipe()
	require.NoError(t, err)
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	require.NoError(t, cmd.Start())
	stop := time.AfterFunc(time.Minute, func() { _ = cmd.Process.Kill() })
	defer stop.Stop()

	conn := pipe.New(out, in)
	hello, err := conn.ReceiveHello()
	require.NoError(t, err)
	require.Contains(t, hello.Languages, "en")
	require.Contains(t, hello.Models, "early_print")

	for _, signal := range []os.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP} {
		require.NoError(t, cmd.Process.Signal(signal), "signals are for the service")
	}
	require.NoError(t, conn.SendRequest(pipe.Request{ID: 1, Language: "en", Deadline: 60_000}, sample.Image))
	answer, err := conn.ReceiveAnswer()
	require.NoError(t, err)
	require.Contains(t, answer.Document.Text(), "empire of Rome")

	require.NoError(t, in.Close())
	require.NoError(t, cmd.Wait())
	require.Empty(t, stderr.String(), "nothing but errors is said on standard error")
}

func TestWorker_fails_without_its_models(t *testing.T) {
	t.Parallel()
	cmd := exec.Command(MustBuild(t))
	cmd.Env = []string{fmt.Sprintf("%s=%d", pipe.ProtocolEnv, pipe.Protocol), pipe.ModelsEnv + "=" + filepath.Join(t.TempDir(), "absent")}
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	require.ErrorAs(t, err, &exit)
	require.Equal(t, 1, exit.ExitCode())
	require.Contains(t, string(out), "absent")
}

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

func TestWorker_ExitStatus(t *testing.T) {
	t.Parallel()
	path := ocrtest.MustBuildWorker(t)
	protocol := fmt.Sprintf("%s=%d", pipe.ProtocolEnv, pipe.Protocol)
	for name, c := range map[string]struct {
		env    []string
		status int
		want   string
	}{
		"is 2 if started by hand":                    {[]string{""}, 2, "cannot be used by hand"},
		"is 2 if the service is of another build":    {[]string{pipe.ProtocolEnv + "=9999"}, 2, "same build"},
		"is 1 if the directory of models is missing": {[]string{protocol, pipe.ModelsEnv + "=" + filepath.Join(t.TempDir(), "absent")}, 1, "absent"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cmd := exec.Command(path)
			cmd.Env = c.env
			out, err := cmd.CombinedOutput()
			var exit *exec.ExitError
			require.ErrorAs(t, err, &exit)
			require.Equal(t, c.status, exit.ExitCode())
			require.Contains(t, string(out), c.want)
		})
	}
}

func TestWorker_ServesUntilInputEnds(t *testing.T) {
	t.Parallel()
	cmd := exec.Command(ocrtest.MustBuildWorker(t))
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
	request := pipe.Request{ID: 1, Language: "en", Deadline: 60_000}
	require.NoError(t, conn.SendRequest(request, sample.Image))
	answer, err := conn.ReceiveAnswer(request, nil)
	require.NoError(t, err)
	require.Contains(t, answer.Document.Text(), "empire of Rome")

	require.NoError(t, in.Close())
	require.NoError(t, cmd.Wait())
	require.Empty(t, stderr.String(), "standard error is for errors only")
}

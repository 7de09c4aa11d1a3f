package main_test

import (
	"bytes"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
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
		"is 2 if started by hand":                 {[]string{""}, 2, "cannot be used by hand"},
		"is 2 if the service is of another build": {[]string{pipe.ProtocolEnv + "=9999"}, 2, "same build"},
		"is 3 if the folder of models is missing": {[]string{protocol, pipe.ModelsEnv + "=" + filepath.Join(t.TempDir(), "absent")}, pipe.ExitModels, "absent"},
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

// child is a worker that was started as the service does, without its sandbox.
type child struct {
	*exec.Cmd
	conn   *pipe.Conn
	in     io.Closer
	stderr bytes.Buffer
}

// mustStart starts a worker. It is killed if it still runs after the time limit.
func mustStart(t *testing.T, limit time.Duration) *child {
	t.Helper()
	return mustStartCommand(t, exec.Command(ocrtest.MustBuildWorker(t)), limit)
}

// mustStartCommand starts a worker by a command, whose environment it extends.
func mustStartCommand(t *testing.T, cmd *exec.Cmd, limit time.Duration) *child {
	t.Helper()
	c := &child{Cmd: cmd}
	c.Env = append(c.Env,
		fmt.Sprintf("%s=%d", pipe.ProtocolEnv, pipe.Protocol),
		pipe.ModelsEnv+"="+strings.Join([]string{t.TempDir(), ocrtest.Tessdata}, string(os.PathListSeparator)),
		"OMP_THREAD_LIMIT=1", "OMP_NUM_THREADS=1", "MALLOC_ARENA_MAX=1",
	)
	in, err := c.StdinPipe()
	require.NoError(t, err)
	out, err := c.StdoutPipe()
	require.NoError(t, err)
	c.Stderr = &c.stderr
	require.NoError(t, c.Start())
	stop := time.AfterFunc(limit, func() { _ = c.Process.Kill() })
	t.Cleanup(func() { stop.Stop() })
	c.in, c.conn = in, pipe.New(out, in)
	return c
}

// mustRead has the worker read an image.
func (c *child) mustRead(t *testing.T, request pipe.Request, image []byte) pipe.Answer {
	t.Helper()
	require.NoError(t, c.conn.SendRequest(request, image))
	answer, err := c.conn.ReceiveAnswer(request, nil)
	require.NoError(t, err)
	return answer
}

// mustEnd ends the worker by the end of its input.
func (c *child) mustEnd(t *testing.T) {
	t.Helper()
	require.NoError(t, c.in.Close())
	require.NoError(t, c.Wait())
	require.Empty(t, c.stderr.String(), "standard error is for errors only")
}

func TestWorker_ServesUntilInputEnds(t *testing.T) {
	t.Parallel()
	cmd := mustStart(t, time.Minute)
	conn := cmd.conn
	hello, err := conn.ReceiveHello()
	require.NoError(t, err)
	require.Contains(t, hello.Languages, "en")
	require.Contains(t, hello.Models, "early_print")

	for _, signal := range []os.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP} {
		require.NoError(t, cmd.Process.Signal(signal), "signals are for the service")
	}
	request := pipe.Request{ID: 1, Language: "en", Deadline: 60_000}
	require.Contains(t, cmd.mustRead(t, request, sample.Image).Document.Text(), "empire of Rome")
	cmd.mustEnd(t)
}

// A worker may use as many threads as it was granted, for the models of Tesseract and for our own networks. Its processor time
// is then at most the elapsed time times that number, however busy the machine is. The garbage collector gets half a thread
// more.
func TestWorker_UsesTheThreadsGranted(t *testing.T) {
	t.Parallel()
	c := mustStart(t, 5*time.Minute)
	_, err := c.conn.ReceiveHello()
	require.NoError(t, err)
	sheet := ocrtest.BlankPage(1600, 1400)
	for y := 200; y < 1200; y += 120 {
		ocrtest.Scribble(sheet, 150, 1450, 40, func(float64) float64 { return float64(y) }, uint64(y))
	}
	written := ocrtest.MustPNG(t, sheet)
	for i, threads := range []int{1, 2} {
		before, began := mustCPU(t, c.Process.Pid), time.Now()
		c.mustRead(t, pipe.Request{ID: uint64(2*i + 1), Language: "fr", Deadline: 120_000, Threads: threads}, written)
		c.mustRead(t, pipe.Request{ID: uint64(2*i + 2), Language: "en", Deadline: 120_000, Threads: threads}, sample.Image)
		used, elapsed := mustCPU(t, c.Process.Pid)-before, time.Since(began)
		require.Less(t, used, time.Duration((float64(threads)+0.5)*float64(elapsed)), "%d threads granted, in %s", threads, elapsed)
	}
	c.mustEnd(t)
}

// mustCPU returns the processor time that a process has used.
func mustCPU(t *testing.T, pid int) time.Duration {
	t.Helper()
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	require.NoError(t, err)
	fields := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')'):])) // from the state on
	var ticks time.Duration
	for _, field := range fields[12:14] { // utime and stime, in hundredths of a second
		n, err := strconv.Atoi(field)
		require.NoError(t, err)
		ticks += time.Duration(n)
	}
	return ticks * 10 * time.Millisecond
}

// pages is the number of pages that TestWorker_KeepsItsMemory reads: go test ./impl/cmd/uncial-worker -run Memory -pages 3000
var pages = flag.Int("pages", 40, "pages that a worker reads while its memory is watched")

func TestWorker_KeepsItsMemory(t *testing.T) {
	t.Parallel()
	c := mustStart(t, time.Hour)
	_, err := c.conn.ReceiveHello()
	require.NoError(t, err)
	image := ocrtest.MustPNG(t, ocrtest.Page("A worker reads page after page", "in the same memory"))
	settled := 0
	for i := range *pages {
		c.mustRead(t, pipe.Request{ID: uint64(i + 1), Language: []string{"en", "de"}[i%2], Deadline: 120_000, Threads: 1 + i%2}, image)
		if i == *pages/4 {
			settled = mustResident(t, c.Process.Pid)
		}
	}
	const maxGrowth = 24 // MiB: what the allocators keep differs from page to page
	require.Less(t, mustResident(t, c.Process.Pid)-settled, maxGrowth, "after %d MiB", settled)
	c.mustEnd(t)
}

// mustResident returns the memory of a process in MiB.
func mustResident(t *testing.T, pid int) int {
	t.Helper()
	statm, err := os.ReadFile(fmt.Sprintf("/proc/%d/statm", pid))
	require.NoError(t, err)
	n, err := strconv.Atoi(strings.Fields(string(statm))[1])
	require.NoError(t, err)
	return n * os.Getpagesize() >> 20
}

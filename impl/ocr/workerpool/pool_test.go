package workerpool_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"uncial/impl/ocr"
	"uncial/impl/ocr/ocrtest"
	"uncial/impl/ocr/pipe"
	"uncial/impl/ocr/sandbox"
	"uncial/impl/ocr/workerpool"
	"uncial/internal/logtest"

	"github.com/stretchr/testify/require"
)

func TestMain(m *testing.M) {
	sandbox.MaybeShim()
	ocrtest.MaybeWorker()
	os.Exit(m.Run())
}

// MustOpen opens a pool of scripted workers.
func MustOpen(tb testing.TB, o workerpool.Options) *workerpool.Pool {
	tb.Helper()
	o.Worker, o.Sandbox = ocrtest.MustSelf(tb), sandbox.Off
	return mustNew(tb, o)
}

func mustNew(tb testing.TB, o workerpool.Options) *workerpool.Pool {
	tb.Helper()
	p, err := workerpool.New(tb.Context(), o)
	require.NoError(tb, err)
	tb.Cleanup(func() { require.NoError(tb, p.Close()) })
	return p
}

// MustOpenWatched also returns the processes of the pool.
func MustOpenWatched(tb testing.TB, o workerpool.Options) (*workerpool.Pool, *processes) {
	tb.Helper()
	ps := newProcesses()
	o.Logger = slog.New(ps)
	return MustOpen(tb, o), ps
}

func subject(p *workerpool.Pool) ocrtest.Subject {
	return ocrtest.Subject{Recognizer: p, Load: func() (int, int) { l := p.Load(); return l.Busy, l.Queued }}
}

// read runs the script in a scripted worker and returns the text.
func read(ctx context.Context, p *workerpool.Pool, script string) (string, error) {
	doc, err := p.Recognize(ctx, ocr.Request{Image: []byte(script), Language: ocrtest.Language})
	if err != nil {
		return "", err
	}
	return doc.Text(), nil
}

func requireText(t *testing.T, p *workerpool.Pool, want string) {
	t.Helper()
	text, err := read(t.Context(), p, "text "+want)
	require.NoError(t, err)
	require.Equal(t, want, text)
}

// readTimes starts n readings of the script; their errors arrive in the channel.
func readTimes(t *testing.T, p *workerpool.Pool, n int, script string) <-chan error {
	t.Helper()
	errs := make(chan error, n)
	for range n {
		go func() { _, err := read(t.Context(), p, script); errs <- err }()
	}
	return errs
}

// processes is a log handler that collects the processes that a pool starts from its log.
type processes struct {
	slog.Handler
	pid  int64
	pids *sync.Map
}

func newProcesses() *processes { return &processes{Handler: slog.DiscardHandler, pids: &sync.Map{}} }

func (*processes) Enabled(context.Context, slog.Level) bool { return true }

func (ps *processes) WithAttrs(attrs []slog.Attr) slog.Handler {
	for _, a := range attrs {
		if a.Key == "worker" {
			return &processes{Handler: ps.Handler, pid: a.Value.Int64(), pids: ps.pids}
		}
	}
	return ps
}

func (ps *processes) Handle(_ context.Context, e slog.Record) error {
	if e.Message == "worker ready" {
		ps.pids.Store(int(ps.pid), true)
	}
	return nil
}

// idle returns the processes of the pool once all of them are idle.
func (ps *processes) idle(t *testing.T, p *workerpool.Pool) []int {
	t.Helper()
	ocrtest.Eventually(t, "all workers are idle", func() bool { return p.Stats().Idle == p.Stats().Workers })
	var pids []int
	ps.pids.Range(func(pid, _ any) bool {
		if syscall.Kill(pid.(int), 0) == nil {
			pids = append(pids, pid.(int))
		}
		return true
	})
	require.Len(t, pids, p.Stats().Workers)
	return pids
}

// killAll kills every process and returns their number: more than the workers while a replacement starts.
func (ps *processes) killAll() (killed int) {
	ps.pids.Range(func(pid, _ any) bool {
		if syscall.Kill(pid.(int), syscall.SIGKILL) == nil {
			killed++
		}
		ps.pids.Delete(pid)
		return true
	})
	return killed
}

// kill kills the processes and waits until they are gone.
func kill(t *testing.T, pids []int) {
	t.Helper()
	for _, pid := range pids {
		require.NoError(t, syscall.Kill(pid, syscall.SIGKILL))
		ocrtest.Eventually(t, "the process is gone", func() bool { return syscall.Kill(pid, 0) != nil })
	}
}

// suspend stops the process and waits until none of its threads runs any more.
func suspend(t *testing.T, pid int) {
	t.Helper()
	require.NoError(t, syscall.Kill(pid, syscall.SIGSTOP))
	ocrtest.Eventually(t, "all threads are stopped", func() bool {
		stats, err := filepath.Glob("/proc/" + strconv.Itoa(pid) + "/task/*/stat")
		require.NoError(t, err)
		return !slices.ContainsFunc(stats, func(path string) bool {
			stat, _ := os.ReadFile(path)
			return !bytes.Contains(stat, []byte(") T "))
		})
	})
}

func TestNew(t *testing.T) {
	t.Parallel()
	script := func(text string) workerpool.Options {
		return workerpool.Options{Models: []string{ocrtest.MustScriptStart(t, text)}}
	}
	hangs := script("hang")
	hangs.Start = 200 * time.Millisecond
	for name, c := range map[string]struct {
		opts workerpool.Options
		want string
	}{
		"names a missing worker":               {workerpool.Options{Worker: "/nowhere/uncial-worker"}, "worker program /nowhere/uncial-worker not found"},
		"refuses a relative path":              {workerpool.Options{Worker: "uncial-worker"}, "expected an absolute path"},
		"refuses a file that is not a program": {workerpool.Options{Worker: "/etc/passwd"}, "is not an executable program"},
		"names a missing model folder":         {workerpool.Options{Models: []string{"/nowhere/models"}}, `model folder "/nowhere/models"`},
		"repeats what the worker printed":      {script("internal no model in /usr/share/x"), "no model in /usr/share/x"},
		"repeats the exit status":              {script("exit 7"), "exit status 7"},
		"refuses a worker without languages":   {script("no languages"), "no models were found"},
		"refuses a worker of another build":    {script("hello 99"), "protocol 99"},
		"refuses a worker that sends garbage":  {script("garbage"), "is not uncial-worker: it sent something other than a hello"},
		"gives up on a worker that hangs":      {hangs, "did not send its hello within 200ms; either it is not uncial-worker, or this machine is overloaded"},
		"refuses a program that ends at once":  {workerpool.Options{Worker: "/bin/true"}, "/bin/true is not uncial-worker: it ended with exit status 0"},
		"repeats which model cannot be used":   {script("exit " + strconv.Itoa(pipe.ExitModels)), ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := c.opts
			o.Sandbox = sandbox.Off
			if o.Worker == "" {
				o.Worker = ocrtest.MustSelf(t)
			}
			_, err := workerpool.New(t.Context(), o)
			require.ErrorContains(t, err, c.want)
			_, isModel := errors.AsType[*workerpool.ModelError](err)
			require.Equal(t, c.want == "", isModel, "%v", err)
			if strings.Contains(c.want, "not uncial-worker") || strings.Contains(c.want, "executable") {
				_, isProgram := errors.AsType[*workerpool.ProgramError](err)
				require.True(t, isProgram, "%v", err)
			}
		})
	}
}

func TestPool_Logger(t *testing.T) {
	t.Parallel()
	var log logtest.Buffer
	p := MustOpen(t, workerpool.Options{Workers: 1, Logger: slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))})
	_, err := read(t.Context(), p, "crash")
	require.Error(t, err)
	_, err = read(t.Context(), p, "stderr 500000\ntext a")
	require.NoError(t, err)
	require.NoError(t, p.Shutdown(t.Context()))
	require.Contains(t, log.String(), "engine=scripted")
	require.Contains(t, log.String(), "trained_models=[]")
	require.Contains(t, log.String(), "sandbox.mode=off")
	require.Contains(t, log.String(), "engine.c:17", "the reason of the crash")
	require.Less(t, strings.Count(log.String(), "x"), 270_000, "the output of a worker is bounded")
}

// BenchmarkPool_Recognize measures the time that the pool adds to reading a page of 1 MB: the scripted worker does not read
// anything.
func BenchmarkPool_Recognize(b *testing.B) {
	p := MustOpen(b, workerpool.Options{Workers: 1})
	image := append([]byte("text a\n"), bytes.Repeat([]byte("\n"), 1<<20)...)
	for b.Loop() {
		_, err := p.Recognize(b.Context(), ocr.Request{Image: image, Language: ocrtest.Language})
		require.NoError(b, err)
	}
}

func ExamplePool() {
	pool, err := workerpool.New(context.Background(), workerpool.Options{
		Worker: "/usr/local/bin/uncial-worker",
		Models: []string{"/usr/share/tesseract-ocr/5/tessdata"},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer func() { _ = pool.Close() }()
}

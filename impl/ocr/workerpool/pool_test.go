package workerpool_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"uncial/impl/ocr"
	"uncial/impl/ocr/ocrtest"
	"uncial/impl/ocr/sandbox"
	"uncial/impl/ocr/workerpool"

	"github.com/stretchr/testify/require"
)

func TestMain(m *testing.M) {
	sandbox.MaybeShim()
	ocrtest.MaybeWorker()
	os.Exit(m.Run())
}

// self is this test binary, which is the scripted worker.
func self(tb testing.TB) string {
	tb.Helper()
	path, err := os.Executable()
	require.NoError(tb, err)
	return path
}

func MustOpen(tb testing.TB, o workerpool.Options) *workerpool.Pool {
	tb.Helper()
	o.Worker, o.Sandbox = self(tb), sandbox.Off
	p, err := workerpool.New(tb.Context(), o)
	require.NoError(tb, err)
	tb.Cleanup(func() { require.NoError(tb, p.Close()) })
	return p
}

func subject(p *workerpool.Pool) ocrtest.Subject {
	return ocrtest.Subject{Recognizer: p, Load: func() (int, int) { l := p.Load(); return l.Busy, l.Queued }}
}

func TestPool_Recognize(t *testing.T) {
	t.Parallel()
	ocrtest.Run(t, ocrtest.Scripted(func(tb testing.TB, o ocrtest.Options) ocrtest.Subject {
		tb.Helper()
		return subject(MustOpen(tb, workerpool.Options{Workers: o.Workers, Queue: o.Queue, Deadline: o.Deadline, Wait: time.Minute}))
	}))
}

func read(ctx context.Context, p *workerpool.Pool, script string) (string, error) {
	doc, err := p.Recognize(ctx, ocr.Request{Image: []byte(script), Language: ocrtest.Language})
	if err != nil {
		return "", err
	}
	return doc.Text(), nil
}

func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for end := time.Now().Add(30 * time.Second); !ok(); time.Sleep(time.Millisecond) {
		require.True(t, time.Now().Before(end), "never: %s", what)
	}
}

func TestPool_Recognize_dropsAChildThat(t *testing.T) {
	t.Parallel()
	for what, script := range map[string]string{
		"answers garbage":             "garbage",
		"answers without end":         "huge",
		"answers another request":     "wrong id",
		"ends in good order":          "exit 0",
		"ends with a status":          "exit 3",
		"panics":                      "crash",
		"dies with much on its mind":  "stderr 3000000\ncrash",
		"answers too many pages":      "pages 11",
		"answers with no pages":       "pages 0",
		"answers a word with a blank": "text a b",
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			p := MustOpen(t, workerpool.Options{Workers: 1})
			_, err := read(t.Context(), p, script)
			require.EqualError(t, err, "the worker failed")
			text, err := read(t.Context(), p, "text next")
			require.NoError(t, err)
			require.Equal(t, "next", text)
			s := p.Stats()
			require.EqualValues(t, 1, s.Crashes, "the image was not tried on a second child")
			require.EqualValues(t, 1, s.Restarts)
		})
	}
}

func TestPool_Recognize_keepsAChildThatReportsAnError(t *testing.T) {
	t.Parallel()
	p := MustOpen(t, workerpool.Options{Workers: 1})
	_, err := read(t.Context(), p, "image want a PNG")
	require.EqualError(t, err, "want a PNG")
	_, err = read(t.Context(), p, "internal /usr/share/tessdata is gone")
	require.EqualError(t, err, "the worker failed")
	_, err = read(t.Context(), p, "timeout")
	require.ErrorIs(t, err, ocr.ErrTimeout)
	require.Zero(t, p.Stats().Restarts)
}

func TestPool_Recognize_aChildThatDiedWhileIdleCostsNoImage(t *testing.T) {
	t.Parallel()
	children := newRoster()
	p := MustOpen(t, workerpool.Options{Workers: 1, Logger: slog.New(children)})
	for range 5 {
		kill(t, children.alive(t, p))
		text, err := read(t.Context(), p, "text alive")
		require.NoError(t, err)
		require.Equal(t, "alive", text)
	}
}

// roster learns from the log which processes a pool has.
type roster struct {
	slog.Handler
	pid  int64
	pids *sync.Map
}

func newRoster() *roster { return &roster{Handler: slog.DiscardHandler, pids: &sync.Map{}} }

func (*roster) Enabled(context.Context, slog.Level) bool { return true }

func (r *roster) WithAttrs(attrs []slog.Attr) slog.Handler {
	for _, a := range attrs {
		if a.Key == "worker" {
			return &roster{Handler: r.Handler, pid: a.Value.Int64(), pids: r.pids}
		}
	}
	return r
}

func (r *roster) Handle(_ context.Context, e slog.Record) error {
	if e.Message == "a worker is ready" {
		r.pids.Store(int(r.pid), true)
	}
	return nil
}

// alive are the processes of the pool, once all are idle.
func (r *roster) alive(t *testing.T, p *workerpool.Pool) []int {
	t.Helper()
	eventually(t, "the children are idle", func() bool { return p.Stats().Idle == p.Stats().Workers })
	var pids []int
	r.pids.Range(func(pid, _ any) bool {
		if syscall.Kill(pid.(int), 0) == nil {
			pids = append(pids, pid.(int))
		}
		return true
	})
	require.Len(t, pids, p.Stats().Workers)
	return pids
}

func kill(t *testing.T, pids []int) {
	t.Helper()
	for _, pid := range pids {
		require.NoError(t, syscall.Kill(pid, syscall.SIGKILL))
		eventually(t, "it is gone", func() bool { return syscall.Kill(pid, 0) != nil })
	}
}

func TestPool_Recognize_aChildThatDiesBeforeItHasTheImageCostsNoImage(t *testing.T) {
	t.Parallel()
	children := newRoster()
	p := MustOpen(t, workerpool.Options{Workers: 1, Logger: slog.New(children)})
	pids := children.alive(t, p)
	require.NoError(t, syscall.Kill(pids[0], syscall.SIGSTOP))
	type answer struct {
		text string
		err  error
	}
	done := make(chan answer)
	go func() {
		text, err := read(t.Context(), p, "text alive\n"+strings.Repeat("\n", 1<<20)) // more than a pipe holds
		done <- answer{text, err}
	}()
	eventually(t, "it is being sent", func() bool { return p.Stats().Busy == 1 })
	kill(t, pids)
	require.Equal(t, answer{"alive", nil}, <-done)
	require.Zero(t, p.Stats().Crashes)
}

func TestPool_Recognize_isFair(t *testing.T) {
	t.Parallel()
	p := MustOpen(t, workerpool.Options{Workers: 1, Queue: 8})
	gate := filepath.Join(t.TempDir(), "gate")
	require.NoError(t, os.WriteFile(gate, nil, 0o600))
	var wg sync.WaitGroup
	wg.Go(func() { _, _ = read(t.Context(), p, "hold "+gate) })
	eventually(t, "the first is being read", func() bool { return p.Stats().Busy == 1 })
	var mu sync.Mutex
	var order []int
	for i := range 8 {
		wg.Go(func() {
			_, err := read(t.Context(), p, "sleep 5ms")
			mu.Lock()
			defer mu.Unlock()
			if err == nil {
				order = append(order, i)
			}
		})
		eventually(t, "it waits", func() bool { return p.Stats().Queued == i+1 })
	}
	require.NoError(t, os.Remove(gate))
	wg.Wait()
	require.Equal(t, []int{0, 1, 2, 3, 4, 5, 6, 7}, order)
}

func TestPool_Recognize_givesUpWaiting(t *testing.T) {
	t.Parallel()
	p := MustOpen(t, workerpool.Options{Workers: 1, Queue: 4, Deadline: 200 * time.Millisecond})
	errs := make(chan error, 4)
	for range 4 {
		go func() { _, err := read(t.Context(), p, "hang"); errs <- err }()
	}
	var late, busy int
	for range 4 {
		err := <-errs
		switch {
		case errors.Is(err, ocr.ErrTimeout):
			late++
		case errors.Is(err, ocr.ErrBusy):
			busy++
		default:
			require.NoError(t, err)
		}
	}
	require.Positive(t, late)
	require.Positive(t, busy)
	require.EqualValues(t, late, p.Stats().Timeouts)
	require.EqualValues(t, busy, p.Stats().Refused)
}

func TestPool_Recognize_refusesALanguageThatNoWorkerReads(t *testing.T) {
	t.Parallel()
	p := MustOpen(t, workerpool.Options{Workers: 1})
	_, err := p.Recognize(t.Context(), ocr.Request{Image: []byte("text a"), Language: "tlh"})
	require.ErrorContains(t, err, "tlh")
}

func TestPool_retiresChildren(t *testing.T) {
	t.Parallel()
	p := MustOpen(t, workerpool.Options{Workers: 2, MaxPages: 10})
	eventually(t, "both are ready", func() bool { return p.Stats().Ready == 2 })
	eventually(t, "children were replaced", func() bool {
		_, err := read(t.Context(), p, "pages 3")
		require.NoError(t, err)
		require.GreaterOrEqual(t, p.Stats().Ready, 2, "capacity never dips")
		return p.Stats().Retired >= 3
	})
	require.Zero(t, p.Stats().Restarts)
}

func TestPool_startsAgainWhenWorkersCanStartAgain(t *testing.T) {
	t.Parallel()
	dir, children := ocrtest.MustScriptStart(t, ""), newRoster()
	p := MustOpen(t, workerpool.Options{Workers: 1, Models: []string{dir}, Logger: slog.New(children)})
	ocrtest.MustRewriteStart(t, dir, "exit 9")
	kill(t, children.alive(t, p))
	eventually(t, "no child is ready", func() bool { return p.Stats().Ready == 0 })
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	_, err := read(ctx, p, "text a")
	require.ErrorIs(t, err, context.DeadlineExceeded)
	ocrtest.MustRewriteStart(t, dir, "")
	text, err := read(t.Context(), p, "text again")
	require.NoError(t, err)
	require.Equal(t, "again", text)
}

func TestPool_Shutdown_letsImagesEnd(t *testing.T) {
	t.Parallel()
	p := MustOpen(t, workerpool.Options{Workers: 1, Queue: 4})
	errs := make(chan error, 3)
	for range 3 {
		go func() { _, err := read(t.Context(), p, "sleep 20ms\ntext a"); errs <- err }()
	}
	eventually(t, "one is being read and two wait", func() bool { s := p.Stats(); return s.Busy == 1 && s.Queued == 2 })
	require.NoError(t, p.Shutdown(t.Context()))
	for range 3 {
		require.NoError(t, <-errs)
	}
	_, err := read(t.Context(), p, "text a")
	require.ErrorIs(t, err, ocr.ErrBusy)
	require.NoError(t, p.Shutdown(t.Context()), "a second time it does nothing")
	require.NoError(t, p.Close(), "nor does this")
}

func TestPool_Shutdown_killsWhatDoesNotEnd(t *testing.T) {
	t.Parallel()
	p := MustOpen(t, workerpool.Options{Workers: 1, Queue: 4})
	errs := make(chan error, 3)
	for range 3 {
		go func() { _, err := read(t.Context(), p, "hang"); errs <- err }()
	}
	eventually(t, "one is being read and two wait", func() bool { s := p.Stats(); return s.Busy == 1 && s.Queued == 2 })
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	require.ErrorIs(t, p.Shutdown(ctx), context.DeadlineExceeded)
	for range 3 {
		require.ErrorIs(t, <-errs, ocr.ErrBusy)
	}
	require.Zero(t, p.Stats().Ready)
}

// Not parallel: it counts goroutines.
func TestPool_Shutdown_leavesNothing(t *testing.T) {
	before := runtime.NumGoroutine()
	p := MustOpen(t, workerpool.Options{Workers: 3, MaxPages: 2, Deadline: 100 * time.Millisecond})
	var wg sync.WaitGroup
	for i := range 12 {
		wg.Go(func() { _, _ = read(t.Context(), p, []string{"text a", "crash", "hang", "pages 2"}[i%4]) })
	}
	wg.Wait()
	require.NoError(t, p.Shutdown(t.Context()))
	eventually(t, "its goroutines end", func() bool { return runtime.NumGoroutine() <= before })
	var status syscall.WaitStatus
	_, err := syscall.Wait4(-1, &status, syscall.WNOHANG, nil)
	require.ErrorIs(t, err, syscall.ECHILD, "no child is left, not even a zombie")
}

func TestNew_saysWhyNoWorkerCanStart(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		why    string
		script string
		worker string
		models string
		want   string
	}{
		{why: "the worker is missing", worker: "/nowhere/uncial-worker", want: "the worker /nowhere/uncial-worker is missing"},
		{why: "its path is not absolute", worker: "uncial-worker", want: "must be absolute"},
		{why: "the worker is no program", worker: "/etc/passwd", want: "is not an executable program"},
		{why: "a directory of models is missing", models: "/nowhere/models", want: `directory "/nowhere/models"`},
		{why: "the worker gives up", script: "internal no model in /usr/share/x", want: "no model in /usr/share/x"},
		{why: "the worker ends without a word", script: "exit 7", want: "exit status 7"},
		{why: "the worker reads no language", script: "no languages", want: "no models were found"},
		{why: "the worker is of another build", script: "hello 99", want: "protocol 99"},
		{why: "the worker says something else", script: "garbage", want: "start the worker: pipe"},
		{why: "the worker hangs", script: "hang", want: "did not say hello in time"},
	} {
		t.Run(c.why, func(t *testing.T) {
			t.Parallel()
			o := workerpool.Options{Worker: self(t), Sandbox: sandbox.Off, Start: 20 * time.Second}
			if c.script != "" {
				o.Models = []string{ocrtest.MustScriptStart(t, c.script)}
			}
			if c.script == "hang" {
				o.Start = 200 * time.Millisecond
			}
			if c.models != "" {
				o.Models = []string{c.models}
			}
			if c.worker != "" {
				o.Worker = c.worker
			}
			_, err := workerpool.New(t.Context(), o)
			require.ErrorContains(t, err, c.want)
		})
	}
}

func TestNew_logsTheWorkersAndTheirWords(t *testing.T) {
	t.Parallel()
	var log syncBuffer
	p := MustOpen(t, workerpool.Options{Workers: 1, Logger: slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))})
	_, err := read(t.Context(), p, "crash")
	require.Error(t, err)
	_, err = read(t.Context(), p, "stderr 500000\ntext a")
	require.NoError(t, err)
	require.NoError(t, p.Shutdown(t.Context()))
	require.Contains(t, log.String(), "engine=scripted")
	require.Contains(t, log.String(), "sandbox.mode=off")
	require.Contains(t, log.String(), "engine.c:17", "the reason of the crash")
	require.Less(t, strings.Count(log.String(), "x"), 270_000, "what a child says is bounded")
}

type syncBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (s *syncBuffer) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.Write(p)
}

func (s *syncBuffer) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.String()
}

// BenchmarkPool_Recognize is what the pool adds to the reading of a page of 1 MB: the worker reads nothing.
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

package workerpool_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"uncial/impl/ocr"
	"uncial/impl/ocr/ocrtest"
	"uncial/impl/ocr/workerpool"
	"uncial/internal/fair"

	"github.com/stretchr/testify/require"
)

func TestPool_Recognize(t *testing.T) {
	t.Parallel()
	ocrtest.Run(t, ocrtest.Scripted(func(tb testing.TB, o ocrtest.Options) ocrtest.Subject {
		tb.Helper()
		return subject(MustOpen(tb, workerpool.Options{Workers: o.Workers, Queue: o.Queue, Deadline: o.Deadline, Wait: time.Minute}))
	}))
	t.Run("keeps a worker that reports an error", func(t *testing.T) {
		t.Parallel()
		p := MustOpen(t, workerpool.Options{Workers: 1})
		_, err := read(t.Context(), p, "image want a PNG")
		require.EqualError(t, err, "want a PNG")
		_, err = read(t.Context(), p, "internal /usr/share/tessdata is gone")
		require.EqualError(t, err, "the worker failed")
		_, err = read(t.Context(), p, "timeout")
		require.ErrorIs(t, err, ocr.ErrTimeout)
		require.Zero(t, p.Stats().Restarts)
	})
	t.Run("refuses a language that no worker reads", func(t *testing.T) {
		t.Parallel()
		p := MustOpen(t, workerpool.Options{Workers: 1})
		_, err := p.Recognize(t.Context(), ocr.Request{Image: []byte("text a"), Language: "tlh"})
		require.ErrorContains(t, err, "tlh")
	})
	t.Run("refuses an image that waited too long", func(t *testing.T) {
		t.Parallel()
		p := MustOpen(t, workerpool.Options{Workers: 1, Queue: 4, Deadline: 200 * time.Millisecond})
		errs := readTimes(t, p, 4, "hang")
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
	})
}

func TestPool_Recognize_ReplacesWorker(t *testing.T) {
	t.Parallel()
	for name, script := range map[string]string{
		"that sends garbage":                   "garbage",
		"that sends an answer without end":     "huge",
		"that answers another request":         "wrong id",
		"that answers in another language":     "wrong language",
		"that corrects without being asked":    "wrong enhancement",
		"that floods its standard error":       "stderr 40000000\ntext a",
		"that floods it with empty lines":      "empty 40000000\ntext a",
		"that exits with status 0":             "exit 0",
		"that exits with status 3":             "exit 3",
		"that panics":                          "crash",
		"that prints megabytes and panics":     "stderr 3000000\ncrash",
		"that returns too many pages":          "pages 11",
		"that returns no pages":                "pages 0",
		"that returns a word with white space": "text a b",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := MustOpen(t, workerpool.Options{Workers: 1})
			_, err := read(t.Context(), p, script)
			require.EqualError(t, err, "the worker failed")
			requireText(t, p, "next")
			s := p.Stats()
			require.EqualValues(t, 1, s.Crashes, "the image was not tried on a second worker")
			require.EqualValues(t, 1, s.Restarts)
		})
	}
}

func TestPool_Recognize_RefusesImageThatTimedOut(t *testing.T) {
	t.Parallel()
	// On a busy machine, the worker gets a small share of a core: a fortieth of 4 s is 0.1 s.
	p := MustOpen(t, workerpool.Options{Workers: 1, Deadline: 4 * time.Second}.WithExhaustedDivisor(40))
	var invalid *ocr.ImageError
	ocrtest.Eventually(t, "the image is refused", func() bool {
		started := time.Now()
		_, err := read(t.Context(), p, "spin")
		if errors.As(err, &invalid) {
			require.Less(t, time.Since(started), 4*time.Second, "it is refused before a worker gets it")
			return true
		}
		require.ErrorIs(t, err, ocr.ErrTimeout)
		return false
	})
	require.Contains(t, invalid.Reason, "timed out less than ten minutes ago")
	_, err := read(t.Context(), p, "hang")
	require.ErrorIs(t, err, ocr.ErrTimeout)
	_, err = read(t.Context(), p, "hang")
	require.ErrorIs(t, err, ocr.ErrTimeout, "an image that only waits uses no core")
	requireText(t, p, "next")
}

func TestPool_Recognize_RefusesQueuedCopiesOfImageThatTimedOut(t *testing.T) {
	t.Parallel()
	p := MustOpen(t, workerpool.Options{Workers: 1, Deadline: 4 * time.Second, Wait: time.Minute}.WithExhaustedDivisor(40))
	ocrtest.Eventually(t, "the copy is refused", func() bool { // on a busy machine, the first copy gets too small a share of a core
		errs := make(chan error)
		for range 2 {
			go func() {
				_, err := read(t.Context(), p, "spin")
				errs <- err
			}()
		}
		var invalid *ocr.ImageError
		first, second := <-errs, <-errs
		require.ErrorIs(t, first, ocr.ErrTimeout)
		return errors.As(second, &invalid)
	})
}

func TestPool_Recognize_RequeuesImage(t *testing.T) {
	t.Parallel()
	t.Run("requeues the image when the worker died while idle", func(t *testing.T) {
		t.Parallel()
		p, ps := MustOpenWatched(t, workerpool.Options{Workers: 1})
		for range 5 {
			kill(t, ps.idle(t, p))
			requireText(t, p, "alive")
		}
	})
	for name, image := range map[string]string{
		"requeues the image when the worker died before it had the whole image": strings.Repeat("\n", 1<<20), // more than a pipe holds
		"requeues the image when the worker died before it read the pipe":       "",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p, ps := MustOpenWatched(t, workerpool.Options{Workers: 1})
			pids := ps.idle(t, p)
			suspend(t, pids[0])
			texts := make(chan string)
			go func() {
				text, _ := read(t.Context(), p, "text alive\n"+image)
				texts <- text
			}()
			ocrtest.Eventually(t, "the image is being sent", func() bool { return p.Stats().Busy == 1 })
			kill(t, pids)
			require.Equal(t, "alive", <-texts)
			require.Zero(t, p.Stats().Crashes)
		})
	}
}

func TestPool_Recognize_ServesInOrder(t *testing.T) {
	t.Parallel()
	p := MustOpen(t, workerpool.Options{Workers: 1, Queue: 8})
	gate := filepath.Join(t.TempDir(), "gate")
	require.NoError(t, os.WriteFile(gate, nil, 0o600))
	var wg sync.WaitGroup
	wg.Go(func() { _, _ = read(t.Context(), p, "hold "+gate) })
	ocrtest.Eventually(t, "the first image is being read", func() bool { return p.Stats().Busy == 1 })
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
		ocrtest.Eventually(t, "the image waits", func() bool { return p.Stats().Queued == i+1 })
	}
	require.NoError(t, os.Remove(gate))
	wg.Wait()
	require.Equal(t, []int{0, 1, 2, 3, 4, 5, 6, 7}, order)
}

func TestPool_Restart(t *testing.T) {
	t.Parallel()
	t.Run("retires workers without losing capacity", func(t *testing.T) {
		t.Parallel()
		p := MustOpen(t, workerpool.Options{Workers: 2, MaxPages: 10})
		ocrtest.Eventually(t, "both are ready", func() bool { return p.Stats().Ready == 2 })
		ocrtest.Eventually(t, "workers were replaced", func() bool {
			_, err := read(t.Context(), p, "pages 3")
			require.NoError(t, err)
			require.GreaterOrEqual(t, p.Stats().Ready, 2)
			return p.Stats().Retired >= 3
		})
		require.Zero(t, p.Stats().Restarts)
	})
	t.Run("recovers once workers can start again", func(t *testing.T) {
		t.Parallel()
		dir := ocrtest.MustScriptStart(t, "")
		p, ps := MustOpenWatched(t, workerpool.Options{Workers: 1, Models: []string{dir}})
		ocrtest.MustRewriteStart(t, dir, "exit 9")
		kill(t, ps.idle(t, p))
		ocrtest.Eventually(t, "no worker is ready", func() bool { return p.Stats().Ready == 0 })
		require.EqualError(t, p.Ready(t.Context()), "no worker is ready")
		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		defer cancel()
		_, err := read(ctx, p, "text a")
		require.ErrorIs(t, err, context.DeadlineExceeded)
		ocrtest.MustRewriteStart(t, dir, "")
		requireText(t, p, "again")
	})
}

func TestPool_Recognize_KeepsAReserve(t *testing.T) {
	t.Parallel()
	p := MustOpen(t, workerpool.Options{Workers: 1, Reserve: 1, Queue: 8})
	flood, stop := context.WithCancel(fair.NewContext(t.Context(), fair.Account{Label: "flooder"}))
	var flooder sync.WaitGroup
	for range 4 {
		flooder.Go(func() { _, _ = read(flood, p, "hang") })
	}
	ocrtest.Eventually(t, "the flooder has the worker and not the reserve", func() bool { return p.Stats().Busy == 1 && p.Stats().Queued == 3 })
	require.Zero(t, p.Stats().Idle, "the reserve does not count as an idle worker, whose core others may use")
	other := fair.NewContext(t.Context(), fair.Account{Label: "other"})
	for range 3 {
		text, err := read(other, p, "text a")
		require.NoError(t, err, "it is read at once, although the flooder's image hangs")
		require.Equal(t, "a", text)
	}
	stop()
	flooder.Wait()
	requireText(t, p, "b")
}

func as(t *testing.T, label string) context.Context {
	t.Helper()
	return fair.NewContext(t.Context(), fair.Account{Label: label})
}

func TestPool_Recognize_LetsAccountsKeepTheirWorkers(t *testing.T) {
	t.Parallel()
	p := MustOpen(t, workerpool.Options{Workers: 2, WorkerPerAccount: true})
	readAs := func(label string) {
		ocrtest.Eventually(t, "both workers are idle", func() bool { return p.Stats().Idle == 2 })
		_, err := read(as(t, label), p, "text x")
		require.NoError(t, err)
	}
	for range 3 {
		readAs("a")
		readAs("b")
	}
	require.Zero(t, p.Stats().Retired, "each account has a worker")
	readAs("c")
	readAs("b")
	require.EqualValues(t, 1, p.Stats().Retired, "the worker of a, which was idle longest, gives way to c")
}

func TestPool_Recognize_GivesOtherAccountsAFreshWorker(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		options workerpool.Options
		first   string
		next    string // the account of the second image
		retired uint64
	}{
		"after an image that a decoder refused":    {workerpool.Options{}, "image want a PNG", "b", 1},
		"after an image that ran out of time":      {workerpool.Options{}, "timeout", "b", 1},
		"after a refused image and a good one":     {workerpool.Options{}, "image want a PNG; text x", "b", 1},
		"but not after a good image":               {workerpool.Options{}, "text x", "b", 0},
		"but not for the account itself":           {workerpool.Options{}, "image want a PNG", "a", 0},
		"always if the operator wants it":          {workerpool.Options{WorkerPerAccount: true}, "text x", "b", 1},
		"but even then not for every image of one": {workerpool.Options{WorkerPerAccount: true}, "text x", "a", 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c.options.Workers = 1
			p := MustOpen(t, c.options)
			for script := range strings.SplitSeq(c.first, "; ") {
				_, _ = read(as(t, "a"), p, script)
			}
			text, err := read(as(t, c.next), p, "text fresh")
			require.NoError(t, err)
			require.Equal(t, "fresh", text)
			require.Equal(t, c.retired, p.Stats().Retired)
			require.Zero(t, p.Stats().Crashes)
		})
	}
}

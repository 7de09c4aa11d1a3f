package workerpool_test

import (
	"context"
	"runtime"
	"sync"
	"syscall"
	"testing"
	"time"

	"uncial/impl/ocr"
	"uncial/impl/ocr/ocrtest"
	"uncial/impl/ocr/workerpool"

	"github.com/stretchr/testify/require"
)

func TestPool_Shutdown(t *testing.T) {
	t.Parallel()
	// mustFill opens a pool with one image being read and two waiting.
	mustFill := func(t *testing.T, script string) (*workerpool.Pool, <-chan error) {
		t.Helper()
		p := MustOpen(t, workerpool.Options{Workers: 1, Queue: 4})
		errs := readTimes(t, p, 3, script)
		ocrtest.Eventually(t, "one image is being read and two wait", func() bool { s := p.Stats(); return s.Busy == 1 && s.Queued == 2 })
		return p, errs
	}
	t.Run("finishes accepted images and refuses new ones", func(t *testing.T) {
		t.Parallel()
		p, errs := mustFill(t, "sleep 20ms\ntext a")
		require.NoError(t, p.Shutdown(t.Context()))
		for range 3 {
			require.NoError(t, <-errs)
		}
		_, err := read(t.Context(), p, "text a")
		require.ErrorIs(t, err, ocr.ErrBusy)
		require.NoError(t, p.Shutdown(t.Context()), "a second call does nothing")
		require.NoError(t, p.Close(), "nor does Close")
	})
	t.Run("kills workers that do not finish in time", func(t *testing.T) {
		t.Parallel()
		p, errs := mustFill(t, "hang")
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
		defer cancel()
		require.ErrorIs(t, p.Shutdown(ctx), context.DeadlineExceeded)
		for range 3 {
			require.ErrorIs(t, <-errs, ocr.ErrBusy)
		}
		require.Zero(t, p.Stats().Ready)
	})
}

// Not parallel: it measures the processor time of the test process.
func TestPool_Shutdown_WaitsWithoutProcessorTime(t *testing.T) {
	p := MustOpen(t, workerpool.Options{Workers: 1, Reserve: 1, Queue: 4})
	errs := readTimes(t, p, 2, "sleep 400ms\ntext a") // the reserve may not take the second image, which waits for the worker
	ocrtest.Eventually(t, "one image is being read and one waits", func() bool { s := p.Stats(); return s.Busy == 1 && s.Queued == 1 })
	before := mustReadCPU(t)
	require.NoError(t, p.Shutdown(t.Context()))
	require.Less(t, mustReadCPU(t)-before, 150*time.Millisecond)
	for range 2 {
		require.NoError(t, <-errs)
	}
}

// mustReadCPU returns the processor time that the test process has used, without its children.
func mustReadCPU(t *testing.T) time.Duration {
	t.Helper()
	var used syscall.Rusage
	require.NoError(t, syscall.Getrusage(syscall.RUSAGE_SELF, &used))
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}

// Not parallel: it counts the goroutines and children of the test process.
func TestPool_Shutdown_LeavesNothing(t *testing.T) {
	before := runtime.NumGoroutine()
	p := MustOpen(t, workerpool.Options{Workers: 3, MaxPages: 2, Deadline: 100 * time.Millisecond})
	var wg sync.WaitGroup
	for i := range 12 {
		wg.Go(func() { _, _ = read(t.Context(), p, []string{"text a", "crash", "hang", "pages 2"}[i%4]) })
	}
	wg.Wait()
	require.NoError(t, p.Shutdown(t.Context()))
	ocrtest.Eventually(t, "its goroutines have ended", func() bool { return runtime.NumGoroutine() <= before })
	var status syscall.WaitStatus
	_, err := syscall.Wait4(-1, &status, syscall.WNOHANG, nil)
	require.ErrorIs(t, err, syscall.ECHILD, "no child is left, not even a zombie")
}

package fetch_test

import (
	"context"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"uncial/impl/fetch"
	"uncial/impl/ocr"
	"uncial/internal/contract"
)

func TestFetcher_Fetch_Limit(t *testing.T) {
	t.Parallel()
	body := strings.Repeat("x", 4096)
	declared := mustServe(t, write(200, body))
	chunked := mustServe(t, func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, body[:2000])
		w.(http.Flusher).Flush()
		_, _ = io.WriteString(w, body[2000:])
	})
	f := mustFetcher(t, fetch.Options{Allow: loopback, MaxBytes: 4096})
	for _, url := range []string{declared, chunked} {
		requireFetch(t, f, url, body)
	}
}

func TestFetcher_Fetch_EndlessBody(t *testing.T) {
	t.Parallel()
	ended := make(chan struct{})
	url := mustServe(t, func(w http.ResponseWriter, _ *http.Request) {
		defer close(ended)
		for chunk := make([]byte, 1<<16); ; {
			if _, err := w.Write(chunk); err != nil {
				return
			}
		}
	})
	requireReason(t, mustFetcher(t, fetch.Options{Allow: loopback, MaxBytes: 1 << 20}), url, "limit of 1 MiB")
	select {
	case <-ended:
	case <-time.After(10 * time.Second):
		t.Fatal("the connection was not closed")
	}
}

func TestFetcher_Fetch_Timeout(t *testing.T) {
	t.Parallel()
	silent := mustServe(t, func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
	dripping := mustServe(t, func(w http.ResponseWriter, r *http.Request) {
		for r.Context().Err() == nil {
			_, _ = io.WriteString(w, "x")
			w.(http.Flusher).Flush()
			time.Sleep(5 * time.Millisecond)
		}
	})
	f := mustFetcher(t, fetch.Options{Allow: loopback, Timeout: 300 * time.Millisecond})
	for _, url := range []string{silent, dripping} {
		start := time.Now()
		_, err := f.Fetch(t.Context(), url)
		failure := mustFail(t, err)
		assert.Contains(t, failure.Text, "the image did not arrive within 0.3 s")
		assert.Equal(t, contract.FetchTimeout, failure.Reason)
		assert.Less(t, time.Since(start), 5*time.Second)
	}
}

func TestFetcher_Fetch_Cancelled(t *testing.T) {
	t.Parallel()
	arrived := make(chan struct{}, 2)
	url := mustServe(t, func(_ http.ResponseWriter, r *http.Request) {
		arrived <- struct{}{}
		<-r.Context().Done()
	})
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		<-arrived
		cancel()
	}()
	_, err := mustFetcher(t, fetch.Options{Allow: loopback}).Fetch(ctx, url)
	require.ErrorIs(t, err, context.Canceled)

	ctx, cancel = context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	silent := mustServe(t, func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
	_, err = mustFetcher(t, fetch.Options{Allow: loopback}).Fetch(ctx, silent)
	require.ErrorIs(t, err, context.DeadlineExceeded)
}

func TestFetcher_Fetch_Busy(t *testing.T) {
	t.Parallel()
	arrived, release := make(chan struct{}, 16), make(chan struct{})
	url := mustServe(t, func(w http.ResponseWriter, _ *http.Request) {
		arrived <- struct{}{}
		<-release
		_, _ = io.WriteString(w, "x")
	})
	f := mustFetcher(t, fetch.Options{Allow: loopback, MaxConcurrent: 1, Timeout: 10 * time.Second})
	results := make(chan error, 10)
	for range 5 { // one runs, three wait, one is refused
		go func() {
			_, err := f.Fetch(t.Context(), url)
			results <- err
		}()
	}
	require.ErrorIs(t, <-results, ocr.ErrBusy)
	<-arrived
	assert.Empty(t, arrived, "only one fetch runs at a time")
	close(release)
	for range 4 {
		require.NoError(t, <-results)
	}
}

func TestFetcher_Fetch_CancelledInQueue(t *testing.T) {
	t.Parallel()
	arrived := make(chan struct{}, 2)
	url := mustServe(t, func(_ http.ResponseWriter, r *http.Request) {
		arrived <- struct{}{}
		<-r.Context().Done()
	})
	f := mustFetcher(t, fetch.Options{Allow: loopback, MaxConcurrent: 1, Timeout: time.Minute})
	running, stop := context.WithCancel(t.Context())
	first := make(chan error, 1)
	go func() {
		_, err := f.Fetch(running, url)
		first <- err
	}()
	<-arrived
	waiting, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	_, err := f.Fetch(waiting, url)
	require.ErrorIs(t, err, context.DeadlineExceeded, "the error is that of the caller's deadline")
	assert.Empty(t, arrived)
	stop()
	require.ErrorIs(t, <-first, context.Canceled)
}

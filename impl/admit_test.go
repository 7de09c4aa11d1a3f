package impl_test

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"uncial/impl"
	"uncial/impl/ocr"
	"uncial/internal/document"
	"uncial/internal/fair"
)

func TestService_Extract_SharesTheWaitOfFetchedImages(t *testing.T) {
	t.Parallel()
	s := mustServe(t, "sqlite::memory:", func(server *impl.Service) {
		server.Fetching = fair.NewSemaphore(func() int { return 64 })
		server.Reading = fair.NewSemaphore(func() int { return 1 })
	})
	blocked := make(chan struct{})
	release := sync.OnceFunc(func() { close(blocked) })
	t.Cleanup(release)
	s.recognizer.read = func(_ context.Context, r ocr.Request) (*document.Document, error) {
		<-blocked
		return page(r.Language), nil
	}
	_, flooder := s.mustKey(t, "archive")
	_, other := s.mustKey(t, "archive")
	var requests sync.WaitGroup
	var refused atomic.Int64
	for i := range 100 {
		if i > 50 && refused.Load() > 0 {
			break
		}
		requests.Go(func() {
			if a, err := s.extract(t.Context(), t, flooder, "", image()); err == nil && a.status == 500 {
				refused.Add(1)
			}
		})
	}
	require.Eventually(t, func() bool { return refused.Load() > 0 }, 10*time.Second, time.Millisecond, "the flooder has its share")
	answered := make(chan int, 1)
	requests.Go(func() {
		a, err := s.extract(t.Context(), t, other, "", image())
		if err == nil {
			answered <- a.status
		}
	})
	select {
	case status := <-answered:
		t.Fatalf("the other account got %d at once, although none of its images is waiting", status)
	case <-time.After(200 * time.Millisecond):
	}
	release()
	require.Equal(t, 200, <-answered)
	requests.Wait()
}

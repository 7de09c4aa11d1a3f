//go:build torture

package impl_test

import (
	"context"
	"net/http"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"uncial/impl"
	"uncial/impl/ocr"
	"uncial/internal/document"
	"uncial/internal/fair"
)

const (
	overloadWorkers = 2
	overloadQueue   = 16
	readingTime     = 50 * time.Millisecond // so that the workers can carry 40 images a second
	capacity        = float64(overloadWorkers) / (float64(readingTime) / float64(time.Second))
	overload        = 10 // times the capacity
	overloadTime    = 15 * time.Second
)

// loadResult is what clients saw.
type loadResult struct {
	mu        sync.Mutex
	accepted  []time.Duration
	statuses  map[int]int
	statusOps []time.Duration // of /status
}

func (l *loadResult) add(status int, took time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.statuses[status]++
	if status == http.StatusOK {
		l.accepted = append(l.accepted, took)
	}
}

// offer sends extractions of four accounts in turn, at a rate per second, and asks for the status in the meantime.
func (s *service) offer(t *testing.T, keys []string, rate float64, during time.Duration) *loadResult {
	t.Helper()
	l := &loadResult{statuses: map[int]int{}}
	var clients sync.WaitGroup
	started := time.Now()
	probing, stop := context.WithCancel(t.Context())
	clients.Go(func() {
		for probing.Err() == nil {
			s.clock.move(time.Minute) // keeps the rate limit out of the measurement
			began := time.Now()
			r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.url+"/status", nil)
			if err != nil {
				t.Error(err)
				return
			}
			r.Header.Set("Authorization", "Bearer "+keys[0])
			res, err := http.DefaultClient.Do(r)
			if assert.NoError(t, err) {
				assert.Equal(t, http.StatusOK, res.StatusCode)
				_ = res.Body.Close()
			}
			l.statusOps = append(l.statusOps, time.Since(began))
			time.Sleep(20 * time.Millisecond)
		}
	})
	for i := range int(rate * during.Seconds()) {
		time.Sleep(time.Until(started.Add(time.Duration(float64(i) / rate * float64(time.Second)))))
		clients.Go(func() {
			began := time.Now()
			a, err := s.extract(t.Context(), t, keys[i%len(keys)], "", image())
			if assert.NoError(t, err, "every caller gets an answer") {
				l.add(a.status, time.Since(began))
			}
		})
	}
	time.Sleep(time.Until(started.Add(during)))
	stop()
	clients.Wait()
	return l
}

// TestTorture_Overload offers the load that the workers can carry, and then ten times as much. The service must accept nearly
// as many images a second as before, answer them in bounded time, and still answer /status quickly.
func TestTorture_Overload(t *testing.T) {
	http.DefaultTransport.(*http.Transport).MaxIdleConnsPerHost = 500 //nolint:forcetypeassert // that is its type
	s := mustServe(t, "sqlite:"+t.TempDir()+"/uncial.db", func(server *impl.Service) {
		server.HoldTTL = 100 * time.Hour // the clock moves quickly
		server.Fetching = fair.NewSemaphore(func() int { return overloadQueue })
		server.Reading = fair.NewSemaphore(func() int { return overloadWorkers + overloadQueue })
	})
	free := make(chan struct{}, overloadWorkers)
	s.recognizer.read = func(ctx context.Context, req ocr.Request) (*document.Document, error) {
		select {
		case free <- struct{}{}:
			defer func() { <-free }()
		case <-ctx.Done():
			return nil, ctx.Err()
		}
		time.Sleep(readingTime)
		return page(req.Language), nil
	}
	var keys []string
	for range 4 {
		_, key := s.mustKey(t, "archive")
		keys = append(keys, key)
	}
	_ = s.offer(t, keys, capacity, time.Second) // warms up
	peak := s.offer(t, keys, capacity, overloadTime)
	flooded := s.offer(t, keys, overload*capacity, overloadTime)

	require.NotEmpty(t, flooded.accepted)
	slices.Sort(flooded.accepted)
	p99 := flooded.accepted[len(flooded.accepted)*99/100]
	require.NotEmpty(t, peak.accepted)
	share := float64(len(flooded.accepted)) / float64(len(peak.accepted))
	t.Logf("at capacity %d accepted in %v (%v), at ten times as much %d (%v): %.0f %%; p99 of accepted %v; median of /status %v",
		len(peak.accepted), overloadTime, peak.statuses, len(flooded.accepted), flooded.statuses, 100*share,
		p99.Round(time.Millisecond), median(flooded.statusOps).Round(time.Microsecond))
	require.GreaterOrEqual(t, share, 0.9)
	// At most as many images are ahead of it as there are places.
	require.Less(t, p99, 4*(2*overloadQueue+overloadWorkers)*readingTime/overloadWorkers)
	require.Less(t, median(flooded.statusOps), 50*time.Millisecond)
	for status := range flooded.statuses {
		require.Contains(t, []int{http.StatusOK, http.StatusInternalServerError}, status)
	}
}

func median(d []time.Duration) time.Duration {
	slices.Sort(d)
	return d[len(d)/2]
}

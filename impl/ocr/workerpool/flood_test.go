//go:build torture

package workerpool_test

import (
	"context"
	"log/slog"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"uncial/impl/ocr"
	"uncial/impl/ocr/ocrtest"
	"uncial/impl/ocr/remote"
	"uncial/impl/ocr/workerpool"
	"uncial/internal/fair"
)

const (
	// floodWorkers and floodReserve are the numbers of workers that a service has on a machine with two cores.
	floodWorkers, floodReserve = 2, 1
	// flooders is the number of images that the flooding account has in progress at any time, and floodPages the number that
	// the other account sends, one after the other.
	flooders, floodPages = 64, 12
	// floodRounds is the number of times that the throughput is measured, alternately alone and flooded.
	floodRounds = 3
)

// TestTorture_Flood measures the throughput of an account that sends one page at a time, alone and while another account floods
// the service. The account must keep half of its throughput.
func TestTorture_Flood(t *testing.T) {
	pool, _ := MustOpenEngine(t, workerpool.Options{
		Worker: ocrtest.MustBuildWorker(t), Workers: floodWorkers, Reserve: floodReserve, Queue: flooders, MaxPages: 1 << 20,
	})
	engine := httptest.NewServer(remote.Handler(pool, slog.New(slog.DiscardHandler)))
	t.Cleanup(engine.Close)
	client, err := remote.Dial(t.Context(), engine.URL, remote.Options{})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, client.Close()) })
	pages := pagesOf(t, func(word string) []string {
		return []string{"The register of the " + word, "was kept by the clerk", "who wrote in it each day", "what he had seen and heard", "and never missed a week"}
	})
	for name, reader := range map[string]ocr.Recognizer{"with local workers": pool, "through an engine": client} {
		t.Run(name, func(t *testing.T) {
			readAs(t, reader, "other", pages, floodPages) // every worker loads its model
			var alone, flooded time.Duration
			for range floodRounds {
				alone += readAs(t, reader, "other", pages, floodPages)
				stop := flood(t, pool, reader, pages)
				flooded += readAs(t, reader, "other", pages, floodPages)
				stop()
			}
			share := alone.Seconds() / flooded.Seconds()
			t.Logf("%d pages took %v alone and %v beside a flood: %.0f %% of the throughput", floodRounds*floodPages,
				alone.Round(time.Millisecond), flooded.Round(time.Millisecond), 100*share)
			require.GreaterOrEqual(t, share, 0.5)
		})
	}
}

// readAs reads n pages for the account, one after the other, and returns how long that took.
func readAs(t *testing.T, r ocr.Recognizer, account string, pages [][]byte, n int) time.Duration {
	t.Helper()
	ctx := fair.NewContext(t.Context(), fair.Account{Label: account})
	started := time.Now()
	for i := range n {
		_, err := r.Recognize(ctx, ocr.Request{Image: pages[i%len(pages)], Language: "en"})
		require.NoError(t, err)
	}
	return time.Since(started)
}

// flood keeps many images of another account in progress until stop is called. It returns once they wait in the pool.
func flood(t *testing.T, pool *workerpool.Pool, r ocr.Recognizer, pages [][]byte) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(fair.NewContext(t.Context(), fair.Account{Label: "flooder"}))
	var clients sync.WaitGroup
	for i := range flooders {
		clients.Go(func() {
			for ctx.Err() == nil {
				if _, err := r.Recognize(ctx, ocr.Request{Image: pages[i%len(pages)], Language: "en"}); err != nil {
					time.Sleep(time.Millisecond) // refused: its share is full
				}
			}
		})
	}
	ocrtest.Eventually(t, "the flood is under way", func() bool { return pool.Stats().Queued > floodWorkers })
	return func() {
		cancel()
		clients.Wait()
	}
}

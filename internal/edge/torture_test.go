//go:build torture

package edge_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"runtime/debug"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"uncial/gen"
	"uncial/internal/edge"
	"uncial/internal/request"
)

const (
	floodBodies = 96
	floodBody   = 26 << 20
)

// residentMiB returns a figure of this process: VmHWM is its largest memory so far, VmRSS its memory now.
func residentMiB(t *testing.T, name string) (mib int) {
	t.Helper()
	text, err := os.ReadFile("/proc/self/status")
	require.NoError(t, err)
	_, rest, found := strings.Cut(string(text), name+":")
	require.True(t, found)
	_, err = fmt.Sscan(rest, &mib)
	require.NoError(t, err)
	return mib >> 10
}

// postLarge posts an inline image of a size and returns the status, or 0 without an answer.
func postLarge(t *testing.T, url string, size int64) int {
	t.Helper()
	head, tail := `{"imageUrl":"data:image/png;base64,`, `"}`
	body := io.MultiReader(strings.NewReader(head), io.LimitReader(letters{}, size), strings.NewReader(tail))
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, body)
	if err != nil {
		t.Error(err)
		return 0
	}
	r.ContentLength = int64(len(head)+len(tail)) + size
	res, err := http.DefaultClient.Do(with(r))
	if err != nil {
		t.Errorf("every caller gets an answer: %v", err)
		return 0
	}
	_, _ = io.Copy(io.Discard, res.Body)
	_ = res.Body.Close()
	return res.StatusCode
}

// TestTorture_Bodies sends 96 bodies of 26 MiB at once. Every caller must get an answer, and memory must stay bounded and be
// returned. The clients run in this process too; their bodies are generated, so that they need little memory.
func TestTorture_Bodies(t *testing.T) {
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(1280 << 20)) // as impl/app sets it for 768 MiB of images
	release := make(chan struct{})
	d := mustNew(t, func(o *edge.Options) { o.Memory = 768 << 20 })
	d.gate.remaining = 1 << 40
	d.server.extract = func(ctx context.Context, req gen.ExtractRequestObject) (gen.ExtractResponseObject, error) {
		if _, isInline := request.InlineImage(ctx, req.Body.ImageURL); isInline {
			<-release
		}
		return gen.Extract200JSONResponse{}, nil
	}
	url := "http://" + serve(t, d) + "/api/v1/extract"
	var mu sync.Mutex
	statuses := map[int]int{}
	var clients sync.WaitGroup
	for range floodBodies {
		clients.Go(func() {
			status := postLarge(t, url, floodBody)
			mu.Lock()
			defer mu.Unlock()
			statuses[status]++
		})
	}
	ctx, stop := context.WithCancel(t.Context())
	others := 0
	var other sync.WaitGroup
	other.Go(func() {
		for ctx.Err() == nil {
			r, err := http.NewRequestWithContext(ctx, http.MethodPost, url, strings.NewReader(smallBody))
			require.NoError(t, err)
			res, err := http.DefaultClient.Do(with(r, "Authorization", "Bearer "+otherKey))
			if ctx.Err() != nil {
				return
			}
			if assert.NoError(t, err) && assert.Equal(t, http.StatusOK, res.StatusCode, "nobody else is refused") {
				others++
			}
			_ = res.Body.Close()
		}
	})
	require.Eventually(t, func() bool {
		mu.Lock()
		defer mu.Unlock()
		return statuses[http.StatusInternalServerError] > 0
	}, 2*time.Minute, 10*time.Millisecond, "some are beyond the account's share")
	time.AfterFunc(5*time.Second, func() { close(release) })
	clients.Wait()
	stop()
	other.Wait()
	peak := residentMiB(t, "VmHWM")
	time.Sleep(3 * time.Second)
	t.Logf("%d small images of another account; %d bodies of %d MiB: statuses %v, peak %d MiB, 3 s later %d MiB", others, floodBodies, floodBody>>20, statuses, peak, residentMiB(t, "VmRSS"))
	assert.Equal(t, floodBodies, statuses[200]+statuses[500])
	assert.Greater(t, statuses[200], 30, "39 fit into the memory of one account")
	assert.Positive(t, others)
	assert.Less(t, peak, 1600)
	assert.Less(t, residentMiB(t, "VmRSS"), 300)
}

const (
	dripBodies = 48 // bodies of one account at the same time, which never end
	bulkBodies = 12 // bodies of another
	bulkBody   = 20 << 20
	dripTime   = 30 * time.Second
)

// TestTorture_Drips has one account send bodies quickly up to their last bytes, which drip so that no limit of time ends them,
// while another sends large images as fast as they are accepted. The first must not keep the memory that it took while it was
// alone.
func TestTorture_Drips(t *testing.T) {
	d := mustNew(t, func(o *edge.Options) { o.Memory = 768 << 20 })
	d.gate.remaining = 1 << 40
	url := "http://" + serve(t, d) + "/api/v1/extract"
	send := func(ctx context.Context, key string, length int, rest io.Reader) int {
		head, tail := `{"imageUrl":"data:image/png;base64,`, `"}`
		quick := io.LimitReader(letters{}, int64(length))
		r, err := http.NewRequestWithContext(ctx, http.MethodPost, url, io.MultiReader(strings.NewReader(head), quick, rest, strings.NewReader(tail)))
		require.NoError(t, err)
		res, err := http.DefaultClient.Do(with(r, "Authorization", "Bearer "+key))
		if err != nil {
			return 0
		}
		defer func() { _ = res.Body.Close() }()
		_, _ = io.Copy(io.Discard, res.Body)
		return res.StatusCode
	}
	ctx, stop := context.WithCancel(t.Context())
	var clients sync.WaitGroup
	for range dripBodies {
		clients.Go(func() {
			for ctx.Err() == nil {
				send(ctx, otherKey, floodBody, drip{ctx})
			}
		})
	}
	time.Sleep(5 * time.Second) // until they have what one account can get
	var mu sync.Mutex
	statuses := map[int]int{}
	until := time.Now().Add(dripTime)
	var bulk sync.WaitGroup
	for range bulkBodies {
		bulk.Go(func() {
			for time.Now().Before(until) {
				status := send(ctx, goodKey, bulkBody, strings.NewReader(""))
				mu.Lock()
				statuses[status]++
				mu.Unlock()
			}
		})
	}
	bulk.Wait()
	stop()
	clients.Wait()
	t.Logf("%d bodies that drip from one account; images of %d MiB, %d at a time, from another: statuses %v", dripBodies, bulkBody>>20, bulkBodies, statuses)
	require.Greater(t, statuses[200], 9*statuses[500])
}

// drip is an endless reader that is slow, but fast enough for the server.
type drip struct{ ctx context.Context }

func (d drip) Read(p []byte) (int, error) {
	select {
	case <-d.ctx.Done():
		return 0, d.ctx.Err()
	case <-time.After(250 * time.Millisecond):
	}
	return copy(p, strings.Repeat("A", 8<<10)), nil
}

// letters is an endless reader of base64.
type letters struct{}

func (letters) Read(p []byte) (int, error) {
	copy(p, bytes.Repeat([]byte("A"), len(p)))
	return len(p), nil
}

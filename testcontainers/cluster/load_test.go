package cluster_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/jpeg"
	"image/png"
	"io"
	"net/http"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

const (
	clients     = 4                // at the same time; two engines with a worker each read for them
	callLimit   = 3 * time.Minute  // longer than the service takes at worst
	retryPause  = time.Second      // before a failed request is repeated
	retries     = 60               // of one request
	minRequests = 10               // from each client
	settleLimit = 90 * time.Second // until holds of killed processes have expired
)

const samplePage = "../../impl/sample/page.jpg"

// answer is what a client got for one request.
type answer struct {
	status int
	Code   string `json:"code"`
	Text   string `json:"text"`
	raw    string
	err    error
}

func (a answer) String() string {
	if a.err != nil {
		return a.err.Error()
	}
	return fmt.Sprintf("%d %.300s", a.status, a.raw)
}

// load is what clients send while something happens to the service.
type load struct {
	url, key string
	body     []byte
	name     string // begins the Idempotency-Key of each request
	// retry repeats a failed request with the same Idempotency-Key. Otherwise its answer counts.
	retry bool

	mu       sync.Mutex
	sent     int // requests, repeats not counted
	repeated int
	bad      []string // answers other than 200 to requests that are not repeated again
	refused  []string // answers that were repeated
}

// newLoad prepares requests on an account of its own.
func (in *installation) newLoad(t *testing.T, name string) (l *load, account string) {
	t.Helper()
	account = in.account(t, "archive")
	_, key := in.key(t, account)
	body, err := json.Marshal(map[string]any{"imageUrl": line(t)})
	require.NoError(t, err)
	return &load{url: in.url + "/api/v1/extract", key: key, body: body, name: name}, account
}

// line returns the first lines of the sample page as a data URL: quick to read.
func line(t *testing.T) string {
	t.Helper()
	file, err := os.Open(samplePage)
	require.NoError(t, err)
	defer func() { require.NoError(t, file.Close()) }()
	page, err := jpeg.Decode(file)
	require.NoError(t, err)
	b := page.Bounds()
	part := image.NewGray(image.Rect(0, 0, b.Dx(), b.Dy()/8))
	draw.Draw(part, part.Rect, image.NewUniform(color.White), image.Point{}, draw.Src)
	draw.Draw(part, part.Rect, page, b.Min.Add(image.Pt(0, b.Dy()/8)), draw.Src)
	var out bytes.Buffer
	require.NoError(t, png.Encode(&out, part))
	return "data:image/png;base64," + base64.StdEncoding.EncodeToString(out.Bytes())
}

// during sends requests from all clients until the event has ended, and at least some from each.
func (l *load) during(t *testing.T, event func()) {
	t.Helper()
	over := make(chan struct{})
	var running sync.WaitGroup
	for n := range clients {
		// Every second client keeps its connection open from request to request, as most clients do.
		transport := &http.Transport{DisableKeepAlives: n%2 == 0, ResponseHeaderTimeout: callLimit}
		client := &http.Client{Transport: transport, Timeout: callLimit}
		running.Go(func() {
			defer transport.CloseIdleConnections()
			for i := 0; ; i++ {
				l.one(t.Context(), client, fmt.Sprintf("%s-%d-%d", l.name, n, i))
				select {
				case <-over:
					if i >= minRequests {
						return
					}
				default:
				}
			}
		})
	}
	stop := sync.OnceFunc(func() {
		close(over)
		running.Wait()
	})
	defer stop()                // also if the event fails the test
	time.Sleep(3 * time.Second) // so that every engine reads
	event()
	stop()
	t.Logf("%s: %d requests, %d repeats, %d bad answers", l.name, l.sent, l.repeated, len(l.bad))
	for _, r := range l.refused {
		t.Log("repeated after: ", r)
	}
}

// one sends one request, and repeats it after a failure if retry allows that.
func (l *load) one(ctx context.Context, client *http.Client, id string) {
	a := l.send(ctx, client, id)
	for i := 0; l.retry && i < retries && a.status != http.StatusOK; i++ {
		l.note(func() { l.repeated++; l.refused = append(l.refused, a.String()) })
		time.Sleep(retryPause)
		a = l.send(ctx, client, id)
	}
	l.note(func() {
		l.sent++
		if a.status != http.StatusOK || a.Text == "" {
			l.bad = append(l.bad, id+": "+a.String())
		}
	})
}

// wasInterrupted reports whether a request had to be repeated.
func (l *load) wasInterrupted() (was bool) {
	l.note(func() { was = l.repeated > 0 })
	return was
}

func (l *load) note(f func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	f()
}

func (l *load) send(ctx context.Context, client *http.Client, id string) (a answer) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, l.url, bytes.NewReader(l.body))
	if err != nil {
		return answer{err: err}
	}
	req.Header.Set("Authorization", "Bearer "+l.key)
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Idempotency-Key", id)
	resp, err := client.Do(req)
	if err != nil {
		return answer{err: err}
	}
	defer func() { _ = resp.Body.Close() }()
	data, err := io.ReadAll(resp.Body)
	if err != nil {
		return answer{err: err}
	}
	a = answer{status: resp.StatusCode, raw: string(data)}
	if err := json.Unmarshal(data, &a); err != nil {
		a.err = err
	}
	return a
}

// requireCharged waits until nothing is held and compares the points of the account with the requests.
func (in *installation) requireCharged(t *testing.T, account string, l *load) {
	t.Helper()
	const price = 10
	deadline := time.Now().Add(settleLimit)
	used, remaining := int64(-1), int64(-1) // unless the account is in the list
	for {
		var accounts []struct {
			ID        string
			Used      int64 `json:"pointsUsed"`
			Remaining int64 `json:"pointsRemaining"`
		}
		in.uncial(t, &accounts, "account", "list", "--json")
		for _, a := range accounts {
			if a.ID != account {
				continue
			}
			if a.Used == price*int64(l.sent-len(l.bad)) && a.Used+a.Remaining == 1_000_000 {
				in.audit(t)
				return
			}
			used, remaining = a.Used, a.Remaining
		}
		require.Less(t, time.Now(), deadline, "%d points used and %d remaining after %d extractions", used, remaining, l.sent-len(l.bad))
		time.Sleep(time.Second)
	}
}

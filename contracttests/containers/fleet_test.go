package containers_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"image"
	"io"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	tc "github.com/testcontainers/testcontainers-go"
	tcexec "github.com/testcontainers/testcontainers-go/exec"

	"uncial/impl/ocr/ocrtest"
	"uncial/impl/sample"
	"uncial/testcontainers"
)

// word returns a data URL of a small image that is quick to read.
func word(tb testing.TB, text string) string {
	tb.Helper()
	img := ocrtest.MustPNG(tb, ocrtest.Page(text).SubImage(image.Rect(0, 0, 400, ocrtest.Baseline+ocrtest.Pitch)))
	return "data:image/png;base64," + base64.StdEncoding.EncodeToString(img)
}

type answer struct {
	status int
	Code   string `json:"code"`
	Text   string `json:"text"`
	Used   int64  `json:"pointsUsed"`
	raw    string
}

// call sends a request. repeat is its Idempotency-Key, if not empty. The answer is decoded if it is JSON.
func call(ctx context.Context, method, url, key, repeat string, body map[string]any) (answer, error) {
	var data []byte
	if body != nil {
		var err error
		if data, err = json.Marshal(body); err != nil {
			return answer{}, err
		}
	}
	req, err := http.NewRequestWithContext(ctx, method, url, bytes.NewReader(data))
	if err != nil {
		return answer{}, err
	}
	req.Header.Set("Authorization", "Bearer "+key)
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	if repeat != "" {
		req.Header.Set("Idempotency-Key", repeat)
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return answer{}, err
	}
	defer func() { _ = res.Body.Close() }()
	raw, err := io.ReadAll(res.Body)
	if err != nil {
		return answer{}, err
	}
	a := answer{status: res.StatusCode, raw: string(raw)}
	_ = json.Unmarshal(raw, &a) // errors of the load balancer are not JSON
	return a, nil
}

// persist repeats an extraction under one Idempotency-Key, as a careful client would, until the answer is final: 200, 400
// or 402.
func persist(url, key, repeat string, body map[string]any) (answer, error) {
	ctx, cancel := context.WithTimeout(context.Background(), 4*time.Minute)
	defer cancel()
	for pause := 100 * time.Millisecond; ; pause = min(2*pause, 2*time.Second) {
		try, stop := context.WithTimeout(ctx, time.Minute)
		a, err := call(try, http.MethodPost, url+"/api/v1/extract", key, repeat, body)
		stop()
		if err == nil && (a.status == http.StatusOK || a.status == http.StatusBadRequest || a.status == http.StatusPaymentRequired) {
			return a, nil
		}
		select {
		case <-ctx.Done():
			return a, fmt.Errorf("no final answer: %w; last: %d %s %w", ctx.Err(), a.status, a.raw, err)
		case <-time.After(pause):
		}
	}
}

// Extractions of TestFleet_ChargesOnce.
const (
	extractions = 850
	doubled     = 150 // of them sent twice at the same time, under one Idempotency-Key
	concurrency = 32
	accounts    = 10 // so that the rate limit of one account is not what is tested
	price       = 10 // points
)

// TestFleet_ChargesOnce runs 1,000 extractions through three replicas and two engines. Meanwhile it kills a replica and an
// engine, and restarts Postgres. Every answer must be charged exactly once.
func TestFleet_ChargesOnce(t *testing.T) {
	s := testcontainers.Service(t, testcontainers.ServiceOptions{Replicas: 3, Engines: 2})
	ids, keys := make([]string, accounts), make([]string, accounts)
	for i := range accounts {
		ids[i], keys[i] = s.CreateAccountWithKey(t, "archive")
	}
	answered, errs := extractAll(t, s, keys)
	for _, err := range errs {
		t.Error(err)
	}
	require.Equal(t, int64(extractions+doubled), answered)
	for _, id := range ids {
		const want = price * extractions / accounts
		var used int64
		require.Eventually(t, func() bool { // the holds of the killed replica expire within a minute
			used = pointsUsed(t, s, id)
			return used == want
		}, 90*time.Second, time.Second, "account %s: %d points used, want %d", id, used, want)
	}
	require.Contains(t, s.Run(t, 0, "audit"), "agree")
}

// extractAll sends all extractions, with the incidents in between, and returns how many were answered with 200.
func extractAll(t *testing.T, s *testcontainers.System, keys []string) (int64, []error) {
	t.Helper()
	body := map[string]any{"imageUrl": word(t, "Aprille")}
	jobs := make(chan int)
	var answered atomic.Int64
	var mu sync.Mutex
	var errs []error
	fail := func(err error) {
		mu.Lock()
		defer mu.Unlock()
		errs = append(errs, err)
	}
	var running sync.WaitGroup
	for range concurrency {
		running.Go(func() {
			for n := range jobs {
				a, err := persist(s.URL, keys[n%accounts], fmt.Sprintf("extraction-%d", n), body)
				switch {
				case err != nil:
					fail(err)
				case a.status != http.StatusOK:
					fail(fmt.Errorf("extraction %d: %d %s", n, a.status, a.raw))
				default:
					answered.Add(1)
				}
			}
		})
	}
	incidents := map[int]func() error{ // before the extraction of that number
		250: func() error { return testcontainers.Kill(t.Context(), s.Replicas[1]) },
		450: func() error { return testcontainers.Kill(t.Context(), s.Engines[0]) },
		650: func() error { return testcontainers.Restart(t.Context(), s.Postgres) },
	}
	for n := range extractions {
		if incident := incidents[n]; incident != nil {
			running.Go(func() {
				if err := incident(); err != nil {
					fail(err)
				}
			})
		}
		jobs <- n
		if n < doubled {
			jobs <- n
		}
	}
	close(jobs)
	running.Wait()
	return answered.Load(), errs
}

// TestFleet_EngineVanishes disconnects an engine while it reads. The other engine must read its images.
func TestFleet_EngineVanishes(t *testing.T) {
	t.Parallel()
	s := testcontainers.Service(t, testcontainers.ServiceOptions{Engines: 2})
	_, key := s.CreateAccountWithKey(t, "archive")
	body := map[string]any{"imageUrl": "data:image/jpeg;base64," + base64.StdEncoding.EncodeToString(sample.Image)}
	const each = 2 // images per engine; reading one takes seconds
	var running sync.WaitGroup
	answers := make(chan error, 2*each)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	for range 2 * each {
		running.Go(func() {
			a, err := call(ctx, http.MethodPost, s.URL+"/api/v1/extract", key, "", body)
			if err == nil && a.status != http.StatusOK {
				err = fmt.Errorf("%d %s", a.status, a.raw)
			}
			answers <- err
		})
	}
	require.Eventually(t, func() bool { return isBusy(t, s.Engines[0]) && isBusy(t, s.Engines[1]) }, 10*time.Second, 10*time.Millisecond)
	require.NoError(t, testcontainers.Unplug(t.Context(), s.Engines[0]))
	running.Wait()
	for range 2 * each {
		require.NoError(t, <-answers)
	}
}

// isBusy reports whether both workers of the engine are reading.
func isBusy(tb testing.TB, engine tc.Container) bool {
	tb.Helper()
	const ask = `exec 3<>/dev/tcp/127.0.0.1/8090; printf 'GET /load HTTP/1.0\r\n\r\n' >&3; cat <&3`
	_, out, err := engine.Exec(tb.Context(), []string{"bash", "-c", ask}, tcexec.Multiplexed())
	require.NoError(tb, err)
	text, err := io.ReadAll(out)
	require.NoError(tb, err)
	return bytes.Contains(text, []byte(`"busy":2`))
}

// pointsUsed returns the points that the account has used, from the operator's command.
func pointsUsed(tb testing.TB, s *testcontainers.System, id string) int64 {
	tb.Helper()
	var accounts []struct {
		ID   string `json:"id"`
		Used int64  `json:"pointsUsed"`
	}
	require.NoError(tb, json.Unmarshal([]byte(s.Run(tb, 0, "account", "list", "--json")), &accounts))
	for _, a := range accounts {
		if a.ID == id {
			return a.Used
		}
	}
	tb.Fatalf("account %s is not listed", id)
	return 0
}

// TestFleet_RateLimit sends 1,000 extractions through three replicas within one window. The limit must hold over all of
// them.
func TestFleet_RateLimit(t *testing.T) {
	s := testcontainers.Service(t, testcontainers.ServiceOptions{Replicas: 3, Engines: 1})
	_, key := s.CreateAccountWithKey(t, "pro") // 60 extractions per minute
	// An unreadable image is refused quickly, and counts against the limit.
	body := map[string]any{"imageUrl": "data:image/png;base64,AAAA"}
	if left := 60 - time.Now().Second(); left < 30 { // the window is the minute; begin early in one
		time.Sleep(time.Duration(left)*time.Second + 100*time.Millisecond)
	}
	window := time.Now().Truncate(time.Minute)
	var mu sync.Mutex
	answers := map[string]int{} // by what came back
	var running sync.WaitGroup
	calls := make(chan struct{})
	for range 16 { // a replica takes 16 images at a time; one more that it counted could get a 500
		running.Go(func() {
			for range calls {
				a, err := call(context.Background(), http.MethodPost, s.URL+"/api/v1/extract", key, "", body)
				came := fmt.Sprint(a.status, " ", a.Code)
				if err != nil {
					came = err.Error()
				}
				mu.Lock()
				answers[came]++
				mu.Unlock()
			}
		})
	}
	for range 1000 {
		calls <- struct{}{}
	}
	close(calls)
	running.Wait()
	require.Equal(t, window, time.Now().Truncate(time.Minute), "all within one window")
	require.Equal(t, map[string]int{"400 INVALID_REQUEST": 60, "429 RATE_LIMITED": 940}, answers)
}

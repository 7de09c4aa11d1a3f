package app_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"image"
	"image/color"
	"image/png"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"uncial/impl/account"
	"uncial/impl/app"
	"uncial/impl/app/apptest"
	"uncial/impl/sample"
	"uncial/internal/accuracy"
)

func TestMain(m *testing.M) { apptest.Main(m) }

// answer is what an extraction answered.
type answer struct {
	Status   int
	Text     string            `json:"text"`
	Code     string            `json:"code"`
	Document string            `json:"document"`
	Details  map[string]string `json:"details"`
	raw      string
}

func extract(ctx context.Context, base, key string, body map[string]any) (answer, error) {
	data, err := json.Marshal(body)
	if err != nil {
		return answer{}, err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, base+"/api/v1/extract", bytes.NewReader(data))
	if err != nil {
		return answer{}, err
	}
	req.Header.Set("Authorization", "Bearer "+key)
	req.Header.Set("Content-Type", "application/json")
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return answer{}, err
	}
	defer func() { _ = res.Body.Close() }()
	raw, err := io.ReadAll(res.Body)
	if err != nil {
		return answer{}, err
	}
	a := answer{Status: res.StatusCode, raw: string(raw)}
	return a, json.Unmarshal(raw, &a)
}

func must(tb testing.TB, base, key string, body map[string]any) answer {
	tb.Helper()
	a, err := extract(tb.Context(), base, key, body)
	require.NoError(tb, err)
	return a
}

func inline(image []byte) string {
	return "data:image/jpeg;base64," + base64.StdEncoding.EncodeToString(image)
}

func requireSample(tb testing.TB, a answer) {
	tb.Helper()
	require.Equal(tb, 200, a.Status, a.raw)
	require.Less(tb, accuracy.Compare(sample.Text, a.Text).CER.Value(), 0.02, a.Text)
}

func TestApp_ReadsTheSamplePage(t *testing.T) {
	t.Parallel()
	origin := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(sample.Image) }))
	t.Cleanup(origin.Close)
	a := apptest.Start(t, app.Options{FetchAllow: []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32")}})
	_, key := apptest.Key(t, a, "pro")
	base := "http://" + a.Addr()
	requireSample(t, must(t, base, key, map[string]any{"imageUrl": inline(sample.Image)}))
	requireSample(t, must(t, base, key, map[string]any{"imageUrl": origin.URL + "/page.jpg", "format": "alto"}))
}

func TestApp_ReachesNoPrivateAddressUnasked(t *testing.T) {
	t.Parallel()
	var called atomic.Bool
	origin := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { called.Store(true) }))
	t.Cleanup(origin.Close)
	a := apptest.Start(t, app.Options{})
	_, key := apptest.Key(t, a, "pro")
	got := must(t, "http://"+a.Addr(), key, map[string]any{"imageUrl": origin.URL})
	require.Equal(t, 400, got.Status, got.raw)
	require.Contains(t, got.Details, "imageUrl")
	require.False(t, called.Load())
}

func TestApp_EndsAPageAtTheDeadline(t *testing.T) {
	t.Parallel()
	a := apptest.Start(t, app.Options{Engine: app.EngineOptions{Deadline: 20 * time.Millisecond}})
	id, key := apptest.Key(t, a, "pro")
	for range 2 { // the worker that was killed has been replaced
		got := must(t, "http://"+a.Addr(), key, map[string]any{"imageUrl": inline(sample.Image)})
		require.Equal(t, 500, got.Status, got.raw)
		require.Equal(t, "SERVER_ERROR", got.Code)
	}
	b, err := a.Data().Ledger.Balance(t.Context(), id)
	require.NoError(t, err)
	require.Zero(t, b.Used)
}

func TestApp_Stop_LosesNoRequest(t *testing.T) {
	t.Parallel()
	a := apptest.Start(t, app.Options{})
	id, key := apptest.Key(t, a, "pro")
	base := "http://" + a.Addr()
	var running sync.WaitGroup
	answers := make(chan answer, 3)
	for range cap(answers) {
		running.Go(func() {
			got, err := extract(context.Background(), base, key, map[string]any{"imageUrl": inline(sample.Image)})
			if err != nil {
				got.raw = err.Error()
			}
			answers <- got
		})
	}
	require.Eventually(t, func() bool {
		b, err := a.Data().Ledger.Balance(t.Context(), id)
		return err == nil && b.Used == 30
	}, 10*time.Second, 5*time.Millisecond, "all three hold their points")
	require.NoError(t, a.Stop(t.Context()))
	running.Wait()
	for range cap(answers) {
		requireSample(t, <-answers)
	}
	_, err := extract(t.Context(), base, key, map[string]any{"imageUrl": inline(sample.Image)})
	require.Error(t, err, "nothing listens any more")
}

// TestUncial_SurvivesKill kills the server in the middle of extractions and then asks the ledger.
func TestUncial_SurvivesKill(t *testing.T) {
	t.Parallel()
	options := app.DataOptions{
		Database:  "sqlite:" + filepath.Join(t.TempDir(), "uncial.db"),
		KeySecret: "a secret of tests, long enough to be one",
	}
	data, err := app.OpenData(t.Context(), options, slog.New(slog.DiscardHandler), time.Now)
	require.NoError(t, err)
	owner, err := data.Accounts.Create(t.Context(), "test", "pro")
	require.NoError(t, err)
	_, key, err := data.Accounts.CreateKey(t.Context(), account.NewKey{AccountID: owner.ID, Name: "test"})
	require.NoError(t, err)
	require.NoError(t, data.Close())

	var charged atomic.Int64
	for round := range 3 {
		server, base := mustServe(t, options)
		var running sync.WaitGroup
		for range 4 {
			running.Go(func() {
				for {
					got, err := extract(context.Background(), base, key, map[string]any{"imageUrl": inline(sample.Image)})
					if err != nil {
						return
					}
					if got.Status == 200 {
						charged.Add(1)
					}
				}
			})
		}
		require.Eventually(t, func() bool { return charged.Load() > int64(round) }, 30*time.Second, 10*time.Millisecond)
		require.NoError(t, server.Process.Kill())
		_ = server.Wait()
		running.Wait()
	}

	later := func() time.Time { return time.Now().Add(10 * time.Minute) }
	data, err = app.OpenData(t.Context(), options, slog.New(slog.DiscardHandler), later)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, data.Close()) })
	swept, err := data.Ledger.Sweep(t.Context())
	require.NoError(t, err)
	require.Positive(t, swept.Expired, "extractions were under way")
	b, err := data.Ledger.Balance(t.Context(), owner.ID)
	require.NoError(t, err)
	// An answer may be lost on the way after its points were settled: at most one for each connection.
	require.GreaterOrEqual(t, b.Used, 10*charged.Load())
	require.LessOrEqual(t, b.Used, 10*(charged.Load()+3*4))
	report, err := data.Ledger.Audit(t.Context())
	require.NoError(t, err)
	require.Empty(t, report.Discrepancies)
}

// mustServe starts the built server and reads its address from the first line of its log.
func mustServe(tb testing.TB, o app.DataOptions, args ...string) (*exec.Cmd, string) {
	tb.Helper()
	args = append([]string{
		"serve", "--listen", "127.0.0.1:0", "--database", o.Database, "--key-secret", o.KeySecret, "--workers", "2",
		"--worker", apptest.Binary(tb, "./impl/cmd/uncial-worker"),
	}, args...)
	cmd := exec.Command(apptest.Binary(tb, "./impl/cmd/uncial"), args...)
	logs, err := cmd.StderrPipe()
	require.NoError(tb, err)
	require.NoError(tb, cmd.Start())
	tb.Cleanup(func() { _ = cmd.Process.Signal(syscall.SIGKILL); _ = cmd.Wait() })
	scanner := bufio.NewScanner(logs)
	require.True(tb, scanner.Scan(), "the server said nothing")
	first := regexp.MustCompile(`address=(\S+)`).FindStringSubmatch(scanner.Text())
	require.NotNil(tb, first, scanner.Text())
	go func() { _, _ = io.Copy(io.Discard, logs) }()
	base := "http://" + first[1]
	require.Eventually(tb, func() bool {
		res, err := http.Get(base + "/readyz")
		if err != nil {
			return false
		}
		_ = res.Body.Close()
		return res.StatusCode == http.StatusOK
	}, 30*time.Second, 20*time.Millisecond)
	return cmd, base
}

func TestApp_KeysBehaveAsDecided(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	var lock sync.Mutex
	a := apptest.Start(t, app.Options{Logger: slog.New(slog.NewTextHandler(writerFunc(func(p []byte) (int, error) {
		lock.Lock()
		defer lock.Unlock()
		return log.Write(p)
	}), &slog.HandlerOptions{Level: slog.LevelDebug}))})
	id, active := apptest.Key(t, a, "pro")
	book := a.Data().Accounts
	create := func(n account.NewKey) (account.Key, string) {
		n.AccountID, n.Name = id, "test"
		k, token, err := book.CreateKey(t.Context(), n)
		require.NoError(t, err)
		return k, token
	}
	_, expired := create(account.NewKey{Lifetime: time.Millisecond})
	time.Sleep(2 * time.Millisecond)
	k, revoked := create(account.NewKey{})
	require.NoError(t, book.Revoke(t.Context(), k.ID))
	_, elsewhere := create(account.NewKey{Allow: []netip.Prefix{netip.MustParsePrefix("192.0.2.0/24")}})
	_, here := create(account.NewKey{Allow: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}})
	k, rotated := create(account.NewKey{})
	_, fresh, err := book.Rotate(t.Context(), k.ID, time.Hour)
	require.NoError(t, err)
	k, replaced := create(account.NewKey{})
	_, _, err = book.Rotate(t.Context(), k.ID, 0)
	require.NoError(t, err)

	tokens := []struct {
		name, token string
		status      int
	}{
		{"active", active, 200},
		{"expired", expired, 401},
		{"revoked", revoked, 401},
		{"from elsewhere", elsewhere, 401},
		{"from here", here, 200},
		{"rotated, in the overlap", rotated, 200},
		{"its successor", fresh, 200},
		{"rotated without overlap", replaced, 401},
		{"unknown", "ocr_live_000000000000000000000000000000000000", 401},
		{"of the mock", "ocr_test_ok", 401},
	}
	for _, c := range tokens {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+a.Addr()+"/api/v1/status", http.NoBody)
		require.NoError(t, err)
		req.Header.Set("Authorization", "Bearer "+c.token)
		res, err := http.DefaultClient.Do(req)
		require.NoError(t, err)
		body, err := io.ReadAll(res.Body)
		require.NoError(t, err)
		require.NoError(t, res.Body.Close())
		require.Equal(t, c.status, res.StatusCode, "%s: %s", c.name, body)
		require.NotContains(t, string(body), c.token)
	}
	lock.Lock()
	defer lock.Unlock()
	for _, c := range tokens {
		require.NotContains(t, log.String(), c.token, "a key stands in the log")
	}
}

type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }

func TestNew_NamesTheFlagAtFault(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		o    app.Options
		flag string
	}{
		{app.Options{EngineURL: "engine:8090"}, "--engine"},
		{app.Options{Engine: app.EngineOptions{Workers: -1}}, "--workers"},
		{app.Options{Enhance: app.EnhanceOptions{URL: "https://models.example.org/v1"}}, "--enhance-provider"},
		{app.Options{Enhance: app.EnhanceOptions{Provider: "oracle"}}, "--enhance-provider"},
		{app.Options{Enhance: app.EnhanceOptions{Provider: "openai", URL: "models.example.org"}}, "--enhance-url"},
		{app.Options{Engine: app.EngineOptions{Queue: -1}}, "--queue"},
	} {
		_, err := app.New(c.o)
		require.ErrorContains(t, err, c.flag)
	}
	for _, c := range []struct {
		o    app.Options
		flag string
	}{
		{app.Options{Listen: "256.0.0.1:1"}, "--listen"},
		{app.Options{Listen: "127.0.0.1:0", Data: app.DataOptions{Database: "mysql://x"}}, "--database"},
		{app.Options{Listen: "127.0.0.1:0", Data: app.DataOptions{Database: "sqlite::memory:", KeySecret: "short"}}, "--key-secret"},
		{app.Options{Listen: "127.0.0.1:0", Data: app.DataOptions{Database: "sqlite::memory:"}, Engine: app.EngineOptions{Worker: "/nowhere/uncial-worker"}}, "--worker"},
	} {
		c.o.Logger = slog.New(slog.DiscardHandler)
		a, err := app.New(c.o)
		require.NoError(t, err)
		err = a.Run(t.Context())
		require.ErrorContains(t, err, c.flag)
		require.NotContains(t, err.Error(), "panic")
	}
}

// TestApp_GrantsRacingCallersWhatTheyCanPay lets 256 callers race for 100 points: ten are served, and the others learn
// that their points are used up, not that the service is busy.
func TestApp_GrantsRacingCallersWhatTheyCanPay(t *testing.T) {
	t.Parallel()
	plans := filepath.Join(t.TempDir(), "plans.json")
	require.NoError(t, os.WriteFile(plans, []byte(`{"hundred": {"points": 100, "requestsPerMinute": 1000}}`), 0o600))
	a := apptest.Start(t, app.Options{Data: app.DataOptions{PlansFile: plans}, Engine: app.EngineOptions{Workers: 1}})
	_, key := apptest.Key(t, a, "hundred")
	var blank bytes.Buffer
	require.NoError(t, png.Encode(&blank, image.NewPaletted(image.Rect(0, 0, 300, 100), color.Palette{color.White})))
	body := map[string]any{"imageUrl": inline(blank.Bytes())}
	var lock sync.Mutex
	statuses := map[int]int{}
	var racing sync.WaitGroup
	for range 256 {
		racing.Go(func() {
			got, err := extract(t.Context(), "http://"+a.Addr(), key, body)
			lock.Lock()
			defer lock.Unlock()
			if err != nil {
				t.Error(err)
			}
			statuses[got.Status]++
		})
	}
	racing.Wait()
	require.Equal(t, map[int]int{200: 10, 402: 246}, statuses)
	report, err := a.Data().Ledger.Audit(t.Context())
	require.NoError(t, err)
	require.Empty(t, report.Discrepancies)
}

func TestApp_TellsOfPlansThatTheCatalogueLacks(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	plans := filepath.Join(dir, "plans.json")
	require.NoError(t, os.WriteFile(plans, []byte(`{"small": {"points": 100, "requestsPerMinute": 5}}`), 0o600))
	o := app.DataOptions{Database: "sqlite:" + filepath.Join(dir, "uncial.db"), WithoutKeys: true}
	data, err := app.OpenData(t.Context(), o, slog.New(slog.DiscardHandler), time.Now)
	require.NoError(t, err)
	_, err = data.Accounts.Create(t.Context(), "test", "pro")
	require.NoError(t, err)
	require.NoError(t, data.Close())

	o.PlansFile, o.WithoutKeys = plans, false
	var log bytes.Buffer
	var lock sync.Mutex
	apptest.Start(t, app.Options{Data: o, Logger: slog.New(slog.NewTextHandler(writerFunc(func(p []byte) (int, error) {
		lock.Lock()
		defer lock.Unlock()
		return log.Write(p)
	}), nil))})
	lock.Lock()
	defer lock.Unlock()
	require.Contains(t, log.String(), "plans=[pro]")
}

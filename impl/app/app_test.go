package app_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"uncial/impl/account"
	"uncial/impl/app"
	"uncial/impl/app/apptest"
	"uncial/impl/sample"
	"uncial/internal/logtest"
)

func TestMain(m *testing.M) { apptest.Main(m) }

func TestApp_Extract(t *testing.T) {
	t.Parallel()
	origin := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(sample.Image) }))
	t.Cleanup(origin.Close)
	a := apptest.Start(t, app.Options{FetchAllow: []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32")}})
	_, key := apptest.Key(t, a, "pro")
	base := "http://" + a.Addr()
	requireSample(t, mustExtract(t, base, key, map[string]any{"imageUrl": inline(sample.Image)}))
	requireSample(t, mustExtract(t, base, key, map[string]any{"imageUrl": origin.URL + "/page.jpg", "format": "alto"}))
}

func TestApp_Extract_Deadline(t *testing.T) {
	t.Parallel()
	a := apptest.Start(t, app.Options{Engine: app.EngineOptions{Deadline: 20 * time.Millisecond}})
	id, key := apptest.Key(t, a, "pro")
	for i := range 2 { // the second one needs the worker that replaced the killed one; an equal image would be refused at once
		got := mustExtract(t, "http://"+a.Addr(), key, map[string]any{"imageUrl": inline(append(slices.Clone(sample.Image), byte(i)))})
		require.Equal(t, 500, got.Status, got.raw)
		require.Equal(t, "SERVER_ERROR", got.Code)
	}
	require.Zero(t, mustBalance(t, a.Data(), id).Used)
}

func TestApp_Stop(t *testing.T) {
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
	require.Error(t, err, "nothing listens after Stop")
}

func TestNew_Invalid(t *testing.T) {
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
		{app.Options{Data: app.DataOptions{Database: "mysql://x"}}, "--database"},
		{app.Options{Data: app.DataOptions{Database: "sqlite::memory:", KeySecret: "short"}}, "--key-secret"},
		{app.Options{Engine: app.EngineOptions{Worker: "/nowhere/uncial-worker"}}, "--worker"},
	} {
		_, err := app.New(c.o)
		require.ErrorContains(t, err, c.flag)
	}
	a, err := app.New(app.Options{Listen: "256.0.0.1:1", EngineURL: "http://engine:8090", Logger: quiet})
	require.NoError(t, err)
	require.ErrorContains(t, a.Run(t.Context()), "--listen")
}

// TestApp_Start_FailedWorkers uses a program that ends at once, as uncial-worker does when --sandbox=require cannot be met.
func TestApp_Start_FailedWorkers(t *testing.T) {
	t.Parallel()
	var log logtest.Buffer
	a, err := app.New(app.Options{
		Listen: "127.0.0.1:0", AdminListen: "127.0.0.1:0", Data: app.DataOptions{Database: "sqlite::memory:"},
		Engine: app.EngineOptions{Worker: "/bin/false", Workers: 1, Sandbox: "require"}, Logger: log.Logger(),
	})
	require.NoError(t, err)
	require.Error(t, a.Run(t.Context()))
	require.NotContains(t, log.String(), "listening")
}

func TestApp_Start_UnknownPlans(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	plans := filepath.Join(dir, "plans.json")
	require.NoError(t, os.WriteFile(plans, []byte(`{"small": {"points": 100, "requestsPerMinute": 5}}`), 0o600))
	o := app.DataOptions{Database: "sqlite:" + filepath.Join(dir, "uncial.db"), WithoutKeys: true}
	data := mustOpenData(t, o, time.Now)
	_, err := data.Accounts.Create(t.Context(), "test", "pro")
	require.NoError(t, err)
	require.NoError(t, data.Close())

	o.PlansFile, o.WithoutKeys = plans, false
	var log logtest.Buffer
	a := apptest.Start(t, app.Options{Data: o, Logger: log.Logger()})
	require.Contains(t, log.String(), "plans=[pro]")

	list, err := a.Data().Statements(t.Context())
	require.NoError(t, err)
	require.Len(t, list, 1)
	require.Equal(t, `unknown plan "pro"; choose one of small`, list[0].Problem)
	_, key, err := a.Data().Accounts.CreateKey(t.Context(), account.NewKey{AccountID: list[0].ID, Name: "test"})
	require.NoError(t, err)
	got, err := call(t.Context(), http.MethodGet, "http://"+a.Addr()+"/api/v1/status", key, http.NoBody)
	require.NoError(t, err)
	require.Equal(t, 500, got.Status)
	require.Equal(t, "SERVER_ERROR", got.Code)
	require.NotContains(t, got.raw, "small", "the plans of the operator are for the log")
	require.Contains(t, log.String(), `unknown plan \"pro\"; choose one of small`)
}

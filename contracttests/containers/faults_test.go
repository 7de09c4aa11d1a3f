package containers_test

import (
	"context"
	"encoding/base64"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"uncial/impl/app"
	"uncial/impl/app/apptest"
	"uncial/testcontainers"
)

const (
	faults        = 240
	services      = 6 // tested at the same time, each behind its own proxies
	faultSeed     = 20260301
	callLimit     = 75 * time.Second // longer than anything the service waits for
	faultDuration = 1500 * time.Millisecond
	readDeadline  = time.Second // short, because the service allows an extraction this plus 2 minutes
)

// rig is a service whose three connections can fail: to Postgres, to the engine, and to the server of images.
type rig struct {
	app     *app.App
	proxies map[string]*testcontainers.FaultProxy
	image   string // URL
	account string // id
	key     string
}

func mustRig(t *testing.T, engine, origin string) *rig {
	t.Helper()
	database, err := url.Parse(testcontainers.Postgres(t))
	require.NoError(t, err)
	r := &rig{proxies: map[string]*testcontainers.FaultProxy{
		"postgres": testcontainers.Proxy(t, database.Host),
		"engine":   testcontainers.Proxy(t, strings.TrimPrefix(engine, "http://")),
		"origin":   testcontainers.Proxy(t, strings.TrimPrefix(origin, "http://")),
	}}
	database.Host = r.proxies["postgres"].Addr
	r.image = "http://" + r.proxies["origin"].Addr + "/word.png"
	month := time.Now()
	middle := time.Date(month.Year(), month.Month(), 15, 0, 0, 0, 0, time.UTC) // the points of a month that ends during the test would be lost
	shift := time.Until(middle)
	r.app = apptest.Start(t, app.Options{
		Now:        func() time.Time { return time.Now().Add(shift) },
		Data:       app.DataOptions{Database: database.String()},
		EngineURL:  "http://" + r.proxies["engine"].Addr,
		FetchAllow: []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32")},
		HoldTTL:    30 * time.Second,
		Engine:     app.EngineOptions{Deadline: readDeadline},
	})
	r.account, r.key = apptest.Key(t, r.app, "archive")
	return r
}

// randomFault returns a fault with parameters of the same order as the sizes and times of the answers.
func randomFault(rng *rand.Rand) testcontainers.Fault {
	kinds := []testcontainers.FaultKind{
		testcontainers.Latency, testcontainers.Reset, testcontainers.HalfOpen,
		testcontainers.SlowClose, testcontainers.Cut, testcontainers.CloseAtOnce,
	}
	return testcontainers.Fault{
		Kind:  kinds[rng.IntN(len(kinds))],
		Delay: time.Duration(rng.IntN(700)) * time.Millisecond,
		Bytes: int64(rng.IntN(3000)),
	}
}

// TestFaults_Random breaks the connections of a service while it works. Every call must end in time, with a 200 or an
// error of the contract, and exactly the calls answered with 200 must be charged.
func TestFaults_Random(t *testing.T) {
	engine, origin := testcontainers.Engine(t), mustOrigin(t)
	rigs := make([]*rig, services)
	for i := range rigs {
		rigs[i] = mustRig(t, engine, origin)
	}
	var running sync.WaitGroup
	for i, r := range rigs {
		running.Go(func() { r.injectFaults(t, rand.New(rand.NewPCG(faultSeed, uint64(i))), faults/services) })
	}
	running.Wait()
}

// mustOrigin starts a server with one image and returns its URL.
func mustOrigin(t *testing.T) string {
	t.Helper()
	img, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(word(t, "Aprille"), "data:image/png;base64,"))
	require.NoError(t, err)
	origin := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(img) }))
	t.Cleanup(origin.Close)
	return origin.URL
}

func (r *rig) extract(ctx context.Context) (answer, error) {
	return call(ctx, http.MethodPost, "http://"+r.app.Addr()+"/api/v1/extract", r.key, "", map[string]any{"imageUrl": r.image})
}

// TestFaults_Permanent makes each connection fall silent for good while it is open. The call must end within the service's
// own timeouts.
func TestFaults_Permanent(t *testing.T) {
	t.Parallel()
	engine, origin := testcontainers.Engine(t), mustOrigin(t)
	for name, limit := range map[string]time.Duration{
		"origin": 25 * time.Second, "postgres": 60 * time.Second, "engine": readDeadline + 2*time.Minute + 5*time.Second,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := mustRig(t, engine, origin)
			a, err := r.extract(t.Context())
			require.NoError(t, err)
			require.Equal(t, http.StatusOK, a.status, a.raw)

			r.proxies[name].Set(testcontainers.Fault{Kind: testcontainers.HalfOpen})
			ctx, cancel := context.WithTimeout(t.Context(), limit)
			defer cancel()
			began := time.Now()
			a, err = r.extract(ctx)
			require.NoError(t, err)
			t.Logf("%s: status %d after %s", name, a.status, time.Since(began).Round(time.Second))
			if name == "origin" {
				require.Equal(t, "INVALID_REQUEST", a.Code, a.raw)
			} else {
				require.Equal(t, "SERVER_ERROR", a.Code, a.raw)
			}
			r.proxies[name].Set(testcontainers.Fault{})
			r.requireCharged(t, 1)
		})
	}
}

// injectFaults makes n calls, each with one fault on one of the connections.
func (r *rig) injectFaults(t *testing.T, rng *rand.Rand, n int) {
	t.Helper()
	answered := int64(0)
	names := []string{"postgres", "engine", "origin"}
	for i := range n {
		name := names[rng.IntN(len(names))]
		proxy, fault := r.proxies[name], randomFault(rng)
		what := fmt.Sprintf("fault %d: %s on the connection to %s (%d bytes, %s)", i, fault.Kind, name, fault.Bytes, fault.Delay)
		proxy.Set(fault)
		if rng.IntN(2) == 0 {
			proxy.Drop() // reset open connections too
		}
		heal := time.AfterFunc(faultDuration, func() { proxy.Set(testcontainers.Fault{}) })
		ctx, cancel := context.WithTimeout(t.Context(), callLimit)
		a, err := r.extract(ctx)
		cancel()
		heal.Stop()
		proxy.Set(testcontainers.Fault{})
		if err != nil {
			t.Errorf("%s: the call failed: %v", what, err)
			continue
		}
		switch {
		case a.status == http.StatusOK:
			answered++
		case a.status == http.StatusBadRequest && a.Code == "INVALID_REQUEST" && name == "origin":
		case a.status == http.StatusInternalServerError && a.Code == "SERVER_ERROR":
		default:
			t.Errorf("%s: %d %s", what, a.status, a.raw)
		}
	}
	if answered == 0 || answered == int64(n) {
		t.Errorf("%d of %d calls were answered with 200; expected some, but not all, to fail", answered, n)
	}
	r.requireCharged(t, answered)
}

// requireCharged waits until all holds are settled or released, and compares the points used with the answers.
func (r *rig) requireCharged(t *testing.T, answered int64) {
	t.Helper()
	deadline := time.Now().Add(90 * time.Second)
	for {
		b, err := r.app.Data().Ledger.Balance(t.Context(), r.account)
		if err == nil && b.Used == price*answered {
			break
		}
		if time.Now().After(deadline) {
			t.Errorf("%d points used, %d extractions answered with 200, %v", b.Used, answered, err)
			break
		}
		time.Sleep(500 * time.Millisecond)
	}
	report, err := r.app.Data().Ledger.Audit(t.Context())
	if err != nil || len(report.Discrepancies) > 0 {
		t.Errorf("audit: %v %v", report.Discrepancies, err)
	}
	t.Logf("%d calls were answered with 200", answered)
}

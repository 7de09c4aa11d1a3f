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
	faults      = 240
	lanes       = 6 // services side by side, each with wires of its own
	faultSeed   = 20260301
	callLimit   = 75 * time.Second // longer than everything the service waits for
	troubleLast = 1500 * time.Millisecond
	reading     = time.Second // so that an extraction may take as little as it can: 2 minutes more
)

// rig is one service whose three wires can fail: to Postgres, to the engine, to the origin of images.
type rig struct {
	app   *app.App
	wires map[string]*testcontainers.Wire
	image string
	id    string
	key   string
}

func mustRig(t *testing.T, engine, origin string) *rig {
	t.Helper()
	database, err := url.Parse(testcontainers.Postgres(t))
	require.NoError(t, err)
	r := &rig{wires: map[string]*testcontainers.Wire{
		"postgres": testcontainers.Proxy(t, database.Host),
		"engine":   testcontainers.Proxy(t, strings.TrimPrefix(engine, "http://")),
		"origin":   testcontainers.Proxy(t, strings.TrimPrefix(origin, "http://")),
	}}
	database.Host = r.wires["postgres"].Addr
	r.image = "http://" + r.wires["origin"].Addr + "/word.png"
	r.app = apptest.Start(t, app.Options{
		Data:       app.DataOptions{Database: database.String()},
		EngineURL:  "http://" + r.wires["engine"].Addr,
		FetchAllow: []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32")},
		HoldTTL:    30 * time.Second,
		Engine:     app.EngineOptions{Deadline: reading},
	})
	r.id, r.key = apptest.Key(t, r.app, "archive")
	return r
}

// trouble draws a fault with a measure that meets the answers of the wire.
func trouble(rng *rand.Rand) testcontainers.Trouble {
	all := []testcontainers.Fault{
		testcontainers.Latency, testcontainers.Reset, testcontainers.HalfOpen,
		testcontainers.SlowClose, testcontainers.Cut, testcontainers.Refuse,
	}
	return testcontainers.Trouble{
		Fault: all[rng.IntN(len(all))],
		Delay: time.Duration(rng.IntN(700)) * time.Millisecond,
		Bytes: int64(rng.IntN(3000)),
	}
}

// TestWires_EveryCallEndsAndTheLedgerAgrees breaks the wires of the service while it works. Every call must end in time
// with a 200 or with an error of the contract, and what was charged must be what was answered.
func TestWires_EveryCallEndsAndTheLedgerAgrees(t *testing.T) {
	engine, origin := testcontainers.Tesseract(t), mustOrigin(t)
	rigs := make([]*rig, lanes)
	for i := range rigs {
		rigs[i] = mustRig(t, engine, origin)
	}
	var running sync.WaitGroup
	for i, r := range rigs {
		running.Go(func() { r.suffer(t, rand.New(rand.NewPCG(faultSeed, uint64(i))), faults/lanes) })
	}
	running.Wait()
}

// mustOrigin is the URL of a server with one image.
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

// TestWires_ThatStayDead has each wire fall silent for good while a connection on it is open. The call must end by what the
// service itself allows.
func TestWires_ThatStayDead(t *testing.T) {
	t.Parallel()
	engine, origin := testcontainers.Tesseract(t), mustOrigin(t)
	for wire, limit := range map[string]time.Duration{
		"origin": 25 * time.Second, "postgres": 60 * time.Second, "engine": reading + 2*time.Minute + 5*time.Second,
	} {
		t.Run(wire, func(t *testing.T) {
			t.Parallel()
			r := mustRig(t, engine, origin)
			a, err := r.extract(t.Context())
			require.NoError(t, err)
			require.Equal(t, http.StatusOK, a.status, a.raw)

			r.wires[wire].Set(testcontainers.Trouble{Fault: testcontainers.HalfOpen})
			ctx, cancel := context.WithTimeout(t.Context(), limit)
			defer cancel()
			began := time.Now()
			a, err = r.extract(ctx)
			require.NoError(t, err)
			t.Logf("%s: %d after %s", wire, a.status, time.Since(began).Round(time.Second))
			if wire == "origin" {
				require.Equal(t, "INVALID_REQUEST", a.Code, a.raw)
			} else {
				require.Equal(t, "SERVER_ERROR", a.Code, a.raw)
			}
			r.wires[wire].Set(testcontainers.Trouble{})
			r.settle(t, 1)
		})
	}
}

func (r *rig) suffer(t *testing.T, rng *rand.Rand, n int) {
	t.Helper()
	answered := int64(0)
	names := []string{"postgres", "engine", "origin"}
	for i := range n {
		name := names[rng.IntN(len(names))]
		wire, bad := r.wires[name], trouble(rng)
		what := fmt.Sprintf("fault %d: %s on the wire to %s (%d bytes, %s)", i, bad.Fault, name, bad.Bytes, bad.Delay)
		wire.Set(bad)
		if rng.IntN(2) == 0 {
			wire.Drop() // open connections too
		}
		heal := time.AfterFunc(troubleLast, func() { wire.Set(testcontainers.Trouble{}) })
		ctx, cancel := context.WithTimeout(t.Context(), callLimit)
		a, err := r.extract(ctx)
		cancel()
		heal.Stop()
		wire.Set(testcontainers.Trouble{})
		if err != nil {
			t.Errorf("%s: the call did not end well: %v", what, err)
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
		t.Errorf("%d of %d calls were answered with 200: the faults were too hard or no faults", answered, n)
	}
	r.settle(t, answered)
}

// settle waits until no hold is left and compares.
func (r *rig) settle(t *testing.T, answered int64) {
	t.Helper()
	deadline := time.Now().Add(90 * time.Second)
	for {
		b, err := r.app.Data().Ledger.Balance(t.Context(), r.id)
		if err == nil && b.Used == 10*answered {
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
	t.Logf("%d of the calls were answered with 200", answered)
}

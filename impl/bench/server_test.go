//go:build bench

package bench

import (
	"bytes"
	"context"
	"encoding/base64"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"uncial/impl"
	"uncial/impl/account"
	"uncial/impl/fetch"
	"uncial/impl/ledger"
	"uncial/impl/ocr"
	"uncial/impl/ocr/workerpool"
	"uncial/impl/ratelimit"
	"uncial/impl/store"
	"uncial/impl/store/storetest"
	"uncial/internal/document"
	"uncial/internal/edge"
	"uncial/testcontainers"
)

// recorded is a recognizer that answers at once with a document that a worker made.
type recorded struct{ doc *document.Document }

func (r recorded) Recognize(context.Context, ocr.Request) (*document.Document, error) {
	return r.doc, nil
}

func (recorded) Languages(context.Context) ([]string, error) { return []string{"en"}, nil }

// service is the real service, but without workers.
type service struct {
	url   string
	token string
	store *store.Store
	id    string // of the account
	books *ledger.Ledger
}

func mustServe(tb testing.TB, database string, doc *document.Document) service {
	tb.Helper()
	st := storetest.MustMigrate(tb, database)
	plans, err := account.ParseCatalogue(strings.NewReader(`{"bench": {"points": 1000000000000, "requestsPerMinute": 1000000}}`))
	require.NoError(tb, err)
	quiet := slog.New(slog.DiscardHandler)
	accounts, err := account.New(st, account.Options{Secret: []byte("a secret for benchmarks, as long as one must be"), Plans: plans, Log: quiet})
	require.NoError(tb, err)
	books := ledger.New(st, ledger.Options{Plans: plans})
	fetcher := fetch.New(fetch.Options{})
	tb.Cleanup(fetcher.Close)
	handler, err := edge.New(edge.Options{
		Server: &impl.Service{
			Ledger: books, Recognizer: recorded{doc}, Fetch: fetcher.Fetch, HoldTTL: time.Minute, Deadline: time.Minute, Now: time.Now, Logger: quiet,
		},
		Gate:   &impl.Gate{Accounts: accounts, Limits: ratelimit.New(st, nil), Ledger: books},
		Logger: quiet,
	})
	require.NoError(tb, err)
	server := httptest.NewServer(handler)
	tb.Cleanup(server.Close)
	owner, err := accounts.Create(tb.Context(), "An archive", "bench")
	require.NoError(tb, err)
	_, token, err := accounts.CreateKey(tb.Context(), account.NewKey{AccountID: owner.ID, Name: "A key"})
	require.NoError(tb, err)
	return service{server.URL + "/api/v1", token, st, owner.ID, books}
}

// bare starts a server that does nothing but answer with body, and returns its URL.
func bare(tb testing.TB, body []byte) string {
	tb.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write(body)
	}))
	tb.Cleanup(server.Close)
	return server.URL
}

// mustSend sends a request and returns the answer. If body is nil, it is a GET.
func mustSend(tb testing.TB, url, token string, body []byte) []byte {
	tb.Helper()
	method := http.MethodGet
	if body != nil {
		method = http.MethodPost
	}
	req, err := http.NewRequestWithContext(tb.Context(), method, url, bytes.NewReader(body))
	require.NoError(tb, err)
	req.Header.Set("Authorization", "Bearer "+token)
	req.Header.Set("Content-Type", "application/json")
	res, err := client.Do(req)
	require.NoError(tb, err)
	defer func() { _ = res.Body.Close() }()
	text, err := io.ReadAll(res.Body)
	require.NoError(tb, err)
	require.Equal(tb, http.StatusOK, res.StatusCode, "%s", text)
	return text
}

// callers is the number of requests at a time.
const callers = 16

var client = &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: callers}}

// rate returns how many times per second several callers together can call f.
func rate(tb testing.TB, calls int, f func()) float64 {
	tb.Helper()
	took := timeOf(func() {
		var group errgroup.Group
		group.SetLimit(callers)
		for range calls {
			group.Go(func() error { f(); return nil })
		}
		require.NoError(tb, group.Wait())
	})
	return float64(calls) / took.Seconds()
}

// benchStatus compares how many requests for /status the service and a bare handler answer per second.
func benchStatus(tb testing.TB, results *table) {
	tb.Helper()
	s := mustServe(tb, storetest.SQLite(tb), nil)
	other := bare(tb, mustSend(tb, s.url+"/status", s.token, nil))
	const rounds, calls = 15, 500
	var shares []float64
	for range rounds {
		ours := rate(tb, calls, func() { mustSend(tb, s.url+"/status", s.token, nil) })
		shares = append(shares, ours/rate(tb, calls, func() { mustSend(tb, other, s.token, nil) }))
	}
	results.add(tb, medianOf(shares, figure{
		what: fmt.Sprintf("requests a second of /status on SQLite compared with a bare handler, %d callers", callers), goal: 0.3, atLeast: true,
	}))
}

// benchOverhead measures the time of an extraction without the reading: the recognizer answers at once with a recorded
// document.
func benchOverhead(tb testing.TB, results *table) {
	tb.Helper()
	pool := mustPool(tb, workerpool.Options{Workers: 1})
	book := bookPages(mustPages(tb, pool))[0]
	doc, err := pool.Recognize(tb.Context(), ocr.Request{Image: book.image, Language: book.tag})
	require.NoError(tb, err)
	s := mustServe(tb, storetest.SQLite(tb), doc)
	inline := func(image []byte) []byte {
		return fmt.Appendf(nil, `{"imageUrl":"data:image/png;base64,%s"}`, base64.StdEncoding.EncodeToString(image))
	}
	for _, c := range []struct {
		what   string
		body   []byte
		goal   float64
		rounds int
	}{
		{fmt.Sprintf("a book page of %d KB inline", len(book.image)>>10), inline(book.image), 3, 100},
		{"an inline image of 20 MiB", inline(append(bytes.Clone(book.image), make([]byte, ocr.MaxBytes-len(book.image))...)), 120, 15},
	} {
		other := bare(tb, mustSend(tb, s.url+"/extract", s.token, c.body))
		var added []float64
		for range c.rounds {
			ours := timeOf(func() { mustSend(tb, s.url+"/extract", s.token, c.body) })
			theirs := timeOf(func() { mustSend(tb, other, s.token, c.body) })
			added = append(added, (ours-theirs).Seconds()*1000)
		}
		results.add(tb, medianOf(added, figure{
			what: "time of an extraction without the reading, minus that of a bare handler that reads the body: SQLite, " + c.what,
			goal: c.goal, unit: " ms",
		}))
	}
}

// postgresEnv is the URL of an empty database to use instead of one in a container.
const postgresEnv = "UNCIAL_BENCH_POSTGRES"

// benchPostgres compares /status, and holding and settling points, with pgbench, which runs the same statements.
func benchPostgres(tb testing.TB, results *table) {
	tb.Helper()
	database := os.Getenv(postgresEnv)
	if database == "" {
		database = testcontainers.Postgres(tb)
	}
	s := mustServe(tb, database, nil)
	settle := func() {
		h, err := s.books.Hold(tb.Context(), ledger.HoldRequest{AccountID: s.id, Points: 10, TTL: time.Minute})
		require.NoError(tb, err)
		_, err = s.books.Settle(tb.Context(), h, nil)
		require.NoError(tb, err)
	}
	settle() // opens the month
	var digest string
	require.NoError(tb, s.store.Reader().Get(tb.Context(), `SELECT digest FROM api_keys WHERE account_id = $1`, store.Args{s.id}, &digest))
	variables := []string{"-D", "account=" + s.id, "-D", "digest=" + digest, "-D", "period=" + time.Now().UTC().Format("2006-01")}
	for _, c := range []struct {
		what, script string
		goal         float64
		call         func()
	}{
		{"/status", "status.sql", 0.7, func() { mustSend(tb, s.url+"/status", s.token, nil) }},
		{"holding and settling points of one account", "settle.sql", 0.8, settle},
	} {
		const rounds, calls = 7, 1000
		var shares []float64
		for range rounds {
			ours := rate(tb, calls, c.call)
			shares = append(shares, ours/pgbench(tb, database, c.script, calls, variables))
		}
		results.add(tb, medianOf(shares, figure{
			what: fmt.Sprintf("%s a second on Postgres compared with pgbench with the same statements, prepared, %d callers", c.what, callers), goal: c.goal, atLeast: true,
		}))
	}
}

var transactionsASecond = regexp.MustCompile(`tps = ([0-9.]+)`)

// pgbench returns how many transactions per second pgbench(1) makes of a script in testdata.
func pgbench(tb testing.TB, database, script string, calls int, variables []string) float64 {
	tb.Helper()
	args := append([]string{
		"-n", "-M", "prepared", "-c", strconv.Itoa(callers), "-j", strconv.Itoa(runtime.GOMAXPROCS(0)), "-t", strconv.Itoa(calls / callers),
		"-f", filepath.Join("testdata", script),
	}, variables...)
	cmd := exec.CommandContext(tb.Context(), "pgbench", append(args, database)...)
	out, err := cmd.CombinedOutput()
	require.NoError(tb, err, "pgbench is in Debian's package postgresql-15, which `make bench` installs: %s", out)
	found := transactionsASecond.FindSubmatch(out)
	require.NotNil(tb, found, "%s", out)
	tps, err := strconv.ParseFloat(string(found[1]), 64)
	require.NoError(tb, err)
	return tps
}

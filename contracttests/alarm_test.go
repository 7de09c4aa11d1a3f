package contracttests_test

import (
	"bytes"
	"encoding/json"
	"io"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/joshdk/go-junit"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"uncial/contracttests"
	"uncial/mock"
)

// mustLoad describes a server by the text of a keys file.
func mustLoad(tb testing.TB, server, keys string) contracttests.Target {
	tb.Helper()
	path := filepath.Join(tb.TempDir(), "keys.json")
	require.NoError(tb, os.WriteFile(path, []byte(keys), 0o600))
	target := contracttests.Target{BaseURL: server + "/api/v1"}
	require.NoError(tb, target.LoadKeys(path))
	return target
}

const minimalKeys = `"keys": {"ok": "ocr_test_ok_m", "spare": ["ocr_test_ok_m2", "ocr_test_archive_m"], "low": ["ocr_test_low_m", "ocr_test_low_m2"],
	"empty": "ocr_test_empty_m", "expired": "ocr_test_expired_m", "revoked": "ocr_test_revoked_m", "ratelimited": "ocr_test_free_m"}`

// TestCheck_acceptsShortenedShapes runs the suite against mocks that send the required fields only, with a clock that stands
// still at an unknown instant and with one that runs.
func TestCheck_acceptsShortenedShapes(t *testing.T) {
	t.Parallel()
	for name, options := range map[string]mock.Options{"a clock that stands still": {}, "a running clock": {RealClock: true}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			honest := mock.New(options)
			server := MustServe(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				r.Header.Set("Prefer", "example=minimal")
				honest.ServeHTTP(w, r)
			}))
			report := contracttests.Check(t.Context(), mustLoad(t, server, `{`+minimalKeys+`, "simulated": true, "minimal": true}`))
			require.NoError(t, report.Err())
			require.Greater(t, report.Count(contracttests.Passed), 55)
		})
	}
}

func TestCheck_recognisesAMockWithoutSimulated(t *testing.T) {
	t.Parallel()
	report := contracttests.Check(t.Context(), mustLoad(t, MustMockServer(t), `{`+minimalKeys+`}`))
	require.Contains(t, report.Problem, `the server is a mock whose clock shows 2026-01-15T12:00:00Z; add "simulated": true to the keys file`)
	require.Empty(t, report.Results)
}

func TestReport_OK_needsACaseThatPassed(t *testing.T) {
	t.Parallel()
	var nothing contracttests.Report
	require.False(t, nothing.OK())
	report := contracttests.Check(t.Context(), unknownKey("http://127.0.0.1:1"))
	text, err := json.Marshal(report)
	require.NoError(t, err)
	require.Contains(t, string(text), `"results":[]`)
}

// impatient passes connections on to a server and closes some of them when another request begins: before it has reached the
// server, or after.
func impatient(tb testing.TB, server string, every int64, afterwards bool) (address string) {
	tb.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(tb, err)
	tb.Cleanup(func() { _ = ln.Close() })
	var posts atomic.Int64
	go func() {
		for {
			client, err := ln.Accept()
			if err != nil {
				return
			}
			go func() {
				defer func() { _ = client.Close() }()
				behind, err := net.Dial("tcp", strings.TrimPrefix(server, "http://"))
				if err != nil {
					return
				}
				defer func() { _ = behind.Close() }()
				go func() {
					_, _ = io.Copy(client, behind)
					_ = client.Close()
				}()
				part := make([]byte, 1<<20)
				for n := 0; ; n++ {
					size, err := client.Read(part)
					if err != nil {
						return
					}
					isPost := bytes.HasPrefix(part[:size], []byte("POST ")) && !bytes.Contains(part[:size], []byte("__mock"))
					closes := isPost && n > 0 && posts.Add(1)%every == 0
					if closes && !afterwards {
						return
					}
					if _, err := behind.Write(part[:size]); err != nil || closes {
						_ = client.Close()
						_, _ = behind.Read(part) // the server carries the request out
						return
					}
				}
			}()
		}
	}()
	return "http://" + ln.Addr().String()
}

func TestCheck_idleConnectionsThatAreClosed(t *testing.T) {
	t.Parallel()
	t.Run("requests that had no effect are sent again", func(t *testing.T) {
		t.Parallel()
		report := contracttests.Check(t.Context(), MustTarget(t, impatient(t, MustMockServer(t), 7, false)))
		require.Zero(t, report.Count(contracttests.Failed), report.Err())
		require.Greater(t, report.Count(contracttests.Passed), 75)
	})
	t.Run("requests that may have been carried out do not breach the contract", func(t *testing.T) {
		t.Parallel()
		target := MustTarget(t, impatient(t, MustMockServer(t), 2, true))
		target.Only = "^extract/(200/(least|two|blank)|400/shape)"
		report := contracttests.Check(t.Context(), target)
		require.Zero(t, report.Count(contracttests.Failed), report.Err())
		require.Positive(t, report.Count(contracttests.Errored))
		require.Contains(t, report.Problem, "the connection failed in")
		require.False(t, report.OK())
		var file bytes.Buffer
		require.NoError(t, report.WriteJUnit(&file))
		suites, err := junit.Ingest(file.Bytes())
		require.NoError(t, err)
		assert.Zero(t, suites[0].Totals.Failed)
		assert.Equal(t, report.Count(contracttests.Errored)+1, suites[0].Totals.Error)
	})
}

// TestCheck_documentsThatDoNotArrive follows a Link to an address at which the server closes the connection.
func TestCheck_documentsThatDoNotArrive(t *testing.T) {
	t.Parallel()
	honest := mock.New(mock.Options{})
	server := MustServe(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/elsewhere.yaml" {
			panic(http.ErrAbortHandler)
		}
		rec := httptest.NewRecorder()
		honest.ServeHTTP(rec, r)
		if rec.Code == http.StatusNotFound {
			rec.Header().Set("Link", `</elsewhere.yaml>; rel="service-desc"`)
		}
		maps.Copy(w.Header(), rec.Header())
		w.WriteHeader(rec.Code)
		_, _ = w.Write(rec.Body.Bytes())
	}))
	target := MustTarget(t, server)
	target.Only = "^(elsewhere/404/unknown-paths|status/200/record)$"
	report := contracttests.Check(t.Context(), target)
	require.Zero(t, report.Count(contracttests.Failed), report.Err())
	require.Equal(t, 1, report.Count(contracttests.Errored))
	require.Contains(t, report.Problem, "the connection failed in case ")
}

func TestCheck_reportsAnOddDocumentInOneLine(t *testing.T) {
	t.Parallel()
	honest := MustMock(t)
	for _, text := range []string{"openapi: 3.0.3\ninfo: {title: x, version: 1.1.0}\ncomponents: {}\npaths: {/x: null}\n", "", "[]", `{"openapi":"3.0.3","paths":{}}`} {
		target := with(honest, func(target *contracttests.Target) {
			target.Only = "^(elsewhere/document|status/200/record)$"
			target.Client = &http.Client{Transport: changing(func(path, body string) string {
				if strings.HasPrefix(path, "/openapi.") {
					return text
				}
				return body
			})}
		})
		report := contracttests.Check(t.Context(), target)
		require.Empty(t, report.Problem)
		require.Equal(t, 1, report.Count(contracttests.Failed), report.Results)
		require.Equal(t, "status/200/record", report.Results[0].Case)
		require.Equal(t, contracttests.Passed, report.Results[0].Outcome)
		require.Contains(t, report.Results[1].Reason, "is not")
		require.NotContains(t, report.Results[1].Reason, "\n")
	}
}

// TestCheck_namesTheHeader sends many headers at once: a failure is about the one that causes it.
func TestCheck_namesTheHeader(t *testing.T) {
	t.Parallel()
	target := MustTarget(t, MustDefect(t, "sends HTML to clients that prefer it"))
	target.Only = "^status/200/always-json$"
	report := contracttests.Check(t.Context(), target)
	require.Equal(t, 1, report.Count(contracttests.Failed))
	assert.NotContains(t, report.Results[0].Curl, "Save-Data")
}

// TestCheck_showsAnswersWithoutEscapes quotes an answer whose letters are escapes.
func TestCheck_showsAnswersWithoutEscapes(t *testing.T) {
	t.Parallel()
	honest := mock.New(mock.Options{})
	target := MustTarget(t, MustServe(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/api/v1/extract" && r.Header.Get("Authorization") != "" {
			_, _ = io.Copy(io.Discard, r.Body)
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(http.StatusPaymentRequired)
			_, _ = io.WriteString(w, `{"\u0063ode":"INSUFFICIENT_P\u004fINTS","message":"a \\u0041"}`)
			return
		}
		honest.ServeHTTP(w, r)
	})))
	target.Only = "^extract/200/least-request$"
	report := contracttests.Check(t.Context(), target)
	require.Equal(t, 1, report.Count(contracttests.Failed), report.Problem)
	assert.Equal(t, `402 {"code":"INSUFFICIENT_POINTS","message":"a \\u0041"}`, report.Results[0].Answer)
}

// TestCheck_blamesOneCase lets a server charge for an extraction that nobody waits for, at once or late: the next case must not
// be blamed too.
func TestCheck_blamesOneCase(t *testing.T) {
	t.Parallel()
	for _, does := range []string{"charges an extraction whose caller has gone", "holds no points, and charges a while after the caller has gone"} {
		t.Run(does, func(t *testing.T) {
			t.Parallel()
			target := MustTarget(t, MustDefect(t, does))
			target.Only = "^extract/(running-and-gone|400/image)$"
			report := contracttests.Check(t.Context(), target)
			require.Len(t, report.Results, 2)
			assert.Equal(t, contracttests.Failed, report.Results[0].Outcome)
			assert.Equal(t, contracttests.Passed, report.Results[1].Outcome, report.Results[1].Reason)
		})
	}
}

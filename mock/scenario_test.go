package mock_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"uncial/mock"
)

func TestMock_KeyScenarios(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		key             string
		extract, status int
		code            string
		plan            string
		used, remaining int64 // before anything is extracted
	}{
		{"ocr_test_ok", 200, 200, "", "pro", 0, 10_000},
		{"ocr_test_low", 200, 200, "", "pro", 9_988, 12},
		{"ocr_test_empty", 402, 200, "INSUFFICIENT_POINTS", "pro", 10_000, 0},
		{"ocr_test_expired", 401, 401, "INVALID_API_KEY", "", 0, 0},
		{"ocr_test_revoked", 401, 401, "INVALID_API_KEY", "", 0, 0},
		{"ocr_test_ratelimited", 429, 200, "RATE_LIMITED", "pro", 0, 10_000},
		{"ocr_test_err", 500, 500, "SERVER_ERROR", "", 0, 0},
		{"ocr_test_free", 200, 200, "", "free", 0, 300},
		{"ocr_test_archive", 200, 200, "", "archive", 0, 1_000_000},
		{"ocr_test_unknown", 401, 401, "INVALID_API_KEY", "", 0, 0},
		{"ocr_test_ok_", 401, 401, "INVALID_API_KEY", "", 0, 0},
		{"ocr_test_okay", 401, 401, "INVALID_API_KEY", "", 0, 0},
		{"ocr_live_ok", 401, 401, "INVALID_API_KEY", "", 0, 0},
	} {
		suffixes := []string{"", "_suffix", "_a_b.c~d", "_TestClient_Retries/after_402/" + strings.Repeat("x", 400), "_="}
		if strings.HasSuffix(c.key, "_") {
			suffixes = suffixes[:1]
		}
		for _, suffix := range suffixes {
			t.Run(c.key+suffix, func(t *testing.T) {
				t.Parallel()
				m := mock.New(mock.Options{})
				status := do(t, m, c.status, statusAt("", c.key+suffix))
				if c.status == 200 {
					require.Equal(t, c.plan, status.Plan)
					require.Equal(t, "active", status.Status)
					require.Equal(t, c.used, status.PointsUsed)
					require.Equal(t, c.remaining, status.PointsRemaining)
					require.Equal(t, c.used+c.remaining, status.PointsTotal)
					require.Equal(t, status.RateLimit.Remaining, status.RateLimitRemaining)
				}
				require.Equal(t, c.code, do(t, m, c.extract, extractionAt("", c.key+suffix, image("printed"))).Code)
			})
		}
	}
}

func TestMock_KeyScenarios_Slow(t *testing.T) {
	t.Parallel()
	m := mock.New(mock.Options{})
	started := time.Now()
	a := do(t, m, 200, extractionAt("", "ocr_test_slow", image("slow-1"), "Prefer", "delay=1"))
	require.GreaterOrEqual(t, time.Since(started), 2*time.Second, "the key takes precedence over image and header")
	require.Empty(t, a.header.Get("Preference-Applied"))
	require.Greater(t, a.ProcessingTime, int64(2000))
}

// imageCases has every image scenario. body are parts of the answer; header is a "Name: value" of it.
var imageCases = []struct {
	image  string
	status int
	body   []string
	header string
}{
	{"printed", 200, nil, ""},
	{"printed/page-7.tif?x=1", 200, nil, ""},
	{"blank", 200, []string{`"text":""`, `"confidence":0,`}, ""},
	{"low-confidence", 200, nil, ""},
	{"broken-word", 200, []string{`begin-\nning`}, ""},
	{"weak", 200, []string{`"reason":"unread-ink"`, `"reason":"unfamiliar-handwriting"`, `"reason":"low-confidence"`, `"reason":"doubtful-order"`}, ""},
	{"multi-page", 200, []string{`\f`}, ""},
	{"illustrated", 200, nil, ""},
	{"signs", 200, []string{`<i>Stand</i>`, "q\u0303", "\U00010330", `\"twice\\\"`}, ""},
	{"long", 200, nil, ""},
	{"ten-pages", 200, []string{`\f`}, ""},
	{"faded", 200, []string{`"reason":"low-confidence"`}, ""},
	{"slow-20", 200, nil, ""},
	{"400", 400, []string{`"imageUrl":"the server returned 404`}, ""},
	{"not-an-image", 400, []string{`"imageUrl":"the file is not an image`}, ""},
	{"400", 400, []string{`"fetch":{"reason":"not-found","retryable":false}`}, ""},
	{"fetch-busy", 400, []string{`"fetch":{"reason":"busy","retryable":true,"retryAfter":7}`}, ""},
	{"fetch-tls/1.jpg", 400, []string{`"fetch":{"reason":"tls","retryable":false}`}, ""},
	{"fetch-boredom", 400, []string{`"reason":"not-found"`, "/fetch-busy"}, ""},
	{"elsewhere", 400, []string{"/low-confidence"}, ""},
	{"slow-30001", 400, []string{"/slow-1500"}, ""},
	{"slow-x", 400, []string{"/printed"}, ""},
	{"", 400, []string{"/printed"}, ""},
	{"401", 401, nil, "WWW-Authenticate: Bearer"},
	{"402", 402, []string{`"remainingPoints":2,`, `"nextReset":"2026-02-01T00:00:00Z"`}, ""},
	{"429", 429, []string{`"remainingPoints":10000`}, `RateLimit: "account";r=0;t=60`},
	{"429", 429, nil, "Retry-After: 60"},
	{"500", 500, nil, "Retry-After: "},
	{"busy", 500, nil, "Retry-After: 5"},
}

func TestMock_ImageScenarios(t *testing.T) {
	t.Parallel()
	codes := map[int]string{400: "INVALID_REQUEST", 401: "INVALID_API_KEY", 402: "INSUFFICIENT_POINTS", 429: "RATE_LIMITED", 500: "SERVER_ERROR"}
	for _, c := range imageCases {
		t.Run("/"+c.image, func(t *testing.T) {
			t.Parallel()
			m := mock.New(mock.Options{})
			a := do(t, m, c.status, extractionAt("", "ocr_test_ok", image(c.image)))
			require.Equal(t, codes[c.status], a.Code)
			for _, part := range c.body {
				require.Contains(t, string(a.raw), part)
			}
			if name, value, ok := strings.Cut(c.header, ": "); ok {
				require.Equal(t, value, a.header.Get(name))
			}
			s := do(t, m, 200, statusAt("", "ocr_test_ok"))
			charged, counted := int64(0), int64(1)
			if c.status == 200 {
				charged = 10
			}
			if c.status == 401 || c.status == 429 {
				counted = 0
			}
			require.Equal(t, charged, s.PointsUsed, "only a success is charged")
			require.Equal(t, 60-counted, s.RateLimitRemaining, "what production refuses before it counts is not counted")
		})
	}
	m := mock.New(mock.Options{})
	require.Equal(t, 2, strings.Count(*do(t, m, 200, extractionAt("", "ocr_test_ok", image("multi-page"))).Text, "\f"))
	barely := do(t, m, 200, extractionAt("", "ocr_test_ok", image("low-confidence")))
	require.NotEmpty(t, *barely.Text)
	require.Less(t, barely.Confidence, 0.4)
	blank := do(t, m, 200, extractionAt("", "ocr_test_ok", image("blank")))
	slow := do(t, m, 200, extractionAt("", "ocr_test_ok", image("slow-20")))
	require.GreaterOrEqual(t, slow.ProcessingTime, blank.ProcessingTime+20)
}

func TestMock_ImageScenarios_MisreadWordsAreWeak(t *testing.T) {
	t.Parallel()
	m := mock.New(mock.Options{})
	a := do(t, m, 200, extractionAt("", "ocr_test_ok", image("difficult")))
	require.Contains(t, string(a.raw), `"reason":"low-confidence"`)
}

func TestMock_ImageScenarios_PageKinds(t *testing.T) {
	t.Parallel()
	m := mock.New(mock.Options{})
	raiseLimits(t, m, benchKey)
	kinds := map[string]map[string]bool{"printed": {}, "handwritten": {}}
	for kind, production := range map[string]string{"printed": "", "handwritten": `production="handwritten-cursive"`} {
		for i := range 40 {
			body := `{"imageUrl":"http://MOCK.invalid:80/` + kind + "?" + strings.Repeat("x", i) + `","format":"page"}`
			a := do(t, m, 200, extractionAt("", benchKey, body))
			kinds[kind][*a.Text] = true
			require.Equal(t, production != "", strings.Contains(a.Document, "handwritten-cursive"))
		}
	}
	require.Len(t, kinds["printed"], 2, "the query tells images apart: all printed English texts are found")
	require.Len(t, kinds["handwritten"], 2)
	for text := range kinds["printed"] {
		require.False(t, kinds["handwritten"][text])
	}
}

func TestMock_Prefer(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name    string
		prefer  []string
		status  int
		applied string
	}{
		{"honours a status", []string{"code=402"}, 402, "code=402"},
		{"honours the usual status", []string{"code=200"}, 200, "code=200"},
		{"honours several in one header", []string{"code=500,delay=1"}, 500, "code=500, delay=1"},
		{"accepts several headers, spaces, any case and quotes", []string{`Delay = "1"`, ` , EXAMPLE=full ,`}, 200, "delay=1, example=full"},
		{"uses the first of two", []string{"code=500, code=402"}, 500, "code=500"},
		{"ignores example and seed for an error", []string{"code=429, example=minimal, seed=7"}, 429, "code=429"},
		{"honours a seed", []string{"seed=7"}, 200, "seed=7"},
		{"accepts an empty header", []string{""}, 200, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			r := extractionAt("", "ocr_test_ok", image("printed"))
			r.Header["Prefer"] = c.prefer
			a := do(t, mock.New(mock.Options{}), c.status, r)
			require.Equal(t, c.applied, a.header.Get("Preference-Applied"))
		})
	}
}

func TestMock_Prefer_Invalid(t *testing.T) {
	t.Parallel()
	for prefer, reason := range map[string]string{
		"code=418":              "code must be one of 200, 400, 401, 402, 429, 500",
		"code":                  "code must be",
		"code=404":              "code must be",
		"example=blank":         "example must be full or minimal",
		"delay=30001":           "0 to 30000",
		"delay=1s":              "delay must be",
		"delay=-1":              "delay must be",
		"seed=-1":               "seed must be",
		"respond-async":         `unknown preference "respond-async"`,
		"code=402; foo=bar":     "separated by commas",
		"code=402 delay=1":      "separated by commas",
		"=402":                  "separated by commas",
		`code="402`:             "unterminated",
		"return=minimal":        `unknown preference "return"`,
		"code=402, delay=never": "delay must be",
	} {
		t.Run(prefer, func(t *testing.T) {
			t.Parallel()
			m := mock.New(mock.Options{})
			a := do(t, m, 400, extractionAt("", "ocr_test_ok", image("printed"), "Prefer", prefer))
			require.Contains(t, a.Details["Prefer"], reason)
			require.Empty(t, a.header.Get("Preference-Applied"))
			require.NotEmpty(t, do(t, m, 400, statusAt("", "ocr_test_ok", "Prefer", prefer)).Details["Prefer"])
		})
	}
	m := mock.New(mock.Options{})
	for _, code := range []string{"402", "429"} {
		a := do(t, m, 400, statusAt("", "ocr_test_ok", "Prefer", "code="+code))
		require.Equal(t, "code must be one of 200, 400, 401, 500", a.Details["Prefer"], "a status is never %s", code)
	}
	a := do(t, m, 400, extractionAt("", "ocr_test_ok", `{"imageUrl":"https://a.example/","language":"tlh"}`, "Prefer", "x"))
	require.Len(t, a.Details, 2, "all errors at once")
}

func TestMock_Precedence(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, key, image, prefer string
		status                   int
	}{
		{"key before image", "ocr_test_err", "402", "", 500},
		{"key before header", "ocr_test_err", "printed", "code=402", 500},
		{"points before image", "ocr_test_empty", "500", "", 402},
		{"points before header", "ocr_test_empty", "printed", "code=500", 402},
		{"rate limit before everything else", "ocr_test_ratelimited", "500", "code=402", 429},
		{"key state before everything else", "ocr_test_expired", "500", "code=402", 401},
		{"image before header", "ocr_test_ok", "500", "code=402", 500},
		{"header before default", "ocr_test_ok", "printed", "code=402", 402},
	} {
		t.Run("puts "+c.name, func(t *testing.T) {
			t.Parallel()
			r := extractionAt("", c.key, image(c.image))
			if c.prefer != "" {
				r.Header.Set("Prefer", c.prefer)
			}
			do(t, mock.New(mock.Options{}), c.status, r)
		})
	}
}

func TestMock_Precedence_Delays(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, key, image, prefer string
		minTime                  int64 // milliseconds in processingTime
		applied                  string
	}{
		{"image before header", "ocr_test_ok", "slow-40", "delay=90", 40, ""},
		{"header before flag", "ocr_test_ok", "blank", "delay=90", 90, "delay=90"},
		{"header of no delay before flag", "ocr_test_ok", "blank", "delay=0", 0, "delay=0"},
		{"flag", "ocr_test_ok", "blank", "", 20, ""},
	} {
		t.Run("uses "+c.name, func(t *testing.T) {
			t.Parallel()
			m := mock.New(mock.Options{Latency: mock.Latency{Min: 20 * time.Millisecond, Max: 20 * time.Millisecond}})
			r := extractionAt("", c.key, image(c.image))
			if c.prefer != "" {
				r.Header.Set("Prefer", c.prefer)
			}
			undelayed := do(t, mock.New(mock.Options{}), 200, extractionAt("", c.key, image(c.image), "Prefer", "delay=0"))
			started := time.Now()
			a := do(t, m, 200, r)
			require.GreaterOrEqual(t, time.Since(started).Milliseconds(), c.minTime)
			if c.image == "blank" {
				require.Equal(t, c.minTime, a.ProcessingTime-undelayed.ProcessingTime)
			}
			require.Equal(t, c.applied, a.header.Get("Preference-Applied"))
		})
	}
}

// mustWithout returns a JSON object without a member.
func mustWithout(tb testing.TB, object []byte, name string) []byte {
	tb.Helper()
	var members map[string]any
	require.NoError(tb, json.Unmarshal(object, &members))
	delete(members, name)
	rest, err := json.Marshal(members)
	require.NoError(tb, err)
	return rest
}

func TestMock_Prefer_Minimal(t *testing.T) {
	t.Parallel()
	m := mock.New(mock.Options{})
	a := do(t, m, 200, extractionAt("", "ocr_test_ok", `{"imageUrl":"http://mock.invalid/blank","format":"alto","enhance":true}`, "Prefer", "example=minimal"))
	require.JSONEq(t, `{"success":true,"text":"","confidence":0,"pointsUsed":10}`, string(mustWithout(t, a.raw, "document")))
	require.Contains(t, string(a.raw), `"document":"<?xml`, "a field that the caller asked for stays")
	a = do(t, m, 200, extractionAt("", "ocr_test_ok", `{"imageUrl":"http://mock.invalid/blank","format":"text"}`, "Prefer", "example=minimal"))
	require.JSONEq(t, `{"success":true,"text":"","confidence":0,"pointsUsed":10}`, string(a.raw))
	a = do(t, m, 200, statusAt("", "ocr_test_ok", "Prefer", "example=minimal, seed=3"))
	require.JSONEq(t, `{"plan":"pro","pointsUsed":20,"pointsRemaining":9980,"rateLimitRemaining":58}`, string(a.raw))
	require.Equal(t, "example=minimal", a.header.Get("Preference-Applied"), "a seed does not affect a status")
	for code, status := range map[string]int{"400": 400, "401": 401, "500": 500} {
		do(t, m, status, statusAt("", "ocr_test_ok", "Prefer", "code="+code))
	}
}

func TestMock_ClientGone(t *testing.T) {
	t.Parallel()
	m := mock.New(mock.Options{})
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Millisecond)
	defer cancel()
	started := time.Now()
	m.ServeHTTP(httptest.NewRecorder(), extractionAt("", "ocr_test_ok", image("slow-20000")).WithContext(ctx))
	require.Less(t, time.Since(started), 5*time.Second)
	require.Zero(t, do(t, m, 200, statusAt("", "ocr_test_ok")).PointsUsed, "a client that has gone pays nothing")
}

func TestMock_Latency(t *testing.T) {
	t.Parallel()
	m := mock.New(mock.Options{Latency: mock.Latency{Min: 20 * time.Millisecond, Max: 60 * time.Millisecond}, Seed: 1})
	again := mock.New(mock.Options{Latency: mock.Latency{Min: 20 * time.Millisecond, Max: 60 * time.Millisecond}, Seed: 1})
	different := map[int64]bool{}
	for range 6 {
		started := time.Now()
		a := do(t, m, 200, extractionAt("", "ocr_test_ok", image("blank")))
		require.GreaterOrEqual(t, time.Since(started), 20*time.Millisecond)
		require.GreaterOrEqual(t, a.ProcessingTime, int64(140))
		require.LessOrEqual(t, a.ProcessingTime, int64(180))
		require.Equal(t, a.ProcessingTime, do(t, again, 200, extractionAt("", "ocr_test_ok", image("blank"))).ProcessingTime)
		different[a.ProcessingTime] = true
	}
	require.Greater(t, len(different), 2, "latencies differ from request to request")
	capped := mock.New(mock.Options{Latency: mock.Latency{Min: -time.Hour, Max: -time.Minute}})
	do(t, capped, 200, extractionAt("", "ocr_test_ok", image("blank")))
}

func TestMock_Languages(t *testing.T) {
	t.Parallel()
	a := do(t, mock.New(mock.Options{}), 400, extractionAt("", "ocr_test_ok", `{"imageUrl":"https://a.example/","language":"tlh"}`))
	require.Equal(t, `"tlh" is not supported; choose one of de, de-Latf, en, enm, es, fr, frm, grc, it, la, nl, pt, und`, a.Details["language"])
	a = do(t, mock.New(mock.Options{}), 200, extractionAt("", "ocr_test_ok", `{"imageUrl":"https://a.example/","language":"en-GB"}`))
	require.Equal(t, "en", a.Language, "the tag that was used")

	m, found := mock.New(mock.Options{}), map[string]bool{}
	ask := func(n int, tag string) answer {
		return do(t, m, 200, extractionAt("", fmt.Sprintf("ocr_test_ok_%d", n), fmt.Sprintf(`{"imageUrl":"https://a.example/%d","language":"%s"}`, n, tag)))
	}
	for n := range 40 {
		a := ask(n, "und")
		found[a.Language] = true
		require.Equal(t, *a.Text, *ask(n, a.Language).Text, "the same reading as in the language that was found")
	}
	require.Len(t, found, 12, "every language occurs, and und does not")
	require.Equal(t, "und", do(t, m, 200, extractionAt("", "ocr_test_ok", `{"imageUrl":"http://mock.invalid/blank","language":"und"}`)).Language)
}

func TestMock_OtherOrigins(t *testing.T) {
	t.Parallel()
	m := mock.New(mock.Options{})
	w := httptest.NewRecorder()
	m.ServeHTTP(w, request(http.MethodOptions, "/api/v1/extract", "", "Origin", "https://app.example",
		"Access-Control-Request-Method", "POST", "Access-Control-Request-Headers", "authorization,content-type,prefer"))
	require.Equal(t, http.StatusNoContent, w.Code)
	require.Equal(t, "*", w.Header().Get("Access-Control-Allow-Origin"))
	require.Equal(t, "authorization,content-type,prefer", w.Header().Get("Access-Control-Allow-Headers"))
	a := do(t, m, 200, extractionAt("", "ocr_test_ok", image("printed"), "Origin", "https://app.example", "Prefer", "seed=1"))
	require.Equal(t, "*", a.header.Get("Access-Control-Allow-Origin"))
	require.Contains(t, a.header.Get("Access-Control-Expose-Headers"), "Preference-Applied")
	require.Equal(t, "ok", do(t, m, 200, request(http.MethodGet, "/healthz", "")).Status)
}

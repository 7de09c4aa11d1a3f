package mock_test

import (
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

func TestControl_PutKey(t *testing.T) {
	t.Parallel()
	m := mock.New(mock.Options{})
	put := func(status int, key, body string) answer {
		return do(t, m, status, control(http.MethodPut, "/__mock/keys/"+key, body))
	}
	a := put(200, "ocr_test_mine", `{"balance":25,"limit":3}`)
	require.JSONEq(t, `{"plan":"pro","balance":25,"limit":3,"status":"active"}`, string(a.raw))
	for range 2 {
		do(t, m, 200, extractionAt("", "ocr_test_mine", image("printed")))
	}
	do(t, m, 402, extractionAt("", "ocr_test_mine", image("printed")))
	do(t, m, 429, extractionAt("", "ocr_test_mine", image("printed")))
	require.JSONEq(t, `{"plan":"free","balance":300,"limit":10,"status":"active"}`, string(put(200, "ocr_test_mine", `{"plan":"free"}`).raw))
	require.JSONEq(t, `{"plan":"free","balance":5000,"limit":10,"status":"active"}`, string(put(200, "ocr_test_mine", `{"balance":5000}`).raw))
	require.Equal(t, int64(5000), do(t, m, 200, statusAt("", "ocr_test_mine")).PointsTotal, "the allowance grows with the balance")
	put(200, "ocr_test_mine", `{"status":"revoked"}`)
	do(t, m, 401, statusAt("", "ocr_test_mine"))
	put(200, "ocr_test_expired_revived", `{"status":"active"}`)
	do(t, m, 200, statusAt("", "ocr_test_expired_revived"))

	for _, c := range []struct{ key, body, field string }{
		{"ocr_live_mine", `{}`, "key"},
		{"ocr_test_", `{}`, "key"},
		{"ocr_test_" + strings.Repeat("x", 504), `{}`, "key"},
		{"ocr_test_a%20b", `{}`, "key"},
		{"ocr_test_mine", `{"plan":"gold"}`, "plan"},
		{"ocr_test_mine", `{"balance":-1}`, "balance"},
		{"ocr_test_mine", `{"limit":0}`, "limit"},
		{"ocr_test_mine", `{"status":"tired"}`, "status"},
		{"ocr_test_mine", `{"balance":"lots"}`, "body"},
		{"ocr_test_mine", `{"limit":1.5}`, "body"},
		{"ocr_test_mine", `{"plan":1}`, "body"},
		{"ocr_test_mine", `{"points":1}`, "body"},
		{"ocr_test_mine", `{} {}`, "body"},
		{"ocr_test_mine", `[]`, "body"},
		{"ocr_test_mine", ``, "body"},
	} {
		a := put(400, c.key, c.body)
		require.Contains(t, a.Details, c.field, "%s %s", c.key, c.body)
		require.NotContains(t, string(a.raw), "mock.", "the answer names no Go types")
	}
}

func TestControl_ExplainsInvalidBodies(t *testing.T) {
	t.Parallel()
	m := mock.New(mock.Options{})
	for body, want := range map[string]string{
		"x":                  "invalid JSON at line 1, column 1: unexpected 'x'; expected a JSON object",
		`{"balance":1e99}`:   `unexpected JSON number 1e99 at "balance"; expected a whole number`,
		`{"balance":"lots"}`: `unexpected JSON string at "balance"; expected a whole number`,
	} {
		require.Equal(t, want, do(t, m, 400, control(http.MethodPut, "/__mock/keys/ocr_test_mine", body)).Details["body"])
	}
}

func TestControl_MoveClock(t *testing.T) {
	t.Parallel()
	m := mock.New(mock.Options{})
	post := func(status int, query, body string) answer {
		return do(t, m, status, control(http.MethodPost, "/__mock/clock"+query, body))
	}
	require.JSONEq(t, `{"now":"2026-01-15T12:01:00Z","frozen":true}`, string(post(200, "", `{"advance":"1m"}`).raw))
	require.JSONEq(t, `{"now":"2026-01-15T13:01:00Z","frozen":true}`, string(post(200, "?key=ocr_test_ok_mine", `{"advance":"1h"}`).raw))
	require.JSONEq(t, `{"now":"2026-03-01T00:00:00Z","frozen":true}`, string(post(200, "", `{"now":"2026-03-01T01:00:00+01:00"}`).raw))
	require.JSONEq(t, `{"now":"2026-03-01T01:00:00Z","frozen":true}`, string(post(200, "?key=ocr_test_ok_mine", `{"advance":"0s"}`).raw), "a key's clock moves with the mock's")
	for _, c := range []struct{ query, body, field string }{
		{"", `{}`, "body"},
		{"", `{"now":"2026-03-02T00:00:00Z","advance":"1s"}`, "body"},
		{"", `{"now":"2026-01-15T12:00:00Z"}`, "body"},
		{"", `{"now":"tomorrow"}`, "now"},
		{"", `{"now":5}`, "body"},
		{"", `{"advance":5}`, "body"},
		{"", `{"now":"9999-01-01T00:00:00Z"}`, "body"},
		{"", `{"advance":"-1s"}`, "body"},
		{"", `{"advance":"2000000h"}`, "body"},
		{"", `{"advance":"soon"}`, "advance"},
		{"?key=ocr_test_nobody", `{"advance":"1s"}`, "key"},
		{"?key=", `{"advance":"1s"}`, "query"},
		{"?keys=x", `{"advance":"1s"}`, "query"},
		{"?%zz", `{"advance":"1s"}`, "query"},
	} {
		require.Contains(t, post(400, c.query, c.body).Details, c.field, "%s %s", c.query, c.body)
	}
	running := mock.New(mock.Options{RealClock: true})
	a := do(t, running, 200, control(http.MethodPost, "/__mock/clock", `{"advance":"24h"}`))
	require.Contains(t, string(a.raw), `"frozen":false`)
}

func journal(t *testing.T, h http.Handler, query string) []map[string]any {
	t.Helper()
	var got struct{ Requests []map[string]any }
	require.NoError(t, json.Unmarshal(do(t, h, 200, control(http.MethodGet, "/__mock/requests"+query, "")).raw, &got))
	return got.Requests
}

func TestControl_Requests(t *testing.T) {
	t.Parallel()
	m := mock.New(mock.Options{})
	a := do(t, m, 400, extractionAt("", "ocr_test_ok", `{"imageUrl":1}`, "X-Trace", "42"))
	do(t, m, 200, statusAt("", "ocr_test_ok_other"))
	do(t, m, 401, request(http.MethodGet, "/api/v1/status", ""))
	do(t, m, 200, extractionAt("", "ocr_test_ok", `{"imageUrl":"https://a.example/`+strings.Repeat("x", 5000)+`"}`, "X-Request-Id", "mine"))
	all := journal(t, m, "")
	require.Len(t, all, 4)
	require.Equal(t, `{"imageUrl":1}`, all[0]["body"])
	require.InDelta(t, 400, all[0]["status"], 0)
	require.Equal(t, a.header.Get("X-Request-Id"), all[0]["requestId"])
	require.Equal(t, "2026-01-15T12:00:00Z", all[0]["time"])
	require.Equal(t, []any{"42"}, all[0]["headers"].(map[string]any)["X-Trace"])
	require.NotContains(t, all[0]["headers"], "X-Request-Id", "only headers that the client sent")
	require.Equal(t, []any{"mine"}, all[3]["headers"].(map[string]any)["X-Request-Id"])
	require.Empty(t, all[2]["key"])
	require.Equal(t, true, all[3]["truncated"])
	require.Len(t, all[3]["body"], 4096)
	require.Equal(t, "mine", all[3]["requestId"])
	require.Len(t, journal(t, m, "?key=ocr_test_ok"), 2)
	require.Empty(t, journal(t, m, "?key=ocr_test_ok_nobody"))
	for i := range 600 {
		do(t, m, 200, statusAt("", "ocr_test_ok", "X-Trace", fmt.Sprint(i)))
	}
	all = journal(t, m, "")
	require.Len(t, all, 500, "the most recent requests")
	require.Equal(t, []any{"100"}, all[0]["headers"].(map[string]any)["X-Trace"])
	require.Equal(t, []any{"599"}, all[499]["headers"].(map[string]any)["X-Trace"])
}

func TestControl_Reset(t *testing.T) {
	t.Parallel()
	m := mock.New(mock.Options{})
	spend := func(key string) answer {
		return do(t, m, 200, extractionAt("", key, image("printed"), "Idempotency-Key", "once"))
	}
	first := spend("ocr_test_ok_a")
	spend("ocr_test_ok_b")
	do(t, m, 200, control(http.MethodPost, "/__mock/clock", `{"advance":"48h"}`))
	do(t, m, 200, control(http.MethodPost, "/__mock/reset?key=ocr_test_ok_a", ""))
	require.Equal(t, int64(10_000), do(t, m, 200, statusAt("", "ocr_test_ok_a")).PointsRemaining)
	require.Equal(t, int64(9_990), do(t, m, 200, statusAt("", "ocr_test_ok_b")).PointsRemaining, "other keys are unchanged")
	require.Len(t, journal(t, m, "?key=ocr_test_ok_a"), 1, "requests since the reset")
	do(t, m, 200, control(http.MethodPost, "/__mock/reset", ""))
	require.Empty(t, journal(t, m, ""))
	second := spend("ocr_test_ok_a")
	require.Equal(t, string(first.raw), string(second.raw))
	require.Equal(t, first.header, second.header, "the same as after a start, ids included")
	do(t, m, 400, control(http.MethodPost, "/__mock/reset?all=1", ""))
	require.Contains(t, do(t, m, 400, control(http.MethodPost, "/__mock/reset?key=nope", "")).Details, "key")
}

func TestControl_LocalOnly(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, peer, host, origin string
		open                     bool
	}{
		{"serves this machine", "127.0.0.1:5", "127.0.0.1:4010", "", true},
		{"serves this machine by name", "127.0.0.1:5", "localhost:4010", "", true},
		{"serves this machine by IPv6", "[::1]:5", "[::1]:4010", "", true},
		{"serves a page of this machine", "127.0.0.1:5", "localhost:4010", "http://localhost:3000", true},
		{"refuses another machine", "192.0.2.1:5", "127.0.0.1:4010", "", false},
		{"refuses a page of another site", "127.0.0.1:5", "127.0.0.1:4010", "https://evil.example", false},
		{"refuses a page without an origin", "127.0.0.1:5", "127.0.0.1:4010", "null", false},
		{"refuses another name that resolves to this machine", "127.0.0.1:5", "evil.example:4010", "", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			for _, anywhere := range []bool{false, true} {
				m := mock.New(mock.Options{ControlAnywhere: anywhere})
				for _, r := range []*http.Request{
					control(http.MethodPost, "/__mock/reset", ""),
					control(http.MethodPut, "/__mock/keys/ocr_test_x", "{}"),
					control(http.MethodPost, "/__mock/clock", `{"advance":"1s"}`),
					control(http.MethodGet, "/__mock/requests", ""),
				} {
					r.RemoteAddr, r.Host = c.peer, c.host
					if c.origin != "" {
						r.Header.Set("Origin", c.origin)
					}
					w := httptest.NewRecorder()
					m.ServeHTTP(w, r)
					if c.open || anywhere {
						require.Equal(t, http.StatusOK, w.Code, "%s", w.Body)
					} else {
						require.Equal(t, http.StatusNotFound, w.Code)
						require.Contains(t, w.Body.String(), "--control-anywhere")
					}
				}
			}
		})
	}
	require.Equal(t, "GET", do(t, mock.New(mock.Options{}), 405, control(http.MethodDelete, "/__mock/requests", "")).header.Get("Allow"))
}

func TestMock_KeyLimit(t *testing.T) {
	t.Parallel()
	m := mock.New(mock.Options{})
	do(t, m, 200, extractionAt("", "ocr_test_ok_first", image("printed")))
	do(t, m, 200, extractionAt("", "ocr_test_ok_second", image("printed")))
	for i := range 2047 {
		do(t, m, 200, statusAt("", fmt.Sprintf("ocr_test_ok_%d", i)))
		if i == 1000 {
			do(t, m, 200, statusAt("", "ocr_test_ok_second"))
		}
	}
	require.Equal(t, int64(10), do(t, m, 200, statusAt("", "ocr_test_ok_second")).PointsUsed)
	require.Zero(t, do(t, m, 200, statusAt("", "ocr_test_ok_first")).PointsUsed, "2,048 keys are remembered")
}

func TestMock_KeyLimit_Replies(t *testing.T) {
	t.Parallel()
	m := mock.New(mock.Options{})
	extract := func(key, id string) answer {
		return do(t, m, 200, extractionAt("", key, image("printed"), "Idempotency-Key", id))
	}
	do(t, m, 200, extractionAt("", "ocr_test_ok_first", image("blank")))
	require.Equal(t, int64(9_980), *extract("ocr_test_ok_first", "once").RemainingPoints)
	for i := range 2048 {
		do(t, m, 200, statusAt("", fmt.Sprintf("ocr_test_ok_%d", i)))
	}
	require.Equal(t, int64(9_990), *extract("ocr_test_ok_first", "once").RemainingPoints, "a forgotten key starts again")
	for range 1024 { // like a test that cleans up
		extract("ocr_test_ok_reset", "once")
		do(t, m, 200, control(http.MethodPost, "/__mock/reset?key=ocr_test_ok_reset", ""))
	}
	extract("ocr_test_ok_first", "once")
	require.Equal(t, int64(10), do(t, m, 200, statusAt("", "ocr_test_ok_first")).PointsUsed, "forgotten replies do not count")
}

func TestMock_ReplyLimit(t *testing.T) {
	t.Parallel()
	m := mock.New(mock.Options{})
	const key = "ocr_test_mine"
	raiseLimits(t, m, key)
	extract := func(i int) int64 {
		return *do(t, m, 200, extractionAt("", key, image("printed"), "Idempotency-Key", fmt.Sprint(i))).RemainingPoints
	}
	first, second := extract(0), extract(1)
	for i := range 1023 {
		extract(2 + i)
	}
	require.Equal(t, second, extract(1), "1,024 replies are kept")
	require.Less(t, extract(0), first, "the oldest was forgotten")
}

func TestControl_Reset_WhileARequestRuns(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		key    string
		status int
		points int64 // used afterwards
	}{
		{"ocr_test_ok_running", 200, 0}, // the charge was before the reset
		{"ocr_test_mine", 500, 0},       // the key no longer exists
	} {
		t.Run(c.key, func(t *testing.T) {
			t.Parallel()
			m := mock.New(mock.Options{})
			raiseLimits(t, m, c.key)
			running := make(chan int)
			go func() {
				w := httptest.NewRecorder()
				m.ServeHTTP(w, extractionAt("", c.key, image("slow-300"), "Idempotency-Key", "once"))
				running <- w.Code
			}()
			require.Eventually(t, func() bool {
				return do(t, m, 200, statusAt("", c.key)).PointsUsed == 10
			}, 5*time.Second, time.Millisecond)
			do(t, m, 200, control(http.MethodPost, "/__mock/reset", ""))
			require.Equal(t, c.status, <-running)
			raiseLimits(t, m, c.key)
			require.Equal(t, c.points, do(t, m, 200, statusAt("", c.key)).PointsUsed)
			do(t, m, 200, extractionAt("", c.key, image("printed"), "Idempotency-Key", "once"))
		})
	}
}

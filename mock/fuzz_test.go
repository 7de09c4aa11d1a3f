package mock_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"uncial/mock"
)

// FuzzPrefer sends any Prefer header. The mock must honour it or answer 400 with a detail for it; it must never ignore it.
func FuzzPrefer(f *testing.F) {
	for _, seed := range []string{
		"code=402", "example=minimal, seed=7", `delay="1"`, "code=402;x", `a="\"`, "=,=,", ",,,", "code", `seed="7`, "CODE = 401 , code=500", "\x80", "é=1",
	} {
		f.Add(seed)
	}
	m := mock.New(mock.Options{})
	f.Fuzz(func(t *testing.T, prefer string) {
		if strings.Contains(prefer, "delay") && len(prefer) > 9 {
			return // would wait
		}
		r := statusAt("", "ocr_test_ok")
		r.Header["Prefer"] = []string{prefer}
		w := httptest.NewRecorder()
		m.ServeHTTP(w, r)
		applied := w.Header().Get("Preference-Applied")
		switch w.Code {
		case 200:
			require.NotContains(t, applied, "code=4")
		case 400:
			require.Contains(t, w.Body.String(), `"Prefer"`)
		case 401, 500:
			require.Contains(t, applied, "code=")
		default:
			t.Fatalf("%q: %d %s", prefer, w.Code, w.Body)
		}
		if strings.Trim(prefer, " \t,") != "" && applied == "" {
			require.True(t, w.Code == 400 || strings.Contains(strings.ToLower(prefer), "seed"), "%q was ignored", prefer)
		}
	})
}

// FuzzControl sends any body to the control endpoints. Each must answer 200 or 400, and the status of the key must stay valid.
func FuzzControl(f *testing.F) {
	for _, body := range []string{
		`{"balance": 25, "limit": 3, "plan": "free", "status": "active"}`, `{"advance": "60s"}`, `{"now": "2026-02-01T00:00:00Z"}`,
		`{"balance":9223372036854775807}`, `{"now":"0001-01-01T00:00:00Z"}`, `{"advance":"-1ns"}`, `{"now":5}`, `null`, `{} {}`,
	} {
		f.Add(body)
	}
	f.Fuzz(func(t *testing.T, body string) {
		const key = "ocr_test_ok_fuzz"
		m := mock.New(mock.Options{})
		for _, r := range []*http.Request{
			control(http.MethodPut, "/__mock/keys/"+key, body),
			control(http.MethodPost, "/__mock/clock", body),
			control(http.MethodPost, "/__mock/clock?key="+key, body),
		} {
			w := httptest.NewRecorder()
			m.ServeHTTP(w, r)
			require.Contains(t, []int{http.StatusOK, http.StatusBadRequest}, w.Code, "%s", w.Body)
			require.NotContains(t, w.Body.String(), "mock.", "no Go types")
		}
		w := httptest.NewRecorder()
		m.ServeHTTP(w, statusAt("", key))
		require.Contains(t, []int{http.StatusOK, http.StatusUnauthorized}, w.Code, "%s", w.Body)
		require.NotContains(t, w.Body.String(), ":-", "no negative number")
	})
}

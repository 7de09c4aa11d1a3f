package mock_test

import (
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"uncial/mock"
)

// FuzzPrefer sends any Prefer header: it is understood, or it is a 400 that names it; never a 500 and never silence.
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
			require.True(t, w.Code == 400 || strings.Contains(strings.ToLower(prefer), "seed"), "%q had no part in the answer and was not refused", prefer)
		}
	})
}

package mock_test

import (
	"encoding/base64"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"uncial/mock"
)

// FuzzInlineImage sends any bytes as an inline image: a page is read, or it is a 400 that names the field.
func FuzzInlineImage(f *testing.F) {
	files, err := filepath.Glob("../impl/ocr/decode/testdata/colours*.*")
	require.NoError(f, err)
	for _, file := range files {
		data, err := os.ReadFile(file)
		require.NoError(f, err)
		f.Add(data[:min(len(data), 4096)])
	}
	f.Add([]byte("II*\x00\x08\x00\x00\x00\xff\xff"))
	m := mock.New(mock.Options{})
	roomy(f, m, benchKey)
	f.Fuzz(func(t *testing.T, data []byte) {
		w := httptest.NewRecorder()
		m.ServeHTTP(w, extractionAt("", benchKey, `{"imageUrl":"data:;base64,`+base64.StdEncoding.EncodeToString(data)+`"}`))
		if w.Code != http.StatusOK {
			require.Equal(t, http.StatusBadRequest, w.Code, "%s", w.Body)
			require.Contains(t, w.Body.String(), `"details":{"imageUrl":`)
		}
	})
}

// FuzzControl sends any body to the control endpoints that read one: it is done, or it is a 400, and the key stays one that
// the status can tell of.
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
			require.NotContains(t, w.Body.String(), "mock.", "no names of our types")
		}
		w := httptest.NewRecorder()
		m.ServeHTTP(w, statusAt("", key))
		require.Contains(t, []int{http.StatusOK, http.StatusUnauthorized}, w.Code, "%s", w.Body)
		require.NotContains(t, w.Body.String(), ":-", "no negative number")
	})
}

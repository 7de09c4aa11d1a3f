package edge_test

import (
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// tried sends an image as the form "Try it" does.
func tried(t *testing.T, h http.Handler, key, body string) *httptest.ResponseRecorder {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/docs/try", strings.NewReader(body))
	r.Header.Set("Content-Type", "application/json")
	if key != "" {
		r.Header.Set("Authorization", "Bearer "+key)
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

func TestHandler_TryIt(t *testing.T) {
	t.Parallel()
	d := mustNew(t, nil)
	part := func(key, path string) *httptest.ResponseRecorder {
		r := get(path)
		r.Header.Set("Authorization", "Bearer "+key)
		w := httptest.NewRecorder()
		d.ServeHTTP(w, r)
		return w
	}
	w := tried(t, d, goodKey, smallBody)
	require.Equal(t, http.StatusOK, w.Code, w.Body)
	assert.Equal(t, "text/html; charset=utf-8", w.Header().Get("Content-Type"))
	assert.Contains(t, w.Header().Get("Content-Security-Policy"), "default-src 'none'")
	base := regexp.MustCompile(`data-base="(/docs/try/[A-Z2-7]+)"`).FindStringSubmatch(w.Body.String())
	require.NotNil(t, base, w.Body)
	assert.NotContains(t, w.Body.String(), goodKey)

	w = part(goodKey, base[1]+"/text")
	require.Equal(t, http.StatusOK, w.Code)
	assert.Contains(t, w.Header().Get("Content-Disposition"), "attachment")
	assert.Equal(t, http.StatusNotFound, part(otherKey, base[1]+"/text").Code, "a reading belongs to its key")
	assert.Equal(t, http.StatusNotFound, part(goodKey, base[1]+"/docx").Code)
	assert.Equal(t, http.StatusUnauthorized, part("", base[1]+"/text").Code)
	assert.EqualValues(t, 59, d.gate.remaining, "only the extraction counts")

	t.Run("keeps readings from keys that are no longer valid", func(t *testing.T) {
		t.Parallel()
		d := mustNew(t, nil)
		w := tried(t, d, goodKey, smallBody)
		base := regexp.MustCompile(`data-base="([^"]+)"`).FindStringSubmatch(w.Body.String())
		require.NotNil(t, base, w.Body)
		d.gate.revoked = goodKey
		for _, part := range []string{"text", "json", "alto", "pdf", "1.jpg"} {
			_, f := d.fails(t, http.StatusUnauthorized, with(get(base[1]+"/"+part)))
			assert.Equal(t, "INVALID_API_KEY", f.Code, part)
		}
	})
	t.Run("answers what the API answers if it refuses", func(t *testing.T) {
		t.Parallel()
		w := tried(t, d, goodKey, `{"imageUrl":7}`)
		assert.Equal(t, http.StatusBadRequest, w.Code)
		assert.Contains(t, w.Body.String(), `"details":{"imageUrl"`)
		assert.NotEmpty(t, w.Header().Get("RateLimit"))
		assert.Equal(t, http.StatusUnauthorized, tried(t, d, "", smallBody).Code)
	})
}

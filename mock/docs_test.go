package mock_test

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"

	"uncial/internal/language/name"
	"uncial/mock"
)

func TestMock_Docs(t *testing.T) {
	t.Parallel()
	w := httptest.NewRecorder()
	mock.New(mock.Options{}).ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/docs", http.NoBody))
	require.Equal(t, http.StatusOK, w.Code)
	for _, f := range mock.Fixtures() {
		require.Contains(t, w.Body.String(), "<dt>"+name.Of(f.Language)+"</dt><dd><code>"+f.Language+"</code></dd>")
	}
	require.Contains(t, w.Body.String(), "Bearer ocr_test_ok")
}

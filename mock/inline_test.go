package mock_test

import (
	"encoding/base64"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"uncial/mock"
)

// The mock must not refuse an image that the service reads, although it checks headers only.
func TestMock_InlineImages_AllThatTheServiceReads(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("../impl/ocr/decode/testdata/*.*")
	require.NoError(t, err)
	require.Greater(t, len(files), 40)
	m := mock.New(mock.Options{})
	raiseLimits(t, m, benchKey)
	for _, file := range files {
		data, err := os.ReadFile(file)
		require.NoError(t, err)
		if strings.HasSuffix(file, ".sh") || strings.HasSuffix(file, ".md") {
			continue
		}
		w := httptest.NewRecorder()
		body := `{"imageUrl":"data:;base64,` + base64.StdEncoding.EncodeToString(data) + `"}`
		m.ServeHTTP(w, extractionAt("", benchKey, body))
		assert.Equal(t, http.StatusOK, w.Code, "%s: %s", file, w.Body)
	}
}

// FuzzInlineImage sends any bytes as an inline image. The mock must read a page or answer 400 with a detail for the field.
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
	raiseLimits(f, m, benchKey)
	f.Fuzz(func(t *testing.T, data []byte) {
		w := httptest.NewRecorder()
		m.ServeHTTP(w, extractionAt("", benchKey, `{"imageUrl":"data:;base64,`+base64.StdEncoding.EncodeToString(data)+`"}`))
		if w.Code != http.StatusOK {
			require.Equal(t, http.StatusBadRequest, w.Code, "%s", w.Body)
			require.Contains(t, w.Body.String(), `"details":{"imageUrl":`)
		}
	})
}

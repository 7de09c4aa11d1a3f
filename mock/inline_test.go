package mock_test

import (
	"encoding/base64"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
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

// Reduced images and masks are not pages.
func TestMock_InlineImages_ReducedTIFF(t *testing.T) {
	t.Parallel()
	m := mock.New(mock.Options{})
	raiseLimits(t, m, benchKey)
	for name, c := range map[string]struct {
		kinds  []byte // of the images, by the bits of NewSubfileType
		next   byte   // the offset of the directory after the last one; 0 for none
		status int
	}{
		"ten pages and ten reduced images": {slices.Repeat([]byte{0, 1}, 10), 0, http.StatusOK},
		"pages with masks":                 {slices.Repeat([]byte{2, 4 | 2}, 10), 0, http.StatusOK},
		"only reduced images":              {slices.Repeat([]byte{1}, 12), 0, http.StatusOK},
		"twelve pages":                     {slices.Repeat([]byte{0, 2}, 6), 0, http.StatusBadRequest},
		"a loop of reduced images":         {[]byte{1}, 8, http.StatusBadRequest},
		"more reduced images than allowed": {slices.Repeat([]byte{1}, 101), 0, http.StatusBadRequest},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			data := []byte("II*\x00")
			for _, kind := range c.kinds {
				next := len(data) + 4 // the offset of the directory, of three fields
				data = append(data, byte(next), byte(next>>8), 0, 0, 3, 0)
				for tag, value := range map[int]byte{254: kind, 256: 100, 257: 100} {
					data = append(data, byte(tag), byte(tag>>8), 4, 0, 1, 0, 0, 0, value, 0, 0, 0) // a number of 32 bits
				}
			}
			data = append(data, c.next, 0, 0, 0)
			w := httptest.NewRecorder()
			m.ServeHTTP(w, extractionAt("", benchKey, `{"imageUrl":"data:;base64,`+base64.StdEncoding.EncodeToString(data)+`"}`))
			assert.Equal(t, c.status, w.Code, "%s", w.Body)
		})
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

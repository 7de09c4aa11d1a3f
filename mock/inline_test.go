package mock_test

import (
	"encoding/base64"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"uncial/mock"
)

func TestMock_InlineImages(t *testing.T) {
	t.Parallel()
	const pixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+A8AAQUBAScY42YAAAAASUVORK5CYII="
	for _, c := range []struct {
		name, payload string
		status        int
		reason        string
	}{
		{"a PNG of one pixel", pixel, 200, ""},
		{"a PNG without padding", strings.TrimRight(pixel, "="), 200, ""},
		{"a PNG in URL-safe base64", strings.NewReplacer("+", "-", "/", "_").Replace(pixel), 200, ""},
		{"a percent-encoded PNG", url.QueryEscape(pixel), 200, ""},
		{"a PNG with line breaks", pixel[:20] + `\r\n` + pixel[20:] + `\n`, 200, ""},
		{"a PDF", "JVBERi0xLjcKJeLjz9MK", 400, "send JPEG, PNG, TIFF, BMP or WebP"},
		{"a PNG with a side of 32,768 pixels", "iVBORw0KGgoAAAANSUhEUgAAgAAAAAABCAAAAACiXcX0", 400, "at most 32767 a side"},
		{"a PNG of 103 megapixels", "iVBORw0KGgoAAAANSUhEUgAAJ3oAACd6CAAAAADwj4V+", 400, "103 megapixels"},
		{"text", "aGVsbG8gd29ybGQ=", 400, "send JPEG, PNG, TIFF, BMP or WebP"},
		{"a PNG cut off in its header", pixel[:24], 400, "cut short"},
		{"broken base64", pixel[:23] + "!", 400, "RFC 4648"},
		{"base64 with stray bits", "aGVsbG8gd29ybGR=", 400, "cut off"},
		{"nothing", "", 400, "must have data"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			a := do(t, mock.New(mock.Options{}), c.status, extractionAt("", "ocr_test_ok", `{"imageUrl":"data:image/png;base64,`+c.payload+`"}`))
			require.Contains(t, a.Details["imageUrl"], c.reason)
		})
	}
}

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

package app_test

import (
	"bytes"
	"image"
	"image/jpeg"
	"image/png"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/image/bmp"
	"golang.org/x/image/tiff"

	"uncial/impl/app"
	"uncial/impl/app/apptest"
	"uncial/impl/ocr/ocrtest"
	"uncial/internal/accuracy"
	"uncial/internal/format/formattest"
)

// inFormats returns the image in each of the five formats, by file name.
func inFormats(tb testing.TB, img image.Image) map[string][]byte {
	tb.Helper()
	all := map[string][]byte{}
	write := func(name string, encode func(*bytes.Buffer) error) {
		var b bytes.Buffer
		require.NoError(tb, encode(&b))
		all[name] = b.Bytes()
	}
	write("page.png", func(b *bytes.Buffer) error { return png.Encode(b, img) })
	write("page.jpg", func(b *bytes.Buffer) error { return jpeg.Encode(b, img, &jpeg.Options{Quality: 92}) })
	write("page.tif", func(b *bytes.Buffer) error { return tiff.Encode(b, img, &tiff.Options{Compression: tiff.Deflate}) })
	write("page.bmp", func(b *bytes.Buffer) error { return bmp.Encode(b, img) })
	in, out := filepath.Join(tb.TempDir(), "in.png"), filepath.Join(tb.TempDir(), "out.webp")
	require.NoError(tb, os.WriteFile(in, all["page.png"], 0o600))
	require.NoError(tb, exec.Command("cwebp", "-quiet", "-q", "90", in, "-o", out).Run(), "Debian's package webp")
	webp, err := os.ReadFile(out)
	require.NoError(tb, err)
	all["page.webp"] = webp
	return all
}

// TestApp_Extract_ImageFormats reads a scanned page in all five formats, fetched over http and inline.
func TestApp_Extract_ImageFormats(t *testing.T) {
	t.Parallel()
	p, data, truth := ocrtest.MustPage(t, ocrtest.MustPages(t), "oldbooks-en/j027", "rendered-print/letter")
	img, _, err := image.Decode(bytes.NewReader(data))
	require.NoError(t, err)
	files := inFormats(t, img)
	origin := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = w.Write(files[strings.TrimPrefix(r.URL.Path, "/")])
	}))
	t.Cleanup(origin.Close)
	a := apptest.Start(t, app.Options{FetchAllow: []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32")}})
	_, key := apptest.Key(t, a, "archive")
	for name, data := range files {
		for _, u := range []string{origin.URL + "/" + name, inline(data)} {
			got := mustExtract(t, "http://"+a.Addr(), key, map[string]any{"imageUrl": u, "language": p.Language})
			require.Equal(t, 200, got.Status, got.raw)
			cer := accuracy.Compare(truth, got.Text).FoldedCER.Value()
			require.Less(t, cer, 0.02, "%s: %s", name, got.Text)
		}
	}
}

// TestApp_Extract_Documents validates the documents of scanned pages against the schemas of ALTO and PAGE-XML.
func TestApp_Extract_Documents(t *testing.T) {
	t.Parallel()
	folder := ocrtest.MustPages(t)
	a := apptest.Start(t, app.Options{})
	_, key := apptest.Key(t, a, "archive")
	for _, ids := range [][]string{
		{"oldbooks-en/j027", "rendered-print/letter"},
		{"ocrd-de-fraktur/laube_europa0202_1837_0006", "rendered-print/bericht"},
		{"cremma-mss19-fr/lettre-soeur-marie_01R_P1S3SS2P118_001", "rendered-hand/lettre"},
	} {
		p, data, _ := ocrtest.MustPage(t, folder, ids...)
		for _, format := range []string{"alto", "page"} {
			got := mustExtract(t, "http://"+a.Addr(), key, map[string]any{"imageUrl": inline(data), "language": p.Language, "format": format})
			require.Equal(t, 200, got.Status, got.raw)
			formattest.RequireValid(t, format, got.Document)
		}
	}
}

package app_test

import (
	"bytes"
	"encoding/json"
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
	"uncial/internal/accuracy"
)

// sharedPage is a real page beside the project, where there are any.
type sharedPage struct {
	ID          string `json:"id"`
	Language    string `json:"lang"`
	Image       string `json:"image"`
	GroundTruth string `json:"ground_truth"`
}

func sharedPages(tb testing.TB) (dir string, pages map[string]sharedPage) {
	tb.Helper()
	dir = filepath.Join(apptest.Root(tb), "..", "shared", "pages")
	index, err := os.ReadFile(filepath.Join(dir, "index.json"))
	if os.IsNotExist(err) {
		tb.Skip("no folder of real pages beside the project")
	}
	require.NoError(tb, err)
	var list []sharedPage
	require.NoError(tb, json.Unmarshal(index, &list))
	pages = map[string]sharedPage{}
	for _, p := range list {
		pages[p.ID] = p
	}
	return dir, pages
}

// inFormats is the image in each of the five formats.
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
	dir, pages := sharedPages(t)
	p := pages["oldbooks-en/j027"]
	truth, err := os.ReadFile(filepath.Join(dir, p.GroundTruth))
	require.NoError(t, err)
	f, err := os.Open(filepath.Join(dir, p.Image))
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, f.Close()) })
	img, err := tiff.Decode(f)
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
			cer := accuracy.Compare(string(truth), got.Text).FoldedCER.Value()
			require.Less(t, cer, 0.02, "%s: %s", name, got.Text)
		}
	}
}

// TestApp_Extract_Documents validates the documents of scanned pages against the schemas of ALTO and PAGE-XML.
func TestApp_Extract_Documents(t *testing.T) {
	t.Parallel()
	dir, pages := sharedPages(t)
	schemas := filepath.Join(dir, "..", "schemas")
	if _, err := os.Stat(schemas); err != nil {
		t.Skip("no folder of schemas beside the project")
	}
	a := apptest.Start(t, app.Options{})
	_, key := apptest.Key(t, a, "archive")
	for _, id := range []string{"oldbooks-en/j027", "ocrd-de-fraktur/laube_europa0202_1837_0006", "cremma-mss19-fr/lettre-soeur-marie_01R_P1S3SS2P118_001"} {
		p := pages[id]
		data, err := os.ReadFile(filepath.Join(dir, p.Image))
		require.NoError(t, err)
		for format, schema := range map[string]string{"alto": "alto-4-4.xsd", "page": "page-2019-07-15.xsd"} {
			got := mustExtract(t, "http://"+a.Addr(), key, map[string]any{"imageUrl": inline(data), "language": p.Language, "format": format})
			require.Equal(t, 200, got.Status, got.raw)
			file := filepath.Join(t.TempDir(), "document.xml")
			require.NoError(t, os.WriteFile(file, []byte(got.Document), 0o600))
			cmd := exec.Command("xmllint", "--nonet", "--noout", "--schema", filepath.Join(schemas, schema), file)
			cmd.Env = append(os.Environ(), "XML_CATALOG_FILES="+filepath.Join(schemas, "catalog.xml"))
			out, err := cmd.CombinedOutput()
			require.NoError(t, err, "%s as %s: %s", id, format, out)
		}
	}
}

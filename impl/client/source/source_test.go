package source_test

import (
	"bytes"
	"context"
	"fmt"
	"image"
	_ "image/png"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"uncial/impl/client/source"
	"uncial/impl/client/source/sourcetest"
	"uncial/impl/fetch"
	"uncial/impl/volume"
)

func mustReader(tb testing.TB) *source.Reader {
	tb.Helper()
	web := fetch.New(fetch.Options{Allow: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}, PerHost: 1})
	tb.Cleanup(web.Close)
	return &source.Reader{Web: web, Linked: web, Stdin: strings.NewReader(""), Temporary: tb.TempDir()}
}

func mustExpand(tb testing.TB, r *source.Reader, arguments ...string) *source.Set {
	tb.Helper()
	set, err := r.Expand(tb.Context(), arguments)
	require.NoError(tb, err)
	return set
}

func positions(set *source.Set) (all []string) {
	for _, p := range set.Pages {
		all = append(all, p.Position)
	}
	return all
}

func TestReader_Expand_Directory(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, name := range []string{"page 10.jpg", "page 2.JPG", "Page 1.png", ".hidden.jpg", "b/2.tif", "b/1.tif", "a/x/3.webp", "page 2a.jpg", "page 02.jpg"} {
		sourcetest.Write(t, dir, name, []byte("\xff\xd8\xff"+name))
	}
	sourcetest.Write(t, dir, "notes.txt", []byte("no image"))
	r := mustReader(t)
	set := mustExpand(t, r, dir)
	assert.Equal(t, []string{"Page 1.png", "page 02.jpg", "page 2.JPG", "page 2a.jpg", "page 10.jpg"}, positions(set))
	assert.Equal(t, filepath.Base(dir), set.Title)
	r.Recursive = true
	assert.Equal(t, []string{"a/x/3.webp", "b/1.tif", "b/2.tif", "Page 1.png", "page 02.jpg", "page 2.JPG", "page 2a.jpg", "page 10.jpg"}, positions(mustExpand(t, r, dir)))

	r.Recursive = false
	set = mustExpand(t, r, filepath.Join(dir, "a"), t.TempDir(), filepath.Join(dir, "notes.txt"))
	require.Len(t, set.Failures, 2)
	require.EqualError(t, set.Failures[0].Err, "no images in this folder; add --recursive to read its subfolders (1)")
	require.ErrorContains(t, set.Failures[1].Err, "no images in this folder; expected")
	require.Len(t, set.Pages, 1)
	_, err := set.Pages[0].Load(t.Context(), t.TempDir())
	require.ErrorContains(t, err, "not an image in a known format")
	_, err = set.Pages[0].Content(t.Context())
	require.ErrorContains(t, err, "not an image in a known format", "a dry run reports it too")
}

// TestReader_Expand_LinksToFoldersAbove checks that no page is read and charged repeatedly. A link to a folder elsewhere is
// read.
func TestReader_Expand_LinksToFoldersAbove(t *testing.T) {
	t.Parallel()
	dir, elsewhere := t.TempDir(), t.TempDir()
	sourcetest.Write(t, dir, "1.jpg", []byte("\xff\xd8\xff1"))
	sourcetest.Write(t, dir, "a/b/2.jpg", []byte("\xff\xd8\xff2"))
	sourcetest.Write(t, elsewhere, "3.jpg", []byte("\xff\xd8\xff3"))
	for name, to := range map[string]string{"self": dir, "a/up": "..", "a/b/up": "../..", "a/b/near": "..", "a/c": elsewhere} {
		require.NoError(t, os.Symlink(to, filepath.Join(dir, name)))
	}
	r := mustReader(t)
	r.Recursive = true
	assert.Equal(t, []string{"1.jpg", "a/b/2.jpg", "a/c/3.jpg"}, positions(mustExpand(t, r, dir)))
}

func TestReader_Expand_Repeats(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	one, two := sourcetest.Write(t, dir, "a/1.jpg", []byte("\xff\xd8\xff1")), sourcetest.Write(t, dir, "b/1.jpg", []byte("\xff\xd8\xff2"))
	set := mustExpand(t, mustReader(t), one, two, one, filepath.Join(dir, "missing.jpg"))
	assert.Equal(t, []string{"1.jpg", "1.jpg", "1.jpg (2)", "missing.jpg"}, positions(set))
	for i, want := range []string{one, two, one + " (2)"} {
		assert.Equal(t, want, set.Pages[i].Locator)
	}
	swapped := mustExpand(t, mustReader(t), filepath.Dir(two), filepath.Dir(one)).Pages
	assert.Equal(t, []string{two, one}, []string{swapped[0].Locator, swapped[1].Locator}, "whatever else is given")
	contents := map[string]bool{}
	for _, p := range set.Pages[:3] {
		content, err := p.Content(t.Context())
		require.NoError(t, err)
		contents[content] = true
	}
	assert.Len(t, contents, 2)
	_, err := set.Pages[3].Content(t.Context())
	assert.True(t, source.IsAbsent(err))
	require.EqualError(t, err, "no such file or directory")
}

func TestReader_Expand_Stdin(t *testing.T) {
	t.Parallel()
	r := mustReader(t)
	r.Stdin = strings.NewReader("\xff\xd8\xffimage")
	set := mustExpand(t, r, "-")
	image, err := set.Pages[0].Load(t.Context(), t.TempDir())
	require.NoError(t, err)
	got, err := os.ReadFile(image.Path)
	require.NoError(t, err)
	assert.Equal(t, "\xff\xd8\xffimage", string(got))
	assert.Equal(t, "-", set.Pages[0].Source)
	set = mustExpand(t, r, "-")
	require.EqualError(t, set.Failures[0].Err, "standard input is empty")
}

func TestReader_Expand_PDF(t *testing.T) {
	t.Parallel()
	scan := sourcetest.JPEG(t, sourcetest.Gray(1000, 500, 1))
	path := sourcetest.Write(t, t.TempDir(), "book.pdf", sourcetest.PDF(t,
		sourcetest.Sheet{JPEG: scan, DPI: 400},
		sourcetest.Sheet{Text: "Arma virumque cano"},
		sourcetest.Sheet{JPEG: scan, DPI: 200, Text: "with a picture"},
		sourcetest.Sheet{JPEG: scan, DPI: 150, Rotation: 90},
		sourcetest.Sheet{JPEG: scan, DPI: 400, IsHalf: true},
	))
	set := mustExpand(t, mustReader(t), path)
	assert.Equal(t, []string{"book.pdf#page=1", "book.pdf#page=2", "book.pdf#page=3", "book.pdf#page=4", "book.pdf#page=5"}, positions(set))
	assert.Equal(t, "book", set.Title)
	want := []image.Point{{1000, 500}, {833, 417}, {1500, 750}, {500, 1000}, {500, 500}}
	for i, p := range set.Pages {
		folder := filepath.Join(t.TempDir(), "scans [2026]")
		require.NoError(t, os.Mkdir(folder, 0o700))
		loaded, err := p.Load(t.Context(), folder)
		require.NoError(t, err)
		file, err := os.ReadFile(loaded.Path)
		require.NoError(t, err)
		if i == 0 {
			assert.True(t, bytes.Equal(scan, file), "a page that is a single image gives that image untouched")
		}
		config, _, err := image.DecodeConfig(bytes.NewReader(file))
		require.NoError(t, err)
		assert.InDelta(t, want[i].X, config.Width, 1, i)
		assert.InDelta(t, want[i].Y, config.Height, 1, i)
		content, err := p.Content(t.Context())
		require.NoError(t, err)
		assert.Regexp(t, `^sha256:[0-9a-f]{64}#page=[1-5]$`, content)
	}
}

// TestReader_Expand_TurnedPDF has pages that show their image upside down or mirrored: they are drawn as viewers show them.
func TestReader_Expand_TurnedPDF(t *testing.T) {
	t.Parallel()
	page := image.NewGray(image.Rect(0, 0, 400, 200))
	for i := range page.Pix {
		page.Pix[i] = 255
		if x, y := i%400, i/400; x < 100 && y < 50 { // one corner is black
			page.Pix[i] = 0
		}
	}
	scan := sourcetest.JPEG(t, page)
	path := sourcetest.Write(t, t.TempDir(), "turned.pdf", sourcetest.PDF(t,
		sourcetest.Sheet{JPEG: scan, DPI: 200},
		sourcetest.Sheet{JPEG: scan, DPI: 200, IsUpsideDown: true},
		sourcetest.Sheet{JPEG: scan, DPI: 200, IsMirrored: true},
		sourcetest.Sheet{JPEG: sourcetest.JPEG(t, image.NewGray(image.Rect(0, 0, 400, 200))), DPI: 200, IsUpsideDown: true},
	))
	black := []image.Point{{20, 20}, {380, 180}, {380, 20}, {20, 20}}
	for i, p := range mustExpand(t, mustReader(t), path).Pages {
		loaded, err := p.Load(t.Context(), t.TempDir())
		require.NoError(t, err)
		file, err := os.Open(loaded.Path)
		require.NoError(t, err)
		img, _, err := image.Decode(file)
		require.NoError(t, err)
		require.NoError(t, file.Close())
		require.Equal(t, image.Pt(400, 200), img.Bounds().Size())
		r, _, _, _ := img.At(black[i].X, black[i].Y).RGBA()
		assert.Less(t, r, uint32(0x4000), "page %d", i+1)
		assert.Equal(t, i == 0 || i == 3, filepath.Ext(loaded.Path) == ".jpg", "page %d: only an upright image is taken untouched", i+1)
	}
}

func TestReader_Expand_BadPDF(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	plain := sourcetest.Write(t, dir, "plain.pdf", sourcetest.PDF(t, sourcetest.Sheet{Text: "secret"}))
	locked := filepath.Join(dir, "locked.pdf")
	out, err := exec.CommandContext(t.Context(), "qpdf", "--encrypt", "user", "owner", "256", "--", plain, locked).CombinedOutput()
	require.NoError(t, err, string(out))
	broken := sourcetest.Write(t, dir, "broken.pdf", []byte("%PDF-1.7\nnothing"))
	none := sourcetest.Write(t, t.TempDir(), "none.pdf", sourcetest.PDF(t))
	set := mustExpand(t, mustReader(t), locked, broken, none)
	assert.Empty(t, set.Pages)
	require.EqualError(t, set.Failures[0].Err, "the PDF is encrypted; decrypt it first, for example with: qpdf --decrypt")
	require.ErrorContains(t, set.Failures[1].Err, "the PDF cannot be read: pdfinfo: ")
	require.EqualError(t, set.Failures[2].Err, "the PDF has no pages")

	set = mustExpand(t, mustReader(t), dir)
	require.Len(t, set.Pages, 3, "one broken PDF does not hide the other files of a folder")
	assert.Equal(t, []string{"broken.pdf", "locked.pdf", "plain.pdf#page=1"}, positions(set))
}

// mustServe serves these bodies by path; a body "301 /x" redirects.
func mustServe(tb testing.TB, bodies map[string]string) string {
	tb.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, ok := bodies[r.URL.Path]
		if !ok {
			http.NotFound(w, r)
			return
		}
		_, _ = w.Write([]byte(strings.ReplaceAll(body, "BASE", "http://"+r.Host)))
	}))
	tb.Cleanup(server.Close)
	return server.URL
}

const manifest = `{"id":"BASE/m","type":"Manifest","label":{"en":["A codex"]},"items":[
{"id":"BASE/c/1","type":"Canvas","label":{"none":["f. 1r"]},"width":100,"height":200,"items":[{"items":[{"motivation":"painting","body":{"id":"BASE/1.jpg","type":"Image","service":[{"id":"BASE/iiif/1","type":"ImageService3"}]}}]}]},
{"id":"BASE/c/2","type":"Canvas","items":[]},
{"id":"BASE/c/3","type":"Canvas","items":[{"items":[{"motivation":"painting","body":{"id":"BASE/3.png","type":"Image"}}]}]}]}`

func TestReader_Expand_Manifest(t *testing.T) {
	t.Parallel()
	scan := string(sourcetest.PNG(t, sourcetest.Gray(60, 40, 1)))
	base := mustServe(t, map[string]string{
		"/presentation/m": manifest, "/3.png": scan, "/iiif/1/full/max/0/default.jpg": scan,
		"/iiif/1/info.json": `{"@context":"http://iiif.io/api/image/3/context.json","id":"BASE/iiif/1","type":"ImageService3","protocol":"http://iiif.io/api/image","profile":"level0","width":60,"height":40}`,
	})
	r := mustReader(t)
	set := mustExpand(t, r, base+"/presentation/m")
	require.Empty(t, set.Failures)
	assert.Equal(t, "A codex", set.Title)
	assert.Equal(t, base+"/presentation/m", set.Manifest)
	require.Len(t, set.Pages, 3)
	first := set.Pages[0]
	assert.Equal(t, volume.Canvas{ID: base + "/c/1", Width: 100, Height: 200}, first.Canvas)
	assert.Equal(t, []string{"001", "f. 1r", base + "/iiif/1/info.json", strings.TrimPrefix(base, "http://")}, []string{first.Stem, first.Label, first.Source, first.Host})
	loaded, err := first.Load(t.Context(), t.TempDir())
	require.NoError(t, err)
	assert.Equal(t, base+"/iiif/1/info.json", loaded.URL, "the service fetches it, in the largest permitted size")
	_, err = set.Pages[1].Load(t.Context(), t.TempDir())
	require.EqualError(t, err, "the canvas shows no image")
	assert.True(t, source.IsAbsent(err))

	r.FetchHere = true
	for _, p := range []int{0, 2} {
		loaded, err = mustExpand(t, r, base+"/presentation/m").Pages[p].Load(t.Context(), t.TempDir())
		require.NoError(t, err)
		require.Empty(t, loaded.URL)
		got, err := os.ReadFile(loaded.Path)
		require.NoError(t, err)
		assert.Equal(t, scan, string(got))
	}
	local := sourcetest.Write(t, t.TempDir(), "saved.json", []byte(strings.ReplaceAll(manifest, "BASE", base)))
	assert.Len(t, mustExpand(t, r, local).Pages, 3, "a manifest may be a file")
}

func TestReader_Expand_Collection(t *testing.T) {
	t.Parallel()
	base := mustServe(t, map[string]string{
		"/collection/top": `{"id":"BASE/collection/top","type":"Collection","label":{"en":["All"]},"items":[
			{"id":"BASE/m1/manifest","type":"Manifest"},{"id":"BASE/collection/top","type":"Collection"},{"id":"BASE/sub","type":"Collection"}]}`,
		"/sub":         `{"id":"BASE/sub","type":"Collection","items":[{"id":"BASE/m2/manifest","type":"Manifest"},{"id":"BASE/m1/manifest","type":"Manifest"}]}`,
		"/m1/manifest": manifest, "/m2/manifest": strings.ReplaceAll(manifest, "/c/", "/d/"),
	})
	set := mustExpand(t, mustReader(t), base+"/collection/top")
	require.Empty(t, set.Failures)
	var stems []string
	for _, p := range set.Pages {
		stems = append(stems, p.Stem)
	}
	assert.Equal(t, []string{"1-001", "1-002", "1-003", "2-001", "2-002", "2-003"}, stems)
	assert.Equal(t, "All", set.Title)
	assert.Empty(t, set.Manifest)
}

func TestReader_Expand_BadManifest(t *testing.T) {
	t.Parallel()
	base := mustServe(t, map[string]string{
		"/html/manifest": "<!DOCTYPE html><html></html>", "/other/manifest": `{"a":1}`,
		"/none/manifest":      `{"type":"Manifest","items":[]}`,
		"/blank/manifest":     `{"type":"Manifest","items":[{"id":"c","type":"Canvas"}]}`,
		"/empty/collection":   `{"type":"Collection","items":[]}`,
		"/dangling/manifests": `{"type":"Collection","items":[{"id":"BASE/gone","type":"Manifest"}]}`,
	})
	for path, want := range map[string]string{
		"/html/manifest": "the server sent a web page, or nothing, instead of a manifest or collection", "/other/manifest": "not a IIIF manifest or collection",
		"/none/manifest": "the IIIF manifest has no images", "/blank/manifest": "the IIIF manifest has no images",
		"/empty/collection": "the IIIF collection has no manifests", "/missing/manifest": "cannot fetch the manifest: the server returned 404; give the URL of a manifest or collection",
		"/dangling/manifests": base + "/gone: the server returned 404",
	} {
		set := mustExpand(t, mustReader(t), base+path)
		require.Len(t, set.Failures, 1, path)
		require.ErrorContains(t, set.Failures[0].Err, want)
	}
}

// TestReader_Expand_BusyManifest has a server that asks clients to wait: the console says so, and --timeout ends the wait.
func TestReader_Expand_BusyManifest(t *testing.T) {
	t.Parallel()
	asked, wait := 0, "1"
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if asked++; asked == 2 {
			wait = "3600"
		}
		w.Header().Set("Retry-After", wait)
		w.WriteHeader(http.StatusServiceUnavailable)
	}))
	t.Cleanup(server.Close)
	r := mustReader(t)
	r.Timeout = time.Minute
	var said []string
	r.Waiting = func(url string, failed error, wait time.Duration) {
		said = append(said, fmt.Sprintf("%s: %v; %v", url, failed, wait))
	}
	url := server.URL + "/manifest.json"
	set := mustExpand(t, r, url)
	require.Len(t, set.Failures, 1)
	require.EqualError(t, set.Failures[0].Err, "cannot fetch the manifest: the server returned 503; it asks clients to try again later; the time limit leaves no time to wait 1h0m0s and retry")
	assert.Equal(t, []string{url + ": the server returned 503; it asks clients to try again later; 1s"}, said)
}

func TestReader_Expand_LateManifest(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, request *http.Request) { <-request.Context().Done() }))
	t.Cleanup(server.Close)
	r := mustReader(t)
	r.Timeout = 50 * time.Millisecond
	set := mustExpand(t, r, server.URL+"/manifest.json")
	require.Len(t, set.Failures, 1)
	require.EqualError(t, set.Failures[0].Err, "cannot fetch the manifest: it did not arrive within 50ms")
}

func TestReader_Expand_URLs(t *testing.T) {
	t.Parallel()
	for url, host := range map[string]string{
		"https://images.example.org/manifest.jpg":                     "",
		"https://images.example.org/scan?file=manifest":               "",
		"https://iiif.example.org/manifest/1/info.json":               "iiif.example.org",
		"https://IIIF.example.org/manifest/full/max/0/default.jpg":    "iiif.example.org",
		"data:image/png;base64,iVBORw0KGgo=":                          "",
		"https://iiif.example.org/iiif/3/book/full/max/0/default.png": "iiif.example.org",
	} {
		set := mustExpand(t, mustReader(t), url)
		require.Empty(t, set.Failures, url)
		require.Len(t, set.Pages, 1)
		assert.Equal(t, host, set.Pages[0].Host)
		loaded, err := set.Pages[0].Load(t.Context(), t.TempDir())
		require.NoError(t, err)
		assert.Equal(t, url, loaded.URL)
	}
}

func TestPage_Picture_dataURL(t *testing.T) {
	t.Parallel()
	picture, err := mustExpand(t, mustReader(t), "data:image/png;base64,iVBORw0KGgo=").Pages[0].Picture(t.Context(), t.TempDir())
	require.NoError(t, err)
	assert.Equal(t, "\x89PNG\r\n\x1a\n", string(picture))
	_, err = mustExpand(t, mustReader(t), "data:image/png;base64,?").Pages[0].Picture(t.Context(), t.TempDir())
	require.EqualError(t, err, "the data: URL is not in base64")
}

func TestReader_named(t *testing.T) {
	t.Parallel()
	r := mustReader(t)
	r.Linked = fetch.New(fetch.Options{})
	t.Cleanup(r.Linked.Close)
	for url, isUsersOwn := range map[string]bool{
		"http://127.0.0.1/manifest.json": true, "http://[::1]/1.jpg": true, "http://10.1.2.3/1.jpg": true, "http://localhost/1.jpg": true,
		"https://8.8.8.8:8182/1.jpg": true, "https://8.8.8.8/manifest.json": false, "http://[2001:4860:4860::8888]/1.jpg": false,
	} {
		assert.Equal(t, isUsersOwn, source.Named(r, t.Context(), url) == r.Web, url)
	}
	ended, end := context.WithCancel(t.Context())
	end()
	assert.Same(t, r.Linked, source.Named(r, ended, "http://images.example.org/1.jpg"), "a name that is not found gets no exception")
}

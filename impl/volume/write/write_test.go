package write_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"image"
	"image/png"
	"io"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"uncial/gen"
	"uncial/impl/volume"
	"uncial/impl/volume/write"
	"uncial/internal/document"
	"uncial/internal/format/formattest"
)

// page returns a page that was read.
func page(tb testing.TB, n int, source string, lines ...string) *volume.Page {
	tb.Helper()
	doc := &document.Document{Language: "fr", Pages: []document.Page{{Width: 1000, Height: 1400, DPI: 150}}}
	var all []document.Line
	for i, text := range lines {
		var line document.Line
		for j, w := range strings.Fields(text) {
			line.Words = append(line.Words, document.Word{Text: w, Box: document.Box{X: 100 + 200*j, Y: 100 + 80*i, W: 180, H: 40}, Confidence: 0.9})
		}
		line.Box = document.WordsBox(line.Words)
		all = append(all, line)
	}
	if len(all) > 0 {
		doc.Pages[0].Blocks = []document.Block{document.BlockOf(all)}
	}
	var sheet bytes.Buffer
	require.NoError(tb, png.Encode(&sheet, image.NewGray(image.Rect(0, 0, 500, 700))))
	p := &volume.Page{
		Position: n, Name: "page-" + string(rune('0'+n)), Label: "f. " + string(rune('0'+n)), Source: source, State: volume.Read,
		ReadAt: time.Date(2026, 1, 15, 12, n, 0, 0, time.UTC),
		Canvas: volume.Canvas{ID: "https://iiif.example.org/canvas/" + string(rune('0'+n)), Width: 2000, Height: 2800},
		Answer: func() (*gen.Extraction, error) { return &gen.Extraction{Text: doc.Text()}, nil },
		Document: func() (*document.Document, error) {
			d := *doc
			return &d, nil
		},
		Image: func(context.Context, int, int) (*volume.Image, error) {
			return &volume.Image{Media: "image/png", Data: sheet.Bytes()}, nil
		},
	}
	p.Files = map[gen.Format]string{gen.Alto: p.Name + " <1>.alto.xml", gen.Page: p.Name + ".page.xml"}
	if len(lines) == 0 {
		p.State = volume.Empty
	}
	return p
}

func book(tb testing.TB) *volume.Volume {
	tb.Helper()
	failed := &volume.Page{Position: 3, Name: "page-3", Label: "f. 3", Source: "scans/3.tif", State: volume.Failed, Reason: "the image is damaged"}
	return &volume.Volume{
		Title: "Registre <1526>", Manifest: "https://iiif.example.org/manifest.json",
		Pages: []*volume.Page{page(tb, 1, "https://iiif.example.org/1.jpg", "Ducͤ de Bar", "ſeigneur"), page(tb, 2, "https://iiif.example.org/2.jpg"), failed, page(tb, 4, "scans/4.jpg", "fin du regiſtre")},
	}
}

// MustWrite returns the files of a writer. Each of them is announced.
func MustWrite(tb testing.TB, name string, v *volume.Volume) map[string]string {
	tb.Helper()
	files := map[string]string{}
	require.NoError(tb, writer(tb, name).Write(tb.Context(), v, func(name string, write func(io.Writer) error) error {
		var b strings.Builder
		err := write(&b)
		files[name] = b.String()
		return err
	}))
	require.Subset(tb, writer(tb, name).Files(v), slices.Collect(maps.Keys(files)))
	return files
}

func writer(tb testing.TB, name string) volume.Writer {
	tb.Helper()
	all := write.Writers()
	i := slices.IndexFunc(all, func(w volume.Writer) bool { return w.Name == name })
	require.GreaterOrEqual(tb, i, 0, name)
	require.NotEmpty(tb, all[i].About)
	return all[i]
}

func TestWriters_PDF(t *testing.T) {
	t.Parallel()
	file := []byte(MustWrite(t, "pdf", book(t))["volume.pdf"])
	formattest.RequireValidPDF(t, file)
	pages := strings.Split(formattest.PDFText(t, file), "\f")
	require.Len(t, pages, 4, "three pages are read; a form feed ends each")
	require.Equal(t, "Ducͤ de Bar\nſeigneur", strings.TrimSpace(pages[0]))
	require.Empty(t, strings.TrimSpace(pages[1]))
	require.Equal(t, "fin du regiſtre", strings.TrimSpace(pages[2]))
	require.Contains(t, string(file), "Registre &lt;1526&gt;")
}

func TestWriters_Whole(t *testing.T) {
	t.Parallel()
	hocr := MustWrite(t, "hocr", book(t))["volume.hocr"]
	require.Equal(t, 3, strings.Count(hocr, `class="ocr_page"`))
	require.Contains(t, hocr, "image &#34;1.jpg&#34;")
	require.Contains(t, hocr, "image &#34;4.jpg&#34;")
	tsv := strings.Split(MustWrite(t, "tsv", book(t))["volume.tsv"], "\n")
	require.Equal(t, "5\t3\t1\t1\t1\t3\t500\t100\t180\t40\t90.000000\tregiſtre", tsv[len(tsv)-2])
	require.Equal(t, "Ducͤ de Bar\nſeigneur\f\f\ffin du regiſtre\n", MustWrite(t, "text", book(t))["volume.txt"])
}

func TestWriters_METS(t *testing.T) {
	t.Parallel()
	for name, file := range map[string]string{"mets-alto": "page-1%20%3C1%3E.alto.xml", "mets-page": "page-1.page.xml"} {
		mets := MustWrite(t, name, book(t))["volume."+name[len("mets-"):]+".mets.xml"]
		formattest.RequireValid(t, "mets", mets)
		require.Contains(t, mets, `xlink:href="`+file+`"`)
		require.Contains(t, mets, `LABEL="not read: the image is damaged"`)
		require.Equal(t, 4, strings.Count(mets, `TYPE="page"`))
		require.Equal(t, 3+2, strings.Count(mets, "<mets:fptr "), "three texts and two images on the web")
		require.Len(t, writer(t, name).Formats, 1, "the client writes the files first")
	}
}

func TestWriters_Annotations(t *testing.T) {
	t.Parallel()
	files := MustWrite(t, "annotations", book(t))
	require.Len(t, files, 3)
	var list struct {
		Context string `json:"@context"`
		ID      string
		Type    string
		Items   []struct {
			ID, Type, Motivation, Target string
			Body                         struct{ Type, Value, Format, Language string }
		}
	}
	require.NoError(t, json.Unmarshal([]byte(files["page-1.annotations.json"]), &list))
	require.Equal(t, "http://iiif.io/api/presentation/3/context.json", list.Context)
	require.Equal(t, "AnnotationPage", list.Type)
	require.Equal(t, "https://iiif.example.org/canvas/1/annotations/lines", list.ID)
	require.Len(t, list.Items, 2)
	first := list.Items[0]
	require.Equal(t, "Annotation", first.Type)
	require.Equal(t, "supplementing", first.Motivation)
	require.Equal(t, "https://iiif.example.org/canvas/1#xywh=200,200,1160,80", first.Target, "the canvas is twice as large as the image")
	require.Equal(t, "TextualBody Ducͤ de Bar text/plain fr", strings.Join([]string{first.Body.Type, first.Body.Value, first.Body.Format, first.Body.Language}, " "))
	require.NotEqual(t, first.ID, list.Items[1].ID)
	require.Contains(t, files["page-2.annotations.json"], `"items": []`, "an empty page has a list without items")

	nameless := book(t)
	nameless.Pages[0].Canvas.ID, nameless.Pages[1].Canvas = "", volume.Canvas{IsPartial: true}
	var names []string
	err := writer(t, "annotations").Write(t.Context(), nameless, func(name string, _ func(io.Writer) error) error {
		names = append(names, name)
		return nil
	})
	require.EqualError(t, err, "no annotations for 1 of 4 pages: the manifest gives their canvases no id")
	require.Equal(t, []string{"page-4.annotations.json"}, names)

	folder := book(t)
	folder.Manifest = ""
	require.EqualError(t, writer(t, "annotations").Check(folder), "annotations belong to the canvases of a IIIF manifest; give the URL of one manifest")
}

func TestWriters_Faults(t *testing.T) {
	t.Parallel()
	lost := errors.New("the answer is damaged")
	for _, w := range write.Writers() {
		v := book(t)
		v.Pages[0].Document = func() (*document.Document, error) { return nil, lost }
		v.Pages[0].Answer = func() (*gen.Extraction, error) { return nil, lost }
		err := w.Write(t.Context(), v, func(_ string, write func(io.Writer) error) error { return write(io.Discard) })
		require.ErrorIs(t, err, lost, w.Name)
		require.ErrorContains(t, err, "https://iiif.example.org/1.jpg", w.Name)
	}
	full := errors.New("the disk is full")
	for _, w := range write.Writers() {
		err := w.Write(t.Context(), book(t), func(string, func(io.Writer) error) error { return full })
		require.ErrorIs(t, err, full, w.Name)
	}
}

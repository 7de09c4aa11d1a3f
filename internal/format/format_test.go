package format_test

import (
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/text/unicode/norm"
	"pgregory.net/rapid"

	"uncial/internal/document"
	"uncial/internal/document/documenttest"
	"uncial/internal/format"
)

var meta = format.Meta{
	Image:   `folio "1" & <verso>.tif`,
	Created: time.Date(2026, 1, 15, 12, 0, 0, 0, time.FixedZone("", 3600)),
	Version: "1.0.0",
}

func MustWrite(tb require.TestingT, name string, doc *document.Document) string {
	s, err := format.Write(name, doc, meta)
	require.NoError(tb, err)
	return s
}

// geometry returns the part of a document that every format except text can hold.
func geometry(d *document.Document) *document.Document {
	g := &document.Document{}
	for _, p := range d.Pages {
		page := document.Page{Width: p.Width, Height: p.Height}
		for _, b := range p.Blocks {
			block := document.Block{Box: b.Box}
			for _, l := range b.Lines {
				line := document.Line{Box: l.Box}
				for _, w := range l.Words {
					line.Words = append(line.Words, document.Word{Box: w.Box, Text: w.Text})
				}
				block.Lines = append(block.Lines, line)
			}
			page.Blocks = append(page.Blocks, block)
		}
		g.Pages = append(g.Pages, page)
	}
	return g
}

// check runs a sub-test with many documents.
func check(t *testing.T, name string, documents *rapid.Generator[*document.Document], property func(*rapid.T, *document.Document)) {
	t.Helper()
	t.Run(name, func(t *testing.T) {
		t.Parallel()
		rapid.Check(t, func(t *rapid.T) { property(t, documents.Draw(t, "document")) })
	})
}

func TestWrite_RoundTrip(t *testing.T) {
	t.Parallel()
	for name, d := range dialects {
		check(t, name, documenttest.Valid(), func(t *rapid.T, doc *document.Document) {
			root, err := parse(MustWrite(t, name, doc))
			require.NoError(t, err, "well-formed")
			got, err := d.read(root)
			require.NoError(t, err)
			require.Equal(t, doc.Text(), got.Text())
			require.Equal(t, geometry(doc), got)
			requireIDs(t, root, d)
			requireConfidences(t, root, d, doc)
		})
	}
	check(t, "tsv", documenttest.Valid(), func(t *rapid.T, doc *document.Document) {
		got, err := readTSV(MustWrite(t, "tsv", doc))
		require.NoError(t, err)
		require.Equal(t, geometry(doc), got)
	})
	check(t, "text", documenttest.Valid(), func(t *rapid.T, doc *document.Document) {
		require.Equal(t, doc.Text(), MustWrite(t, "text", doc))
	})
}

func TestWrite_InvalidDocument(t *testing.T) {
	t.Parallel()
	for name, d := range dialects {
		check(t, name, documenttest.Any(), func(t *rapid.T, doc *document.Document) {
			out := MustWrite(t, name, doc)
			root, err := parse(out)
			require.NoError(t, err)
			got, err := d.read(root)
			require.NoError(t, err)
			require.Equal(t, geometry(doc.Normalized()), got)
			require.Equal(t, out, norm.NFC.String(out), "the whole file is NFC")
		})
	}
	check(t, "tsv", documenttest.Any(), func(t *rapid.T, doc *document.Document) {
		got, err := readTSV(MustWrite(t, "tsv", doc))
		require.NoError(t, err)
		require.Equal(t, geometry(doc.Normalized()), got)
	})
}

// requireIDs checks that ids are unique, that blocks, lines and words have one, and that references resolve.
func requireIDs(t *rapid.T, root *node, d dialect) {
	seen := map[string]bool{}
	for _, n := range root.all(func(*node) bool { return true }) {
		for _, name := range []string{"id", "ID", "pcGtsId"} {
			if id, ok := n.attr[name]; ok {
				require.False(t, seen[id], "id %s twice", id)
				require.Regexp(t, `^[A-Za-z_][A-Za-z0-9_]*$`, id)
				seen[id] = true
			}
		}
		if d.block(n) || d.line(n) || d.word(n) {
			require.NotEmpty(t, n.attr[d.id])
		}
	}
	for _, n := range root.all(func(*node) bool { return true }) {
		for _, name := range []string{"regionRef", "FILEID"} {
			if ref, ok := n.attr[name]; ok {
				require.True(t, seen[ref], "%s=%s refers to nothing", name, ref)
			}
		}
	}
}

func requireConfidences(t *rapid.T, root *node, d dialect, doc *document.Document) {
	var want []float64
	for _, p := range doc.Pages {
		for w := range document.Words(p.Blocks) {
			want = append(want, w.Confidence)
		}
	}
	words := root.all(d.word)
	require.Len(t, words, len(want))
	for i, w := range words {
		got, err := strconv.ParseFloat(d.confidence(w), 64)
		require.NoError(t, err)
		if strings.Contains(w.attr["class"], "ocrx") {
			got /= 100
		}
		require.InDelta(t, want[i], got, 0.0051)
	}
}

func TestWrite_PAGE(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		doc := documenttest.Valid().Draw(t, "document")
		root, err := parse(MustWrite(t, "page", doc))
		require.NoError(t, err)
		pages := root.all(named("Page"))
		require.Len(t, pages, len(doc.Pages))
		require.Len(t, root.all(named("PcGts")), len(doc.Pages), "one PcGts holds one page")
		require.Len(t, root.all(named("fptr")), len(doc.Pages)*min(len(doc.Pages)-1, 1), "several pages have a structMap")
		for i, p := range pages {
			var order []string
			for _, ref := range p.all(named("RegionRefIndexed")) {
				require.Equal(t, strconv.Itoa(len(order)), ref.attr["index"])
				order = append(order, ref.attr["regionRef"])
			}
			regions := p.all(named("TextRegion"))
			require.Len(t, order, len(regions))
			for j, r := range regions {
				require.Equal(t, order[j], r.attr["id"])
				require.Equal(t, doc.Pages[i].Blocks[j].Text(), pageText(r), "a region has the text of its lines")
				for k, l := range r.all(named("TextLine")) {
					require.Equal(t, doc.Pages[i].Blocks[j].Lines[k].Text(), pageText(l))
				}
			}
		}
	})
}

func TestWrite_Formats(t *testing.T) {
	t.Parallel()
	line := document.Line{
		Box:      document.Box{X: 10, Y: 20, W: 200, H: 40},
		Baseline: []document.Point{{X: 10, Y: 50}, {X: 210, Y: 54}},
		Words: []document.Word{
			{Box: document.Box{X: 10, Y: 20, W: 80, H: 40}, Text: "שלום", Confidence: 0.9},
			{Box: document.Box{X: 130, Y: 22, W: 80, H: 30}, Text: "\u0338x", Confidence: 0.12345},
		},
	}
	doc := &document.Document{Language: "de-Latf", Pages: []document.Page{{
		Width: 300, Height: 400, DPI: 300, Rotation: 90,
		Blocks: []document.Block{{Box: line.Box, Lines: []document.Line{line}}},
	}}}
	blank := &document.Document{Language: "en_US", Pages: []document.Page{{Width: 3, Height: 4}}}
	script := &document.Document{Language: "und-Latn", Pages: blank.Pages}
	word := []document.Block{{Lines: []document.Line{{Words: []document.Word{{Text: "x"}}}}}}
	mixed := &document.Document{Language: "fr", Pages: []document.Page{{Blocks: word}, {Language: "en", Blocks: word}, {Language: "en_US", Blocks: word}}}
	for _, c := range []struct {
		name, format string
		doc          *document.Document
		want         []string
	}{
		{"hOCR paragraphs have the language of their page", "hocr", mixed, []string{
			`xml:lang="fr" lang="fr"`, `name="ocr-langs" content="fr en"`, `id="p1_b1_p" title="bbox 0 0 1 1" lang="fr"`, `id="p2_b1_p" title="bbox 0 0 1 1" lang="en"`, `id="p3_b1_p" title="bbox 0 0 1 1" lang="fr"`,
		}},
		{"ALTO pages have their language", "alto", mixed, []string{`ID="p1" PHYSICAL_IMG_NR="1" WIDTH="1" HEIGHT="1" PC="0" LANG="fr"`, `HEIGHT="1" PC="0" LANG="en"`}},
		{"PAGE pages have their language", "page", mixed, []string{`primaryLanguage="French"`, `primaryLanguage="English"`, `name="language" value="fr"`}},
		{"hOCR names system, capabilities, pages and language", "hocr", doc, []string{
			`content="Uncial 1.0.0"`, `<meta name="ocr-capabilities" content="ocr_page ocr_carea ocr_par ocr_line ocr_image ocrx_word `,
			`name="ocr-number-of-pages" content="1"`, `xml:lang="de-Latf" lang="de-Latf"`,
		}},
		{"hOCR has size, resolution and rotation of the page", "hocr", doc, []string{`bbox 0 0 300 400; ppageno 0; scan_res 300 300; x_rotation 90`, `folio %22`}},
		{"hOCR baseline starts at the lower left corner of the line", "hocr", doc, []string{`bbox 10 20 210 60; baseline 0.02 -10"`}},
		{"hOCR has direction and confidence", "hocr", doc, []string{`dir="rtl"`, `x_wconf 12"`}},
		{"a combining mark at the start is escaped", "hocr", doc, []string{`>&#x338;x</span>`}},
		{"ALTO has a description", "alto", doc, []string{
			`SCHEMAVERSION="4.4"`, `<MeasurementUnit>pixel</MeasurementUnit>`, `<processingDateTime>2026-01-15T11:00:00Z<`,
			`page 1 was rotated 90 degrees clockwise`, `<softwareVersion>1.0.0<`, `&lt;verso&gt;.tif</fileName>`,
		}},
		{"ALTO lines have baseline and direction", "alto", doc, []string{
			`<TextLine ID="p1_b1_l1" HPOS="10" VPOS="20" WIDTH="200" HEIGHT="40" BASELINE="10 50 210 54" BASEDIRECTION="rtl">`,
			`WC="0.1235"`, `LANG="de-Latf"`,
		}},
		{"ALTO has a print space on a blank page", "alto", blank, []string{`<PrintSpace HPOS="0" VPOS="0" WIDTH="3" HEIGHT="4">`, `PC="0"`, `LANG="und"`}},
		{"PAGE dates are in UTC", "page", doc, []string{`<Created>2026-01-15T11:00:00Z</Created>`, `<LastChange>2026-01-15T11:00:00Z</LastChange>`}},
		{"PAGE has language, resolution and image", "page", doc, []string{
			`primaryLanguage="German" primaryScript="Latf - Latin (Fraktur variant)"`, `name="language" value="de-Latf"`,
			`imageXResolution="300"`, `value="90"`, `imageFilename="folio &#34;1&#34; &amp; &lt;verso&gt;.tif"`,
		}},
		{"PAGE names a script without a language", "page", script, []string{`imageHeight="4" primaryScript="Latn - Latin"`, `name="language" value="und-Latn"`}},
		{"PAGE lines have outline, baseline and direction", "page", doc, []string{
			`<Coords points="10,20 210,20 210,60 10,60"/>`, `<Baseline points="10,50 210,54"/>`, `readingDirection="right-to-left"`,
		}},
		{"TSV has rows for pages and words", "tsv", doc, []string{"\n5\t1\t1\t1\t1\t1\t10\t20\t80\t40\t90.000000\tשלום\n", "\n1\t1\t0\t0\t0\t0\t0\t0\t300\t400\t-1\t\n"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			out := MustWrite(t, c.format, c.doc)
			for _, want := range c.want {
				require.Contains(t, out, want)
			}
		})
	}
}

func TestWrite_ALTO_Spaces(t *testing.T) {
	t.Parallel()
	at := func(x int, text string) document.Word {
		return document.Word{Box: document.Box{X: x, Y: 5, W: 10, H: 10}, Text: text}
	}
	space := func(words ...document.Word) map[string]string {
		doc := &document.Document{Pages: []document.Page{{Width: 100, Height: 100, Blocks: []document.Block{{Lines: []document.Line{{Words: words}}}}}}}
		root, err := parse(MustWrite(t, "alto", doc))
		require.NoError(t, err)
		return root.all(named("SP"))[0].attr
	}
	require.Equal(t, map[string]string{"HPOS": "20", "VPOS": "5", "WIDTH": "30"}, space(at(10, "a"), at(50, "b")))
	require.Equal(t, map[string]string{"HPOS": "20", "VPOS": "5", "WIDTH": "30"}, space(at(50, "א"), at(10, "ב")), "right to left")
	require.Empty(t, space(at(10, "a"), at(15, "b")), "words that touch")
}

func TestWrite_UnknownFormat(t *testing.T) {
	t.Parallel()
	_, err := format.Write("docx", &document.Document{}, meta)
	require.EqualError(t, err, `unknown format "docx"; choose one of alto, hocr, page, pdf, text, tsv`)
}

func TestWrite_KeepsTheDocument(t *testing.T) {
	t.Parallel()
	doc := &document.Document{Language: "en_US", Pages: []document.Page{{Blocks: []document.Block{{Lines: []document.Line{{Words: []document.Word{{Text: "\x00"}}}}}}}}}
	MustWrite(t, "page", doc)
	require.Equal(t, "en_US", doc.Language)
	require.Equal(t, "\x00", doc.Text())
}

func TestImageName(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"https://user:pass@images.example.org/a/page-001.tif?X-Signature=abc#x": "page-001.tif",
		"https://images.example.org/a%20b%00.jpg":                               "a b.jpg",
		"https://images.example.org/folder/":                                    "folder",
		"https://images.example.org/":                                           "",
		"https://images.example.org":                                            "",
		"DATA:image/png;base64,iVBORw0KGgo=":                                    "",
		"http://%zz":                                                            "",
	} {
		require.Equal(t, want, format.ImageName(in), in)
	}
}

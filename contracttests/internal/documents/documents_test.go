package documents_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"uncial/contracttests/internal/documents"
	"uncial/internal/document"
	"uncial/internal/document/documenttest"
	"uncial/internal/format"
)

var meta = format.Meta{Image: "page 1.tif", Created: time.Date(2026, 1, 15, 12, 0, 0, 0, time.UTC), Version: "1.0.0"}

// MustWrite writes the document with the project's own writers.
func MustWrite(tb require.TestingT, name string, doc *document.Document) string {
	text, err := format.Write(name, doc, meta)
	require.NoError(tb, err)
	return text
}

func TestCorrectBounds(t *testing.T) {
	t.Parallel()
	word := func(text string, confidence float64) *documents.Element {
		return &documents.Element{Text: text, Confidence: confidence}
	}
	for name, c := range map[string]struct {
		words       []*documents.Element
		least, most float64
	}{
		"no words have none":                             {nil, 0, 0},
		"of a word of one character, its probability":    {[]*documents.Element{word("a", 0.3)}, 0.3, 0.3},
		"of a wrong word, one or all of four characters": {[]*documents.Element{word("Whan", 0)}, 0, 0.75},
		"long words count more":                          {[]*documents.Element{word("Aprille", 1), word("Whan", 0.5)}, 9.0 / 11, 10.5 / 11},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			least, most := documents.CorrectBounds(c.words)
			require.InDelta(t, c.least, least, 1e-9)
			require.InDelta(t, c.most, most, 1e-9)
		})
	}
}

func TestRead_acceptsOurWriters(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		doc := documenttest.Valid().Draw(t, "document")
		var first *documents.Document
		for _, name := range documents.Formats {
			got, err := documents.Read(name, MustWrite(t, name, doc))
			require.NoError(t, err, name)
			require.Equal(t, doc.Text(), got.Text(), name)
			require.Len(t, got.Pages, len(doc.Pages), name)
			if first == nil {
				first = got
			}
			require.Empty(t, documents.Differs(first, got), name)
		}
	})
}

// sample is two words on a page.
func sample() *document.Document {
	word := func(text string, x int) document.Word {
		return document.Word{Text: text, Confidence: 0.9, Box: document.Box{X: x, Y: 100, W: 80, H: 40}}
	}
	box := document.Box{X: 100, Y: 100, W: 180, H: 40}
	line := document.Line{Box: box, Words: []document.Word{word("Whan", 100), word("that", 200)}}
	page := document.Page{Width: 640, Height: 400, Blocks: []document.Block{{Box: box, Lines: []document.Line{line}}}}
	return &document.Document{Language: "enm", Confidence: 0.9, Pages: []document.Page{page}}
}

func TestRead_reportsProblems(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ format, old, replacement, want string }{
		"a cut-off document":                 {"hocr", "</html>", "", "not well-formed"},
		"two roots":                          {"alto", "</alto>", "</alto><alto/>", "2 root elements"},
		"text outside the root":              {"alto", "</alto>", "</alto>x", "text outside the root"},
		"a repeated id":                      {"hocr", `id="p1_b1_l1_w2"`, `id="p1_b1_l1_w1"`, `the id "p1_b1_l1_w1"`},
		"a block without an id":              {"alto", `<TextBlock ID="p1_b1"`, `<TextBlock`, "lacks the attribute ID"},
		"a word of PAGE without an id":       {"page", `<Word id="p1_b1_l1_w1"`, `<Word`, "lacks the attribute id"},
		"an id that begins with a digit":     {"alto", `ID="p1_b1_l1_w1"`, `ID="1_w1"`, "must begin with a letter"},
		"no number of a page":                {"alto", ` PHYSICAL_IMG_NR="1"`, ``, "lacks the attribute PHYSICAL_IMG_NR"},
		"a misplaced description":            {"alto", "</Layout>", "</Layout><Description/>", "must not have the child <Description> there"},
		"misplaced coordinates":              {"page", "</Word>", "<Coords/></Word>", "must not have the child <Coords> there"},
		"a baseline of one point":            {"page", `<Word id="p1_b1_l1_w1"`, `<Baseline points="100,130"/><Word id="p1_b1_l1_w1"`, "must not have the child <Baseline> there"},
		"a baseline off the page":            {"alto", `BASELINE="100 `, `BASELINE="9000 `, "extends beyond its page"},
		"a reading order out of order":       {"page", `index="0"`, `index="-1"`, `has the index "-1"`},
		"a path of the server":               {"page", `imageFilename="page 1.tif"`, `imageFilename="/var/spool/1.tif"`, "a path of the server"},
		"a path in hOCR":                     {"hocr", `page 1.tif&#34;; bbox`, `/var/spool/1.tif&#34;; bbox`, "a path of the server"},
		"a path in ALTO":                     {"alto", `<fileName>page 1.tif`, `<fileName>C:\spool\1.tif`, "a path of the server"},
		"an undeclared class":                {"hocr", ` ocrx_word `, ` `, "uses the class ocrx_word"},
		"a repeated attribute":               {"alto", `CONTENT="Whan"`, `CONTENT="Whan" CONTENT="Whan"`, "repeats the attribute CONTENT"},
		"a box beyond the page":              {"alto", `HPOS="200"`, `HPOS="900"`, "outside of its parent"},
		"a box without area":                 {"hocr", "bbox 100 100 180 140", "bbox 100 100 100 140", "has no area"},
		"a negative box":                     {"alto", `HPOS="200"`, `HPOS="-200"`, "must not be negative"},
		"a fraction of a pixel":              {"alto", `HPOS="200"`, `HPOS="200.5"`, "must be a whole number"},
		"no bbox":                            {"hocr", "bbox 100 100 180 140; ", "", "no bbox of four numbers"},
		"no x_wconf":                         {"hocr", "; x_wconf 90", "", "no x_wconf"},
		"another root":                       {"hocr", "html xmlns", "xhtml xmlns", "not well-formed"},
		"no ocr-system":                      {"hocr", `name="ocr-system"`, `name="system"`, "ocr-system"},
		"an older ALTO":                      {"alto", `xmlns="http://www.loc.gov/standards/alto/ns-v4#"`, `xmlns="http://www.loc.gov/standards/alto/ns-v3#"`, "the root of ALTO 4"},
		"another unit":                       {"alto", ">pixel<", ">mm10<", "must be pixel"},
		"a confidence in percent":            {"alto", `WC="0.9"`, `WC="90"`, "the limit is 1"},
		"a word with a space":                {"alto", `CONTENT="Whan"`, `CONTENT="Wh an"`, "without white space"},
		"an empty word":                      {"alto", `CONTENT="Whan"`, `CONTENT=""`, "without white space"},
		"a wrong page number":                {"alto", `PHYSICAL_IMG_NR="1"`, `PHYSICAL_IMG_NR="2"`, `number "2"; expected 1`},
		"a wrong ppageno":                    {"hocr", `ppageno 0`, `ppageno 1`, `number "1"; expected 0`},
		"an older PAGE":                      {"page", `xmlns="http://schema.primaresearch.org/PAGE/gts/pagecontent/2019-07-15"`, `xmlns="http://schema.primaresearch.org/PAGE/gts/pagecontent/2013-07-15"`, "the namespace of <PcGts>"},
		"no Created":                         {"page", "<Created>2026-01-15T12:00:00Z</Created>", "", "lacks <Created>"},
		"an invalid Created":                 {"page", "<Created>2026-01-15T12:00:00Z", "<Created>today", "not a date and time that exists"},
		"a change before Created":            {"page", "<LastChange>2026-01-15T12:00:00Z", "<LastChange>2026-01-15T11:59:59Z", "before <Created>"},
		"a region out of order":              {"page", `regionRef="p1_b1"`, `regionRef="p1_b2"`, "no element has this id"},
		"a text that differs from its words": {"page", "<Unicode>Whan that</Unicode>", "<Unicode>When that</Unicode>", "is not the text of its words"},
		"points that are not an outline":     {"page", `points="100,100 180,100 180,140 100,140"`, `points="100,100"`, "it does not match"},
		"no header line":                     {"tsv", "level\tpage_num", "lvl\tpage_num", "must name its twelve columns"},
		"eleven columns":                     {"tsv", "\tWhan", "", "expected 12 columns, not 11"},
		"a gap in the numbers":               {"tsv", "5\t1\t1\t1\t1\t2", "5\t1\t1\t1\t1\t3", "expected"},
		"a line with a text":                 {"tsv", "-1\t\n5", "-1\tx\n5", "only words may have"},
		"a confidence beyond 100":            {"tsv", "90.000000\tWhan", "190.000000\tWhan", "out of range"},
	} {
		t.Run("reports "+name, func(t *testing.T) {
			t.Parallel()
			text := MustWrite(t, c.format, sample())
			require.Contains(t, text, c.old)
			_, err := documents.Read(c.format, strings.Replace(text, c.old, c.replacement, 1))
			require.ErrorContains(t, err, c.want)
		})
	}
	_, err := documents.Read("pdf", "")
	require.ErrorContains(t, err, "has no document")
}

// doubtful is sample with another reading of its first word.
func doubtful() *document.Document {
	doc := sample()
	w := &doc.Pages[0].Blocks[0].Lines[0].Words[0]
	w.Confidence, w.Alternatives = 0.5, []document.Alternative{{Text: "What", Confidence: 0.3}, {Text: "When", Confidence: 0.2}}
	return doc
}

func TestRead_alternatives(t *testing.T) {
	t.Parallel()
	for _, format := range []string{"hocr", "alto", "page"} {
		doc, err := documents.Read(format, MustWrite(t, format, doubtful()))
		require.NoError(t, err, format)
		require.Equal(t, "Whan that", doc.Text(), format)
		require.Equal(t, []string{"What", "When"}, doc.Words()[0].Others, format)
		require.Empty(t, doc.Words()[1].Others, format)
	}
	for name, c := range map[string]struct{ format, old, replacement, want string }{
		"the word itself among the others":            {"alto", "<ALTERNATIVE>When", "<ALTERNATIVE>Whan", `"Whan" twice`},
		"two words as another reading":                {"alto", "<ALTERNATIVE>When", "<ALTERNATIVE>Wh en", "without white space"},
		"four others":                                 {"alto", "<ALTERNATIVE>When</ALTERNATIVE>", "<ALTERNATIVE>a</ALTERNATIVE><ALTERNATIVE>b</ALTERNATIVE><ALTERNATIVE>c</ALTERNATIVE>", "at most 3"},
		"others without rank":                         {"page", `<TextEquiv index="1" `, "<TextEquiv ", `has the index ""`},
		"a rank out of order":                         {"page", `<TextEquiv index="2" `, `<TextEquiv index="5" `, `has the index "5"`},
		"another reading that is surer than the word": {"page", `index="1" conf="0.3"`, `index="1" conf="0.9"`, "more confident"},
		"others without the word":                     {"hocr", "ins", "del", "no ins"},
		"a text beside the alternatives":              {"hocr", `<span class="alternatives">`, `Whan<span class="alternatives">`, "alternatives alone"},
		"another class":                               {"hocr", `<del class="alt"`, `<del class="other"`, "of the class alt"},
	} {
		t.Run("refuses "+name, func(t *testing.T) {
			t.Parallel()
			text := MustWrite(t, c.format, doubtful())
			require.Contains(t, text, c.old)
			_, err := documents.Read(c.format, strings.ReplaceAll(text, c.old, c.replacement))
			require.ErrorContains(t, err, c.want)
		})
	}
}

func TestDiffers(t *testing.T) {
	t.Parallel()
	a, err := documents.Read("alto", MustWrite(t, "alto", sample()))
	require.NoError(t, err)
	for want, change := range map[string]func(*document.Document){
		"page 1 measures": func(d *document.Document) { d.Pages[0].Width++ },
		`is "Whan" in`:    func(d *document.Document) { d.Pages[0].Blocks[0].Lines[0].Words[0].Text = "When" },
		"is at":           func(d *document.Document) { d.Pages[0].Blocks[0].Lines[0].Words[0].Box.H-- },
		"the confidence":  func(d *document.Document) { d.Pages[0].Blocks[0].Lines[0].Words[0].Confidence = 0.5 },
		"2 words":         func(d *document.Document) { l := &d.Pages[0].Blocks[0].Lines[0]; l.Words = l.Words[:1] },
		"1 pages":         func(d *document.Document) { d.Pages = append(d.Pages, d.Pages[0]) },
	} {
		other := sample()
		change(other)
		b, err := documents.Read("tsv", MustWrite(t, "tsv", other))
		require.NoError(t, err)
		assert.Contains(t, documents.Differs(a, b), want)
	}
}

func TestSameText(t *testing.T) {
	t.Parallel()
	assert.True(t, documents.SameText("a\n\nb\fc", "a\nb\fc"))
	assert.False(t, documents.SameText("a\nb", "a b"))
	assert.False(t, documents.SameText("a\fb", "a\nb"))
	assert.False(t, documents.SameText("a", "a\n"))
}

// FuzzRead gives arbitrary text to all readers. They must return a document or an error.
func FuzzRead(f *testing.F) {
	for _, name := range documents.Formats {
		f.Add(MustWrite(f, name, sample()))
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, name := range documents.Formats {
			doc, err := documents.Read(name, text)
			if err == nil && len(doc.Pages) == 0 {
				t.Fatalf("%s: no pages and no error", name)
			}
		}
	})
}

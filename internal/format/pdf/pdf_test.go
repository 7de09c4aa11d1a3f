package pdf_test

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/jpeg"
	"image/png"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"uncial/internal/document"
	"uncial/internal/document/documenttest"
	"uncial/internal/format/formattest"
	"uncial/internal/format/pdf"
)

var meta = pdf.Meta{Title: "Folio 1 <recto> & Σ", Language: "fr", Software: "Uncial 1.4.0", Created: time.Date(2026, 1, 15, 12, 0, 0, 0, time.FixedZone("", 3600))}

func MustPNG(tb require.TestingT, img image.Image) []byte {
	var b bytes.Buffer
	require.NoError(tb, png.Encode(&b, img))
	return b.Bytes()
}

// sheet is a white picture in black and white.
func sheet(w, h int) image.Image {
	return image.NewPaletted(image.Rect(0, 0, w, h), color.Palette{color.White, color.Black})
}

// page lays out lines of words, one block for each text, side by side.
func page(columns ...string) *document.Page {
	p := &document.Page{Width: 1200, Height: 900, DPI: 150}
	for c, column := range columns {
		var block document.Block
		for l, text := range strings.Split(column, "\n") {
			var line document.Line
			x, y := 80+560*c, 90+60*l
			for word := range strings.FieldsSeq(text) {
				w := document.Word{Text: word, Box: document.Box{X: x, Y: y, W: 14 * len([]rune(word)), H: 30}, Confidence: 1}
				line.Words = append(line.Words, w)
				x += w.Box.W + 14
			}
			line.Box = document.WordsBox(line.Words)
			line.Baseline = []document.Point{{X: line.Box.X, Y: y + 24}, {X: line.Box.X + line.Box.W, Y: y + 24}}
			block.Lines = append(block.Lines, line)
			block.Box = block.Box.Union(line.Box)
		}
		p.Blocks = append(p.Blocks, block)
	}
	return p
}

func MustWrite(tb require.TestingT, m pdf.Meta, picture pdf.Picture, pages ...*document.Page) []byte {
	var b bytes.Buffer
	w := pdf.NewWriter(&b, m)
	for _, p := range pages {
		require.NoError(tb, w.AddPage(p, picture))
	}
	require.NoError(tb, w.Close())
	return b.Bytes()
}

const (
	left  = "Monſieur le Ducͤ de Bar\nſeigneur du lieu — 𐍈 𝔘 μῆνιν\nquãdo ꝑ ﬁn"
	right = "a l’abbé de Saint\nson très cher amy\ndu Roy noſtre ſire"
)

func TestWriter_Text(t *testing.T) {
	t.Parallel()
	file := MustWrite(t, meta, pdf.Picture{Data: MustPNG(t, sheet(1200, 900))}, page(left, right), page(), page(right))
	formattest.RequireValidPDF(t, file)
	t.Run("is in reading order, column by column", func(t *testing.T) {
		t.Parallel()
		pages := strings.Split(formattest.PDFText(t, file), "\f")
		require.Equal(t, strings.Fields(left+"\n"+right), strings.Fields(pages[0]))
		require.Empty(t, strings.TrimSpace(pages[1]))
		require.Equal(t, strings.Fields(right), strings.Fields(pages[2]))
	})
	t.Run("is found where it is", func(t *testing.T) {
		t.Parallel()
		want := page(left, right)
		found := formattest.PDFWords(t, MustWrite(t, meta, pdf.Picture{Data: MustPNG(t, sheet(1200, 900))}, want))
		scale := 72 / float64(want.DPI)
		n := 0
		for w := range document.Words(want.Blocks) {
			best := 0.0
			for _, f := range found {
				if f.Text == w.Text {
					best = max(best, overlap(w.Box, f, scale))
				}
			}
			assert.GreaterOrEqual(t, best, 0.9, w.Text)
			n++
		}
		require.Equal(t, len(strings.Fields(left+" "+right)), n)
	})
}

// overlap is the area that both boxes share, as a part of the area that they cover.
func overlap(b document.Box, f formattest.PDFWord, scale float64) float64 {
	x0, y0, x1, y1 := float64(b.X)*scale, float64(b.Y)*scale, float64(b.X+b.W)*scale, float64(b.Y+b.H)*scale
	w, h := min(x1, f.Right)-max(x0, f.Left), min(y1, f.Bottom)-max(y0, f.Top)
	if w <= 0 || h <= 0 {
		return 0
	}
	return w * h / ((x1-x0)*(y1-y0) + (f.Right-f.Left)*(f.Bottom-f.Top) - w*h)
}

func TestWriter_RightToLeft(t *testing.T) {
	t.Parallel()
	p := page("שלום עולם 1526\nמגילה")
	// The words of a line stand from right to left.
	for i := range p.Blocks[0].Lines {
		line := &p.Blocks[0].Lines[i]
		for j := range line.Words {
			w := &line.Words[j].Box
			w.X = p.Width - w.X - w.W
		}
		line.Box = document.WordsBox(line.Words)
		line.Baseline = nil
	}
	file := MustWrite(t, meta, pdf.Picture{Data: MustPNG(t, sheet(10, 10))}, p)
	formattest.RequireValidPDF(t, file)
	marks := strings.NewReplacer("\u202b", "", "\u202c", "", "\u202a", "", "\u200f", "", "\u200e", "")
	require.Equal(t, []string{"שלום", "עולם", "1526", "מגילה"}, strings.Fields(marks.Replace(formattest.PDFText(t, file))))
	at := map[string]float64{}
	for _, w := range formattest.PDFWords(t, file) {
		at[w.Text] = w.Left
	}
	require.Len(t, at, 4)
	// pdftotext -bbox gives the characters as they are seen.
	require.Greater(t, at["םולש"], at["םלוע"], "the first word stands on the right")
	require.Greater(t, at["םלוע"], at["1526"])
}

// TestWriter_Conformance checks the rules of ISO 19005-2 that no tool at hand checks. The sections are in the messages.
func TestWriter_Conformance(t *testing.T) {
	t.Parallel()
	file := string(MustWrite(t, meta, pdf.Picture{Data: MustPNG(t, sheet(1200, 900))}, page(left)))
	require.Equal(t, "%PDF-1.7\n%\xe2\xe3\xcf\xd3\n", file[:15], "6.1.2: a comment of four bytes above 127")
	require.True(t, strings.HasSuffix(file, "%%EOF\n"), "6.1.3: nothing after the end")
	id := regexp.MustCompile(`/ID \[<([0-9a-f]{32})> <([0-9a-f]{32})>\]`).FindStringSubmatch(file)
	require.Len(t, id, 3, "6.1.3: an identifier")
	require.NotEqual(t, strings.Repeat("0", 32), id[1])
	require.Equal(t, file, string(MustWrite(t, meta, pdf.Picture{Data: MustPNG(t, sheet(1200, 900))}, page(left))), "the same document gives the same bytes")
	other := string(MustWrite(t, meta, pdf.Picture{Data: MustPNG(t, sheet(1200, 900))}, page(right)))
	require.NotContains(t, other, id[1], "another document has another identifier")
	require.Contains(t, file, "/S /GTS_PDFA1", "6.2.3: an output intent")
	require.Contains(t, file, "<pdfaid:part>2</pdfaid:part><pdfaid:conformance>B</pdfaid:conformance>", "6.6.4")
	require.Contains(t, file, "Folio 1 &lt;recto&gt; &amp; Σ", "6.6.3: the title in XMP")
	require.Contains(t, file, "<xmp:CreateDate>2026-01-15T11:00:00+00:00</xmp:CreateDate>")
	require.Contains(t, file, "/CreationDate (D:20260115110000+00'00')", "6.6.3: the same in the document information")
	require.Contains(t, file, "/FontFile2", "6.2.11.4: the font is embedded")
	require.Contains(t, file, "/ToUnicode")
	for _, forbidden := range []string{"/Encrypt", "/SMask", "/Group", "/ca ", "/CA ", "/JavaScript", "/AA", "/OpenAction", "/LZWDecode", "/Interpolate"} {
		require.NotContains(t, file, forbidden)
	}
}

func TestWriter_Pictures(t *testing.T) {
	t.Parallel()
	// Each corner has a grey of its own, so that a picture that is turned or mirrored shows.
	corners := image.NewRGBA(image.Rect(0, 0, 40, 20))
	for i, v := range []uint8{0, 80, 160, 240} {
		at := image.Rect(0, 0, 20, 10).Add(image.Pt(20*(i%2), 10*(i/2)))
		draw.Draw(corners, at, image.NewUniform(color.Gray{Y: v}), image.Point{}, draw.Src)
	}
	gray := image.NewGray(corners.Rect)
	draw.Draw(gray, gray.Rect, corners, image.Point{}, draw.Src)
	few := image.NewPaletted(corners.Rect, color.Palette{color.Gray{Y: 0}, color.Gray{Y: 80}, color.Gray{Y: 160}, color.Gray{Y: 240}})
	draw.Draw(few, few.Rect, corners, image.Point{}, draw.Src)
	var colorJPEG, grayJPEG bytes.Buffer
	require.NoError(t, jpeg.Encode(&colorJPEG, corners, nil))
	require.NoError(t, jpeg.Encode(&grayJPEG, gray, nil))
	p := &document.Page{Width: 40, Height: 20, DPI: 72}
	for name, data := range map[string][]byte{
		"PNG in colour": MustPNG(t, corners), "PNG in grey": MustPNG(t, gray), "PNG with a palette": MustPNG(t, few),
		"JPEG in colour": colorJPEG.Bytes(), "JPEG in grey": grayJPEG.Bytes(),
	} {
		file := MustWrite(t, meta, pdf.Picture{Data: data}, p)
		formattest.RequireValidPDF(t, file)
		require.Equal(t, [4]int{0, 1, 2, 3}, seen(t, file), name)
	}
	upright := &document.Page{Width: 20, Height: 40, DPI: 72}
	for orientation, want := range map[int][4]int{
		1: {0, 1, 2, 3}, 2: {1, 0, 3, 2}, 3: {3, 2, 1, 0}, 4: {2, 3, 0, 1},
		5: {0, 2, 1, 3}, 6: {2, 0, 3, 1}, 7: {3, 1, 2, 0}, 8: {1, 3, 0, 2},
	} {
		page := p
		if orientation >= 5 {
			page = upright
		}
		require.Equal(t, want, seen(t, MustWrite(t, meta, pdf.Picture{Data: MustPNG(t, corners), Orientation: orientation}, page)), "orientation %d", orientation)
	}
}

// seen returns which corner of the picture is seen at each corner of the page.
func seen(tb testing.TB, file []byte) (corners [4]int) {
	tb.Helper()
	img, err := png.Decode(bytes.NewReader(formattest.RenderPDF(tb, file, 72)))
	require.NoError(tb, err)
	w, h := img.Bounds().Dx(), img.Bounds().Dy()
	for i := range corners {
		v := color.GrayModel.Convert(img.At(w/4+(i%2)*w/2, h/4+(i/2)*h/2)).(color.Gray).Y
		corners[i] = (int(v) + 40) / 80
	}
	return corners
}

func TestWriter_AddPage_Refusals(t *testing.T) {
	t.Parallel()
	transparent := image.NewNRGBA(image.Rect(0, 0, 2, 2))
	for name, c := range map[string]struct {
		data   []byte
		reason string
	}{
		"nothing":           {nil, "neither a JPEG nor a PNG"},
		"a damaged JPEG":    {damagedJPEG, "the JPEG is damaged"},
		"a transparent PNG": {MustPNG(t, transparent), "transparent"},
		"half a PNG":        {MustPNG(t, sheet(100, 100))[:40], "damaged"},
		"an interlaced PNG": {interlaced(t), "interlaced"},
	} {
		err := pdf.NewWriter(&bytes.Buffer{}, meta).AddPage(page("a"), pdf.Picture{Data: c.data})
		var refused *pdf.PictureError
		require.ErrorAs(t, err, &refused, name)
		require.Contains(t, refused.Reason, c.reason, name)
		require.Equal(t, refused, pdf.Picture{Data: c.data}.Check(), name)
	}
	require.ErrorContains(t, pdf.NewWriter(&bytes.Buffer{}, meta).Close(), "no page")
}

var damagedJPEG = []byte{0xff, 0xd8, 0xff, 0xe0, 0, 4}

func interlaced(tb testing.TB) []byte {
	tb.Helper()
	data := MustPNG(tb, sheet(2, 2))
	data[8+8+12] = 1 // the last byte of IHDR
	return data
}

var errFull = errors.New("the disk is full")

// full fails after some bytes.
type full struct{ left int }

func (f *full) Write(p []byte) (int, error) {
	if f.left -= len(p); f.left < 0 {
		return 0, errFull
	}
	return len(p), nil
}

func TestWriter_FullDisk(t *testing.T) {
	t.Parallel()
	picture := pdf.Picture{Data: MustPNG(t, sheet(1200, 900))}
	whole := len(MustWrite(t, meta, picture, page(left)))
	for n := 0; n < whole; n += 97 {
		w := pdf.NewWriter(&full{n}, meta)
		err := w.AddPage(page(left), picture)
		if err == nil {
			err = w.Close()
		}
		require.ErrorIs(t, err, errFull, fmt.Sprint(n))
	}
}

func TestWriter_AnyDocument(t *testing.T) {
	t.Parallel()
	picture := pdf.Picture{Data: MustPNG(t, sheet(10, 10))}
	for seed := range 12 { // each takes four programs
		var pages []*document.Page
		doc := documenttest.Valid().Example(seed)
		for i := range doc.Pages {
			pages = append(pages, &doc.Pages[i])
		}
		formattest.RequireValidPDF(t, MustWrite(t, pdf.Meta{}, picture, pages...))
	}
	rapid.Check(t, func(t *rapid.T) {
		doc := documenttest.Any().Draw(t, "document").Normalized()
		for i := range doc.Pages {
			MustWrite(t, pdf.Meta{Title: rapid.String().Draw(t, "title")}, picture, &doc.Pages[i])
		}
	})
}

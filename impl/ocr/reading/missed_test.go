package reading_test

import (
	"cmp"
	"context"
	"image"
	"image/color"
	"image/draw"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"uncial/impl/ocr/decode"
	"uncial/impl/ocr/hand"
	"uncial/impl/ocr/imaging"
	"uncial/impl/ocr/layout"
	"uncial/impl/ocr/models/own"
	"uncial/impl/ocr/ocrtest"
	"uncial/impl/ocr/reading"
	"uncial/impl/ocr/tesseract"
	"uncial/internal/document"
)

// forgetful is a Source that returns a scripted reading of a page and, for each part of it that it reads later, one word that
// fills the part.
type forgetful struct {
	scripted
	page  []document.Block
	says  func(n int) said // for the n-th part
	asked int
	whole int // number of times that the whole page was read
	// without are the steps to omit.
	without []string
	drawn   int // width of the image on which page was read; 0 for the image that is read now
}

// resized scales blocks of an image to another width of the image.
func resized(blocks []document.Block, from, to int) []document.Block {
	scale := func(b document.Box) document.Box {
		return document.Box{X: b.X * to / from, Y: b.Y * to / from, W: b.W * to / from, H: b.H * to / from}
	}
	var lines []document.Line
	for _, b := range blocks {
		for _, l := range b.Lines {
			l.Box, l.Words = scale(l.Box), slices.Clone(l.Words)
			for i := range l.Words {
				l.Words[i].Box = scale(l.Words[i].Box)
			}
			lines = append(lines, l)
		}
	}
	return []document.Block{block(lines...)}
}

func (f *forgetful) Read(_ context.Context, img *image.Gray, _ int, _ string, mode tesseract.Mode) ([]document.Block, error) {
	if mode == tesseract.SingleColumn {
		return nil, nil
	}
	if mode == tesseract.Auto {
		f.whole++
		if f.drawn == 0 {
			return f.page, nil
		}
		return resized(f.page, f.drawn, img.Rect.Dx()), nil
	}
	f.asked++
	s := f.says(f.asked - 1)
	if s.text == "" {
		return nil, nil
	}
	box := document.Box{X: img.Rect.Min.X, Y: img.Rect.Min.Y, W: img.Rect.Dx(), H: img.Rect.Dy()}
	word := document.Word{Text: s.text, Box: box, Confidence: s.confidence, Model: "eng"}
	return []document.Block{block(document.Line{Box: box, Words: []document.Word{word}})}, nil
}

func (f *forgetful) read(t *testing.T, img *image.Gray) string {
	t.Helper()
	result, err := reading.Read(t.Context(), decode.Page{Image: img}, reading.Options{Language: "en", Without: append([]string{"faint"}, f.without...)}, f)
	require.NoError(t, err)
	require.Equal(t, 1, f.whole, "reads the page once")
	return textOf(result.Page.Blocks)
}

func always(text string, confidence float64) func(int) said {
	return func(int) said { return said{text, confidence} }
}

// spread returns a word that covers a part of the i-th line of a drawn page.
func spread(text string, i, from, to int) document.Line {
	box := document.Box{X: from, Y: ocrtest.Baseline + ocrtest.Pitch*i - 45, W: to - from, H: 60}
	return document.Line{Box: box, Words: []document.Word{{Text: text, Box: box, Confidence: .95, Model: "eng"}}}
}

// entries are the entries of a catalogue without their prices.
var entries = []string{"Morning at the lake", "Still life with jug", "The old seamstress"}

func catalogue(prices ...string) *image.Gray {
	lines := make([]string, len(entries))
	for i, e := range entries {
		lines[i] = e + strings.Repeat(" ", 40) + prices[i]
	}
	return ocrtest.Page(lines...)
}

func firstReading() []document.Block {
	var lines []document.Line
	for i, e := range entries {
		lines = append(lines, spread(e, i, ocrtest.Left, 600))
	}
	return []document.Block{block(lines...)}
}

func TestRead_missedPrices(t *testing.T) {
	t.Parallel()
	prices := []string{"420.", "403", "120"}
	src := &forgetful{page: firstReading(), says: func(n int) said { return said{prices[n], .95} }}
	require.Equal(t, "Morning at the lake 420.\nStill life with jug 403\nThe old seamstress 120", src.read(t, catalogue(prices...)))
	require.Equal(t, 3, src.asked)
}

// remembering is a forgetful Source with a network for print that reads each strip as one text.
type remembering struct {
	forgetful
	text string
	sure float64 // 0..100
}

func (r *remembering) Has(model string) bool { return model == own.Print || r.forgetful.Has(model) }

func (r *remembering) ReadStrips(_ context.Context, _ string, strips []*image.Gray) ([][]tesseract.Word, error) {
	out := make([][]tesseract.Word, len(strips))
	for i, s := range strips {
		out[i] = []tesseract.Word{{Text: r.text, Box: s.Rect, Confidence: r.sure, Signals: &document.Signals{Letters: r.sure / 100}}}
	}
	return out, nil
}

// blocks reads a page without the steps that would ask the network for more than missed ink.
func (r *remembering) blocks(t *testing.T, img *image.Gray, without ...string) []document.Block {
	t.Helper()
	o := reading.Options{Language: "en", Without: append(without, "faint", "network", "fill-in")}
	result, err := reading.Read(t.Context(), decode.Page{Image: img}, o, r)
	require.NoError(t, err)
	return result.Page.Blocks
}

func (*remembering) HandwritingModelsFor(string) []string { return []string{own.Hands} }

func (*remembering) ReadStripsAgain(context.Context, string, []*image.Gray, hand.Search) ([]hand.Readings, error) {
	return nil, nil
}

func (*remembering) FindLines(context.Context, *image.Gray) (*layout.Page, error) {
	return &layout.Page{}, nil
}

// TestRead_missedPricesByNetwork checks that the network for print reads what the model of the page cannot.
func TestRead_missedPricesByNetwork(t *testing.T) {
	t.Parallel()
	for sure, want := range map[float64]string{
		95: "Morning at the lake 420.\nStill life with jug 420.\nThe old seamstress 420.",
		60: "Morning at the lake\nStill life with jug\nThe old seamstress",
	} {
		src := &remembering{forgetful{page: firstReading(), says: always("", 0)}, "420.", sure}
		require.Equal(t, want, textOf(src.blocks(t, catalogue("420.", "40", "1200"))))
	}
}

// withBaselines gives the lines of firstReading baselines, on which single letters and digits must stand.
func withBaselines(blocks []document.Block) []document.Block {
	for i := range blocks[0].Lines {
		y := ocrtest.Baseline + ocrtest.Pitch*i
		blocks[0].Lines[i].Baseline = []document.Point{{X: ocrtest.Left, Y: y}, {X: 600, Y: y}}
	}
	return blocks
}

// TestRead_missedDropped checks that a line that was dropped as false text is read if the network for print is sure of it.
func TestRead_missedDropped(t *testing.T) {
	t.Parallel()
	for sure, want := range map[float64]string{95: strings.Join(entries, "\n") + "\n—12—", 85: strings.Join(entries, "\n")} {
		page := firstReading()
		dropped := spread("ee", len(entries), 100, 1500)
		dropped.Words[0].Confidence = .1
		page[0].Lines = append(page[0].Lines, dropped)
		src := &remembering{forgetful{page: page, says: always("", 0)}, "—12—", sure}
		require.Equal(t, want, textOf(src.blocks(t, ocrtest.Page(append(slices.Clone(entries), strings.Repeat(" ", 27)+"— 12 —")...), "large-type")), "%v", sure)
	}
}

// TestRead_missedSmallType checks that letters far smaller than most are read if another line of the page is set in such type.
func TestRead_missedSmallType(t *testing.T) {
	t.Parallel()
	img := below(400)
	top := ocrtest.Baseline + ocrtest.Pitch*len(entries)
	for i := range 12 { // a line of small type, and two letters of it far below
		blot(img, 100+20*i, top, 12+i%3, 16)
	}
	blot(img, 300, top+200, 12, 16)
	blot(img, 320, top+200, 13, 16)
	small := document.Box{X: 100, Y: top, W: 240, H: 16}
	for why, want := range map[string]string{"with such a line": "\naverage text\nOF", "without": ""} {
		page := firstReading()
		if want != "" {
			words := []document.Word{{Text: "average text", Box: small, Confidence: .95, Model: "eng"}}
			page[0].Lines = append(page[0].Lines, document.Line{Box: small, Words: words})
		}
		src := &forgetful{page: page, says: always("OF", .95)}
		require.Equal(t, strings.Join(entries, "\n")+want, src.read(t, img), why)
	}
}

func TestRead_missedPricesTransformed(t *testing.T) {
	t.Parallel()
	prices := []string{"420.", "403", "120"}
	page := catalogue(prices...)
	for why, img := range map[string]*image.Gray{
		"skewed by two degrees": imaging.Rotate(page, 2),
		"small letters":         imaging.Resize(page, page.Rect.Dx()*3/10, page.Rect.Dy()*3/10),
	} {
		src := &forgetful{page: firstReading(), drawn: ocrtest.Width, says: func(n int) said { return said{prices[n], .95} }}
		result, err := reading.Read(t.Context(), decode.Page{Image: img}, reading.Options{Language: "en"}, src)
		require.NoError(t, err, why)
		require.Equal(t, "Morning at the lake 420.\nStill life with jug 403\nThe old seamstress 120", textOf(result.Page.Blocks), why)
		letters := imaging.Letters(img)
		for _, l := range result.Page.Blocks[0].Lines {
			b := l.Words[len(l.Words)-1].Box
			price := image.Rect(b.X, b.Y, b.X+b.W, b.Y+b.H)
			require.True(t, slices.ContainsFunc(letters, func(r image.Rectangle) bool { return r.In(price) }), "%s: %v is on the page", why, price)
			require.Greater(t, 2*b.X, img.Rect.Dx(), why)
		}
	}
}

func TestRead_missedNoWriting(t *testing.T) {
	t.Parallel()
	want := strings.Join(entries, "\n")
	for why, says := range map[string]said{
		"no text":                          {},
		"low confidence":                   {"420", .7},
		"more characters than components":  {"four hundred and twenty francs", .95},
		"fewer characters than components": {"4", .95},
		"signs only":                       {"—:·=*", .95},
	} {
		src := &forgetful{page: firstReading(), says: always(says.text, says.confidence)}
		require.Equal(t, want, src.read(t, catalogue("420.", "401.", "1200.")), why)
		require.Equal(t, 3, src.asked, why)
	}
}

func TestRead_missedNothing(t *testing.T) {
	t.Parallel()
	src := &forgetful{page: firstReading(), says: always("never", .95)}
	require.Equal(t, strings.Join(entries, "\n"), src.read(t, ocrtest.Page(entries...)))
	require.Zero(t, src.asked)
	require.Equal(t, strings.Join(entries, "\n"), (&forgetful{page: firstReading(), says: always("never", .95)}).
		read(t, catalogue(".", "-", "I")), "dots, dashes and single strokes are not missed writing")
}

func TestRead_missedAtEdge(t *testing.T) {
	t.Parallel()
	page := catalogue("420.", "401.", "1200.")
	right := 0
	for _, l := range imaging.Letters(page) {
		right = max(right, l.Max.X)
	}
	src := &forgetful{page: firstReading(), says: always("never", .95)}
	src.read(t, imaging.Crop(page, image.Rect(0, 0, right-4, page.Rect.Dy())))
	require.LessOrEqual(t, src.asked, 2)
}

func TestRead_missedBeginning(t *testing.T) {
	t.Parallel()
	page := ocrtest.Page("have been here for ten days", "and nothing was accomplished")
	var first []image.Rectangle // letters of the first line
	for _, l := range imaging.Letters(page) {
		if l.Min.Y < ocrtest.Baseline {
			first = append(first, l)
		}
	}
	slices.SortFunc(first, func(a, b image.Rectangle) int { return cmp.Compare(a.Min.X, b.Min.X) })
	e := first[len("hav")]
	cut := spread("e", 0, e.Min.X, e.Max.X)
	rest := spread("been here for ten days", 0, e.Max.X+8, 900)
	cut.Words = append(cut.Words, rest.Words...)
	cut.Box = cut.Box.Union(rest.Box)
	src := &forgetful{page: []document.Block{block(cut, spread("and nothing was accomplished", 1, ocrtest.Left, 900))}, says: always("have", .95)}
	require.Equal(t, "have been here for ten days\nand nothing was accomplished", src.read(t, page))
	require.Equal(t, 1, src.asked)
}

// below draws a page of three lines with blank space below.
func below(height int) *image.Gray {
	text := ocrtest.Page(entries...)
	img := image.NewGray(image.Rect(0, 0, ocrtest.Width, text.Rect.Dy()+height))
	draw.Draw(img, img.Rect, image.White, image.Point{}, draw.Src)
	draw.Draw(img, text.Rect, text, image.Point{}, draw.Src)
	return img
}

func blot(img *image.Gray, x, y, w, h int) {
	draw.Draw(img, image.Rect(x, y, x+w, y+h), image.NewUniform(color.Black), image.Point{}, draw.Src)
}

func TestRead_missedStrokes(t *testing.T) {
	t.Parallel()
	img := below(1000)
	for i := range 12 { // pairs of strokes as large as letters, far apart
		blot(img, 100, 300+80*i, 20, 30)
		blot(img, 130, 300+80*i, 20, 30)
	}
	src := &forgetful{page: firstReading()}
	src.says = func(int) said { return said{"Ah", .4} }
	require.Equal(t, strings.Join(entries, "\n"), src.read(t, img))
	require.Equal(t, 6, src.asked, "gives up after 6 failures")
}

// TestRead_missedLongFirst checks that strokes do not keep a row of many letters below them from being read.
func TestRead_missedLongFirst(t *testing.T) {
	t.Parallel()
	img := below(1000)
	for i := range 8 {
		blot(img, 100, 300+80*i, 20, 30)
		blot(img, 130, 300+80*i, 20, 30)
	}
	for i := range 10 {
		blot(img, 400+30*i, 1000, 20, 26+i%5)
	}
	src := &forgetful{page: firstReading()}
	src.says = func(n int) said { return []said{{"tenletters", .95}, {"Ah", .4}}[min(n, 1)] }
	require.Equal(t, strings.Join(entries, "\n")+"\ntenletters", src.read(t, img))
	require.Equal(t, 6, src.asked)
}

func TestRead_missedHatching(t *testing.T) {
	t.Parallel()
	img := below(1000)
	for i := range 12 {
		for j := range 12 { // one stroke as large as a letter among four shorter ones
			x, y := 100+60*i, 300+70*j
			blot(img, x, y, 20, 30)
			for k := range 4 {
				blot(img, x+26+8*(k%2), y+3+14*(k/2), 5, 8)
			}
		}
	}
	src := &forgetful{page: firstReading(), says: always("Ahahahahahahah", .95)}
	require.Equal(t, strings.Join(entries, "\n"), src.read(t, img))
	require.Zero(t, src.asked)
}

func TestRead_missedLimits(t *testing.T) {
	t.Parallel()
	img := image.NewGray(image.Rect(0, 0, 2040, 3100))
	draw.Draw(img, img.Rect, image.White, image.Point{}, draw.Src)
	for i := range 10_000 {
		blot(img, 40+i%40*49+i/40%2*12, 50+i/80*24, 8+i%6, 12) // if they had only a few sizes, they would be a pattern
	}
	half := document.Box{X: 20, Y: 20, W: 2000, H: 1600}
	read := document.Line{Box: half, Words: []document.Word{{Text: strings.Repeat("text", 2000), Box: half, Confidence: .98, Model: "eng"}}}
	src := &forgetful{page: []document.Block{block(read)}, says: always("Ah", .95), without: []string{"columns"}}
	src.read(t, img)
	require.Equal(t, 100, src.asked)

	read.Words[0].Box.H, read.Box.H = 200, 200
	src = &forgetful{page: []document.Block{block(read)}, says: always("Ah", .95), without: []string{"columns"}}
	src.read(t, img)
	require.Zero(t, src.asked, "does not try if more is missed than was read")
}

package reading_test

import (
	"context"
	"image"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"uncial/impl/ocr/decode"
	"uncial/impl/ocr/hand"
	"uncial/impl/ocr/layout"
	"uncial/impl/ocr/lexicon"
	"uncial/impl/ocr/models/own"
	"uncial/impl/ocr/ocrtest"
	"uncial/impl/ocr/reading"
	"uncial/impl/ocr/tesseract"
	"uncial/internal/document"
)

// networked is a Source whose own models read print, and whose network for print reads the same text in each line, with a
// confidence. Its handwriting model is sure of nothing.
type networked struct {
	mixed
	confidence float64 // 0..100
	text       string  // of two words
	words      *lexicon.Lexicon
}

func (n *networked) Lexicon(string) *lexicon.Lexicon { return n.words }

func (n *networked) Has(model string) bool {
	return model == own.Print || model == own.Hands || n.scripted.Has(model)
}

func (n *networked) Read(ctx context.Context, img *image.Gray, dpi int, model string, mode tesseract.Mode) ([]document.Block, error) {
	return n.scripted.Read(ctx, img, dpi, model, mode)
}

func (n *networked) ReadStrips(_ context.Context, model string, strips []*image.Gray) ([][]tesseract.Word, error) {
	out := make([][]tesseract.Word, len(strips))
	for i, s := range strips {
		confidence := 5.0
		if model == own.Print {
			confidence = n.confidence
		}
		half := s.Rect.Dx() / 2
		for k, text := range strings.Fields(n.text) {
			out[i] = append(out[i], tesseract.Word{Text: text, Confidence: confidence, Box: image.Rect(k*half, 10, (k+1)*half, 40)})
		}
	}
	return out, nil
}

func (n *networked) ReadStripsAgain(ctx context.Context, model string, strips []*image.Gray, _ hand.Search) ([]hand.Readings, error) {
	return onlyFirst(n.ReadStrips(ctx, model, strips))
}

func TestRead_foundLines(t *testing.T) {
	t.Parallel()
	const line, inNetwork = "il était une fois un roi et une reine", "registres naissance"
	page := ocrtest.Page(slices.Repeat([]string{line}, 5)...)
	words, err := lexicon.Read(own.Models()[own.EarlyPrint])
	require.NoError(t, err)
	read := func(text string) string { return strings.TrimSpace(strings.Repeat(text+" ", 5)) }
	unsure := said{read("il etalt nne"), 0.4}
	const long = "il etalt nne registre des actes perdus de toute la ville"
	const listed = "registres naissance presque toutes maisons"
	for why, c := range map[string]struct {
		print   said
		network float64
		text    string
		want    string // what is repeated
	}{
		"reads all lines if much of the print may be wrong":       {unsure, 70, inNetwork, inNetwork},
		"keeps print that is probably right":                      {said{read(line), 0.97}, 70, inNetwork, line},
		"keeps the print if the network is unsure of it":          {unsure, 30, inNetwork, "il etalt nne"},
		"keeps the print if the network reads far less":           {said{read(long), 0.6}, 70, "registres", long},
		"keeps the print if the network reads fewer listed words": {said{read(listed), 0.6}, 70, inNetwork, listed},
		"keeps the print if the network reads no listed words":    {unsure, 70, "sertsiger ecnassian", "il etalt nne"},
		"keeps a page with Greek, which the network can't write":  {said{read("il σοφία"), 0.4}, 70, inNetwork, "il σοφία"},
	} {
		src := &networked{mixed: mixed{scripted: scripted{says: map[string]said{"eng": c.print}}}, confidence: c.network, text: c.text, words: words}
		result, err := reading.Read(t.Context(), decode.Page{Image: page}, reading.Options{Language: "en", Without: []string{"network"}}, src)
		require.NoError(t, err)
		text := strings.Join(strings.Fields(result.Page.Text()), " ")
		require.Contains(t, text, c.want, why)
		require.Empty(t, strings.TrimSpace(strings.ReplaceAll(text, c.want, "")), why)
	}
}

// firstRows is a Source that surely reads the first rows of a page, and misses the others.
type firstRows struct {
	networked
	rows int
	row  string
}

func (f *firstRows) Read(_ context.Context, img *image.Gray, _ int, model string, _ tesseract.Mode) ([]document.Block, error) {
	var lines []document.Line
	for i := range f.rows {
		line := row(img.Rect.Min.X+40, img.Rect.Min.Y+70+80*i, 0.99, strings.Fields(f.row)...)
		for k := range line.Words {
			line.Words[k].Model, line.Words[k].Signals = model, &document.Signals{Letters: 0.99}
		}
		lines = append(lines, line)
	}
	return []document.Block{block(lines...)}, nil
}

// TestRead_foundLines_unread checks that a page of which several lines were not read is read along the found lines.
func TestRead_foundLines_unread(t *testing.T) {
	t.Parallel()
	const line, inNetwork = "il était une fois un roi", "registres naissance"
	words, err := lexicon.Read(own.Models()[own.EarlyPrint])
	require.NoError(t, err)
	page := ocrtest.Page(slices.Repeat([]string{line}, 10)...)
	for rows, isReadAgain := range map[int]bool{8: true, 10: false} {
		src := &firstRows{networked{mixed: mixed{scripted: scripted{says: map[string]said{"eng": {}}}}, confidence: 90, text: inNetwork, words: words}, rows, line}
		result, err := reading.Read(t.Context(), decode.Page{Image: page}, reading.Options{Language: "en", Without: []string{"network", "unread", "missed"}}, src)
		require.NoError(t, err)
		require.Equal(t, isReadAgain, strings.Count(result.Page.Text(), inNetwork) == 10, "%d rows: %s", rows, result.Page.Text())
		require.Equal(t, isReadAgain, !strings.Contains(result.Page.Text(), line))
	}
}

// TestRead_foundLines_columns checks that each line of two columns is read once, in its column.
func TestRead_foundLines_columns(t *testing.T) {
	t.Parallel()
	const line, inNetwork = "il était une fois un roi", "registres naissance"
	words, err := lexicon.Read(own.Models()[own.EarlyPrint])
	require.NoError(t, err)
	page := sideBySide(ocrtest.Page(slices.Repeat([]string{line}, 10)...), ocrtest.Page(slices.Repeat([]string{line}, 10)...))
	unsure := said{strings.TrimSpace(strings.Repeat("il etalt nne ", 5)), 0.4}
	src := &networked{mixed: mixed{scripted: scripted{says: map[string]said{"eng": unsure}}}, confidence: 70, text: inNetwork, words: words}
	result, err := reading.Read(t.Context(), decode.Page{Image: page}, reading.Options{Language: "en", Without: []string{"network", "unread", "missed"}}, src)
	require.NoError(t, err)
	require.Equal(t, 20, strings.Count(result.Page.Text(), inNetwork), result.Page.Text())
	lines := slices.Collect(document.Lines(result.Page.Blocks))
	for i, l := range lines {
		require.Equal(t, i >= 10, l.Box.X > page.Rect.Dx()/2, "line %d at %v", i, l.Box)
	}
}

func TestKeptLines(t *testing.T) {
	t.Parallel()
	first := []document.Block{block(row(40, 70, 0.9, "some", "good", "words"), row(40, 150, 0.9, "before", "the", "house"), row(40, 230, 0.5, "stands", "near", "it"))}
	band := func(y, up float64) layout.Band {
		return layout.Band{Baseline: []layout.Vertex{{Y: y}}, X0: 30, X1: 800, Up: up, Down: 10}
	}
	var strips []layout.Strip
	for _, l := range layout.Given(ocrtest.BlankPage(900, 400), []layout.Band{band(175, 130), band(255, 40)}) {
		s, ok := l.Strip()
		require.True(t, ok)
		strips = append(strips, s)
	}
	words := func(confidence float64, all ...string) []document.Word { return row(40, 70, confidence, all...).Words }
	for why, c := range map[string]struct {
		read    [][]document.Word
		want    map[int][]string
		crosses bool // whether the first line is in two columns
	}{
		"two lines are better than one that makes no sense": {[][]document.Word{words(0.3, "beſum", "goo"), words(0.9, "stands", "near", "it")}, map[int][]string{0: {"some good words", "before the house"}}, false},
		"one line is better than the same without sense":    {[][]document.Word{words(0.9, "some", "good", "words"), words(0.2, "ſtauo")}, map[int][]string{1: {"stands near it"}}, false},
		"the network reads less, but is surer of it":        {[][]document.Word{words(0.9, "some"), words(0.6, "near")}, map[int][]string{}, false},
		"the network is sure of all":                        {[][]document.Word{words(0.9, "some"), words(0.9, "stands")}, map[int][]string{}, false},
		"the network reads more":                            {[][]document.Word{words(0.6, strings.Fields(strings.Repeat("somewhere ", 10))...), words(0.9, "stands")}, map[int][]string{}, false},
		"the network is sure of lines in two columns":       {[][]document.Word{words(0.9, "some", "before"), words(0.9, "stands")}, map[int][]string{0: {"some good words", "before the house"}}, true},
		"far more was read in lines of two columns":         {[][]document.Word{words(0.9, strings.Fields(strings.Repeat("somewhere ", 10))...), words(0.9, "stands")}, map[int][]string{}, true},
	} {
		crossing := func(b document.Box) bool { return c.crosses && b.Y < 100 }
		got := map[int][]string{}
		for i, lines := range reading.KeptLines(first, strips, c.read, crossing) {
			for _, l := range lines {
				got[i] = append(got[i], l.Text())
			}
		}
		require.Equal(t, c.want, got, why)
	}
}

func TestIsLoneSign(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{"@": true, "†": true, "A": false, "7": false, "—": false, "**": false, "* *": false} {
		var words []document.Word
		for w := range strings.FieldsSeq(text) {
			words = append(words, document.Word{Text: w})
		}
		require.Equal(t, want, reading.IsLoneSign(words), text)
	}
}

// foundRows is a Source whose line finder finds a line around each of the rows that it reads, except the first.
type foundRows struct {
	fewSure
	up   float64 // how far the found lines reach above their baselines, in pixels
	slow bool    // whether the line finder does not end before the deadline
}

func (f *foundRows) Has(model string) bool { return model == own.Hands || f.fewSure.Has(model) }

func (f *foundRows) FindLines(ctx context.Context, g *image.Gray) (*layout.Page, error) {
	if f.slow {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	var bands []layout.Band
	for i := 1; i < 12; i++ {
		bands = append(bands, layout.Band{Baseline: []layout.Vertex{{Y: float64(95 + 80*i)}}, X0: 30, X1: 800, Up: f.up, Down: 10})
	}
	return &layout.Page{Blocks: [][]layout.Line{layout.Given(g, bands)}}, nil
}

// ReadStrips reads nothing as handwriting.
func (f *foundRows) ReadStrips(ctx context.Context, model string, strips []*image.Gray) ([][]tesseract.Word, error) {
	if model != own.Print {
		return make([][]tesseract.Word, len(strips)), nil
	}
	return f.fewSure.ReadStrips(ctx, model, strips)
}

// onlyPrint leaves out the steps that search for handwriting, and the reading of the whole page along found lines.
var onlyPrint = reading.Options{Language: "en", Without: []string{"handwriting", "fill-in", "doubtful-side", "found-lines"}}

// TestRead_alongFoundOutOfTime checks that the network's first readings count if there is no time to find lines.
func TestRead_alongFoundOutOfTime(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		src := &foundRows{fewSure{schooled{network: "some good words before house", sure: 90}, "some good words hefore house", 12, 0}, 35, true}
		lines, _, _ := src.readsAs(ctx, t, onlyPrint, src)
		require.NotEmpty(t, lines)
		for _, line := range lines {
			require.Equal(t, "some good words before house", line.Text())
		}
	})
}

func TestRead_alongFound(t *testing.T) {
	t.Parallel()
	const tess, bySide = "ome good words hefore house stands near the sea", "ome good words before house stands near the sea"
	const longer, shorter = "some good words before house stands near the sea shore", "good words before house"
	for why, c := range map[string]struct {
		sure  float64
		up    float64
		later string
		want  string
		calls []int
	}{
		"reads doubtful lines again, along the lines found":          {90, 35, longer, longer, []int{8, 4, 11}},
		"keeps a reading of which more is likely to be right":        {90, 35, shorter, bySide, []int{8, 4, 11}},
		"keeps lines that the network is sure of":                    {99, 35, longer, bySide, []int{8, 4}},
		"uses no found line that holds several of the lines of text": {90, 180, longer, bySide, []int{8, 4, 0}},
	} {
		src := &foundRows{fewSure{schooled{network: bySide, later: c.later, first: 1, sure: c.sure}, tess, 12, 0}, c.up, false}
		lines, _, calls := src.readsAs(t.Context(), t, onlyPrint, src)
		require.Equal(t, c.calls, calls, why)
		require.Equal(t, bySide, lines[0].Text(), why)
		for _, line := range lines[1:] {
			require.Equal(t, c.want, line.Text(), why)
		}
	}
}

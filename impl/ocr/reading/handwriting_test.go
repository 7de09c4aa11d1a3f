package reading_test

import (
	"cmp"
	"context"
	"image"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"uncial/impl/ocr/decode"
	"uncial/impl/ocr/hand"
	"uncial/impl/ocr/layout"
	"uncial/impl/ocr/lexicon"
	"uncial/impl/ocr/models/own"
	"uncial/impl/ocr/neural"
	"uncial/impl/ocr/ocrtest"
	"uncial/impl/ocr/reading"
	"uncial/impl/ocr/tesseract"
	"uncial/internal/document"
)

const (
	printedLines = 8
	writtenLines = 7
)

// mixedPage draws print and, if requested, handwriting below it.
func mixedPage(withHand bool) *image.Gray {
	g := ocrtest.BlankPage(ocrtest.Width, 1900)
	printed := ocrtest.Page(slices.Repeat([]string{"fome wifdom ftands here for all to read"}, printedLines)...)
	for i, v := range printed.Pix {
		if v < 128 {
			g.Pix[i] = v
		}
	}
	for i := range writtenLines {
		if withHand {
			ocrtest.Scribble(g, 100, 1250, 26, func(float64) float64 { return float64(900 + 130*i) }, uint64(i)) // #nosec G115 -- counts lines
		}
	}
	return g
}

// mixed is a Source that reads a mixed page as print, with the confidences of two models in print and in handwriting, and
// strips as French handwriting. In a part of the page it reads only the print, and in a line it reads nothing.
type mixed struct {
	scripted
	prints, hands map[string]float64
	written       bool
	strips        int
	network       float64 // confidence of the network for print, 0..100; 0 if it is not installed
	hand          float64 // confidence of the network for handwriting; 0 means 60
	captions      int     // printed lines that all print models are sure of
}

func (m *mixed) Has(model string) bool {
	return m.prints[model] > 0 || model == own.Hands || model == own.Print && m.network > 0
}

func (m *mixed) Alphabet(string) lexicon.Alphabet { return nil }

func (m *mixed) Read(_ context.Context, img *image.Gray, _ int, model string, mode tesseract.Mode) ([]document.Block, error) {
	if mode == tesseract.SingleLine {
		return nil, nil
	}
	text := strings.Fields("some wisdom stands here")
	if model == "early_print" {
		text = strings.Fields("ſome wiſdom ſtands here")
	}
	blocks := []document.Block{{}, {}}
	add := func(to *document.Block, y int, words []string, confidence float64) {
		var line document.Line
		for i, w := range words {
			box := document.Box{X: ocrtest.Left + 270*i, Y: y - 38, W: 270, H: 50}
			line.Words = append(line.Words, document.Word{Text: w, Box: box, Confidence: confidence, Model: model})
			line.Box = line.Box.Union(box)
		}
		to.Lines = append(to.Lines, line)
		to.Box = to.Box.Union(line.Box)
	}
	for i := range printedLines {
		confidence := m.prints[model]
		if i < m.captions {
			confidence = 0.95
		}
		add(&blocks[0], ocrtest.Baseline+ocrtest.Pitch*i, text, confidence)
	}
	if !m.written || img.Rect.Dy() < 1000 {
		return blocks[:1], nil
	}
	for i := range writtenLines {
		add(&blocks[1], 900+130*i, strings.Fields("rnnm nmnv vnrrn nrnmw"), m.hands[model])
	}
	return blocks, nil
}

func (*mixed) HandwritingModelsFor(string) []string { return []string{own.Hands} }

func (m *mixed) FindLines(ctx context.Context, g *image.Gray) (*layout.Page, error) {
	model, err := neural.LoadFinder(own.LinesFile())
	if err != nil {
		return nil, err
	}
	return layout.NewFinder(model).Find(ctx, g)
}

func (m *mixed) ReadStrips(_ context.Context, model string, strips []*image.Gray) ([][]tesseract.Word, error) {
	m.strips += len(strips)
	out := make([][]tesseract.Word, len(strips))
	confidence := 20.0
	switch model {
	case own.Hands:
		confidence = cmp.Or(m.hand, 60)
	case own.Print:
		confidence = m.network
	}
	for i, s := range strips {
		width := s.Rect.Dx() / 4
		for j, text := range strings.Fields("par devant nous dit") {
			out[i] = append(out[i], tesseract.Word{Text: text, Confidence: confidence, Box: image.Rect(j*width, 10, (j+1)*width, 40)})
		}
	}
	return out, nil
}

func (m *mixed) ReadStripsAgain(ctx context.Context, model string, strips []*image.Gray, _ hand.Search) ([]hand.Readings, error) {
	return onlyFirst(m.ReadStrips(ctx, model, strips))
}

// onlyFirst returns readings that have only First.
func onlyFirst(first [][]tesseract.Word, err error) ([]hand.Readings, error) {
	out := make([]hand.Readings, len(first))
	for i, words := range first {
		out[i].First = words
	}
	return out, err
}

// both returns the confidences of the language's own model and of the early-print model.
func both(own, early float64) map[string]float64 {
	return map[string]float64{"eng": own, "early_print": early}
}

func TestRead_printAboveHandwriting(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		prints, hands map[string]float64
		model         string // of the print; empty if the whole page is handwriting
	}{
		"keeps modern print although the handwriting lowered its confidence": {both(0.95, 0.9), both(0.3, 0.6), "eng"},
		"keeps early print": {both(0.75, 0.9), both(0.3, 0.4), "early_print"},
		"keeps early print although it is more confident of the handwriting": {both(0.82, 0.9), both(0.7, 0.1), "early_print"},
		"reads all as handwriting if print is not legible":                   {both(0.4, 0.4), both(0.3, 0.3), ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			src := &mixed{prints: c.prints, hands: c.hands, written: true}
			result, err := reading.Read(t.Context(), decode.Page{Image: mixedPage(true)}, reading.Options{Language: "en"}, src)
			require.NoError(t, err)
			printed, written := 0, 0
			for _, b := range result.Page.Blocks {
				for _, l := range b.Lines {
					if l.Handwritten {
						require.Equal(t, "par devant nous dit", l.Text())
						written++
						continue
					}
					require.Equal(t, c.model, l.Words[0].Model)
					require.Less(t, l.Box.Y, 800)
					printed++
				}
			}
			if c.model == "" {
				require.Zero(t, printed)
				require.GreaterOrEqual(t, written, writtenLines)
				return
			}
			require.Equal(t, []int{printedLines, writtenLines}, []int{printed, written})
		})
	}
	t.Run("does not use the handwriting model on a page that is all print", func(t *testing.T) {
		t.Parallel()
		src := &mixed{prints: both(0.95, 0.9), hands: both(0.3, 0.6)}
		result, err := reading.Read(t.Context(), decode.Page{Image: mixedPage(false)}, reading.Options{Language: "en"}, src)
		require.NoError(t, err)
		require.Len(t, result.Page.Blocks[0].Lines, printedLines)
		require.Zero(t, src.strips)
	})
}

// Ink that is illegible as print is read as handwriting, whatever its shape.
func TestRead_doubtfulPrint(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		top, below  float64 // confidences of the print models in the upper and in the lower part of the page
		network     float64
		hand        float64
		captions    int
		without     []string
		handwritten bool
	}{
		"reads illegible print as handwriting":                              {0.2, 0.2, 0, 0, 0, nil, true},
		"keeps print if the steps are omitted":                              {0.2, 0.2, 0, 0, 0, []string{"unsure-print", "doubtful-print", "turn"}, false},
		"reads print that the model is unsure of everywhere as handwriting": {0.5, 0.5, 0, 0, 0, nil, true},
		"keeps print of the same mean confidence if some lines are sure":    {0.9, 0.1, 0, 0, 0, []string{"fill-in"}, false},
		"keeps print if the network for print is far surer":                 {0.2, 0.2, 95, 0, 0, []string{"turn"}, false},
		"reads it as handwriting if the network is not much surer":          {0.2, 0.2, 70, 0, 0, nil, true},
		"reads a form with captions as handwriting that is less sure":       {0.2, 0.2, 0, 20, 1, nil, true},
		"keeps illegible print without captions, as on a page upside down":  {0.2, 0.2, 0, 20, 0, []string{"turn"}, false},
		"keeps a form whose print is legible":                               {0.45, 0.45, 0, 20, 1, nil, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			src := &mixed{prints: both(c.top, c.top), hands: both(c.below, c.below), written: true, network: c.network, hand: c.hand, captions: c.captions}
			options := reading.Options{Language: "en", Without: c.without}
			result, err := reading.Read(t.Context(), decode.Page{Image: mixedPage(false)}, options, src)
			require.NoError(t, err)
			require.NotEmpty(t, result.Page.Blocks)
			for l := range document.Lines(result.Page.Blocks) {
				require.Equal(t, c.handwritten, l.Handwritten)
			}
		})
	}
}

package reading_test

import (
	"context"
	"image"
	"testing"

	"github.com/stretchr/testify/require"

	"uncial/impl/ocr/decode"
	"uncial/impl/ocr/hand"
	"uncial/impl/ocr/lexicon"
	"uncial/impl/ocr/models/own"
	"uncial/impl/ocr/ocrtest"
	"uncial/impl/ocr/reading"
	"uncial/impl/ocr/tesseract"
	"uncial/internal/document"
)

// blurred is a Source that reads a page as barely legible handwriting, and as print with a given text.
type blurred struct {
	mixed
	inPrint string
	words   *lexicon.Lexicon
}

func (b *blurred) Lexicon(string) *lexicon.Lexicon { return b.words }

func (b *blurred) Read(ctx context.Context, img *image.Gray, dpi int, model string, mode tesseract.Mode) ([]document.Block, error) {
	return (&scripted{says: map[string]said{"eng": {b.inPrint, 0.5}}}).Read(ctx, img, dpi, model, mode)
}

func (b *blurred) ReadStrips(ctx context.Context, model string, strips []*image.Gray) ([][]tesseract.Word, error) {
	all, err := b.mixed.ReadStrips(ctx, model, strips)
	for _, line := range all {
		for i := range line {
			line[i].Text, line[i].Confidence = "nnvmt", 2
			if model == own.Hands {
				line[i].Confidence = 16.5 // about 59 % of the characters are likely to be right
			}
		}
	}
	return all, err
}

func (b *blurred) ReadStripsAgain(ctx context.Context, model string, strips []*image.Gray, _ hand.Search) ([]hand.Readings, error) {
	return onlyFirst(b.ReadStrips(ctx, model, strips))
}

func TestRead_doubtfulHandwriting(t *testing.T) {
	t.Parallel()
	words, err := lexicon.Read(own.Models()[own.EarlyPrint])
	require.NoError(t, err)
	page := scribbledSheet()
	for name, c := range map[string]struct {
		inPrint string
		written bool
	}{
		"reads a page as print if that has known words":     {"extrait des registres de naissance", false},
		"keeps the handwriting if print has no known words": {"trnuxi dnn rsqirtnen dn mnissnnce", true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			src := &blurred{mixed: mixed{prints: both(0.5, 0), hands: both(0.5, 0)}, inPrint: c.inPrint, words: words}
			options := reading.Options{Language: "en", Without: []string{"fill-in", "unsure-print", "doubtful-print", "turn"}}
			result, err := reading.Read(t.Context(), decode.Page{Image: page}, options, src)
			require.NoError(t, err)
			require.NotEmpty(t, result.Page.Blocks)
			for l := range document.Lines(result.Page.Blocks) {
				require.Equal(t, c.written, l.Handwritten)
			}
		})
	}
}

// scribbledSheet returns a page with writtenLines lines of scribbles.
func scribbledSheet() *image.Gray {
	page := ocrtest.BlankPage(ocrtest.Width, 1100)
	for i := range writtenLines {
		ocrtest.Scribble(page, 100, 1250, 26, func(float64) float64 { return float64(150 + 130*i) }, uint64(i)) // #nosec G115 -- counts lines
	}
	return page
}

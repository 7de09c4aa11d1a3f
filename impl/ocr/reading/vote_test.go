package reading_test

import (
	"context"
	"image"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"uncial/impl/ocr/decode"
	"uncial/impl/ocr/models/own"
	"uncial/impl/ocr/ocrtest"
	"uncial/impl/ocr/reading"
	"uncial/impl/ocr/tesseract"
	"uncial/internal/document"
)

// doubtfulPage returns a source that reads a page as "the hovfe stands", and each line again as "the house stands".
func doubtfulPage() *scripted {
	return &scripted{says: map[string]said{
		"eng":      {"the hovfe stands", 0.6},
		"eng line": {"the house stands", 0.99},
		"eng raw":  {"the house stands", 0.99},
	}}
}

func TestRead_vote(t *testing.T) {
	t.Parallel()
	page := decode.Page{Image: ocrtest.Page("few")}
	plain, err := reading.Read(t.Context(), page, reading.Options{Language: "en"}, doubtfulPage())
	require.NoError(t, err)
	require.Equal(t, "the hovfe stands", plain.Page.Text())
	require.Empty(t, plain.Edits)

	enhanced, err := reading.Read(t.Context(), page, reading.Options{Language: "en", Enhance: true}, doubtfulPage())
	require.NoError(t, err)
	require.Equal(t, "the house stands", enhanced.Page.Text())
	require.Len(t, enhanced.Edits, 1)
	edit := enhanced.Edits[0]
	require.Equal(t, []string{"hovfe", "house", "vote"}, []string{edit.Before, edit.After, edit.Rule})
	require.Equal(t, plain.Page.Blocks[0].Lines[0].Words[1].Box, edit.Box)

	enhanced, err = reading.Read(t.Context(), page, reading.Options{Language: "en", Enhance: true, Without: []string{"vote"}}, doubtfulPage())
	require.NoError(t, err)
	require.Equal(t, "the hovfe stands", enhanced.Page.Text())
	require.Empty(t, enhanced.Edits)
}

func TestRead_voteSkipsSureLines(t *testing.T) {
	t.Parallel()
	src := &scripted{says: map[string]said{"eng": {"the house stands", 0.99}, "eng line": {"the hovfe stands", 0.99}}}
	result, err := reading.Read(t.Context(), decode.Page{Image: ocrtest.Page("few")}, reading.Options{Language: "en", Enhance: true}, src)
	require.NoError(t, err)
	require.Equal(t, "the house stands", result.Page.Text())
	require.Equal(t, []string{"eng"}, src.read)
}

// schooled is a Source whose network for handwriting reads each line of print as one text.
type schooled struct {
	mixed
	byHand string
}

func (s *schooled) Has(model string) bool { return model == own.Hands || s.scripted.Has(model) }

func (s *schooled) Read(ctx context.Context, img *image.Gray, dpi int, model string, mode tesseract.Mode) ([]document.Block, error) {
	return s.scripted.Read(ctx, img, dpi, model, mode)
}

func (s *schooled) ReadStrips(_ context.Context, _ string, strips []*image.Gray) ([][]tesseract.Word, error) {
	out := make([][]tesseract.Word, len(strips))
	for i := range strips {
		for word := range strings.FieldsSeq(s.byHand) {
			out[i] = append(out[i], tesseract.Word{Text: word, Confidence: 80})
		}
	}
	return out, nil
}

func TestRead_voteAsksTheNetworkForHandwriting(t *testing.T) {
	t.Parallel()
	const read, again = "the hovfe stands upon the hill and town", "the house stands upon the hill and town"
	for _, c := range []struct{ why, byHand, want string }{
		{"keeps a word that the network reads in the same way", read, read},
		{"corrects a word that the network reads like the other readings", again, again},
		{"does not use a network that cannot read this print", "tnc hovfe ftuncs npom tnc mill amd towm", again},
	} {
		src := &schooled{byHand: c.byHand}
		src.says = map[string]said{"eng": {read, 0.9}, "eng line": {again, 0.9}, "eng raw": {again, 0.9}}
		result, err := reading.Read(t.Context(), decode.Page{Image: ocrtest.Page("few")}, reading.Options{
			Language: "en", Enhance: true, Without: []string{"handwriting", "fill-in", "unsure-print", "doubtful-print"},
		}, src)
		require.NoError(t, err, c.why)
		require.Equal(t, c.want, result.Page.Text(), c.why)
	}
}

// TestRead_voteReadsWhatDiffers checks that a line is read in more ways only if the first new reading differs.
func TestRead_voteReadsWhatDiffers(t *testing.T) {
	t.Parallel()
	src := &scripted{says: map[string]said{"eng": {"the house stands", 0.9}, "eng line": {"the house stands", 0.9}}}
	_, err := reading.Read(t.Context(), decode.Page{Image: ocrtest.Page("few")}, reading.Options{Language: "en", Enhance: true}, src)
	require.NoError(t, err)
	require.Equal(t, []string{"eng", "eng line"}, src.read)
}

// slowLines never finishes reading a single line.
type slowLines struct{ *scripted }

func (s slowLines) Read(ctx context.Context, img *image.Gray, dpi int, model string, mode tesseract.Mode) ([]document.Block, error) {
	if mode != tesseract.Auto {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	return s.scripted.Read(ctx, img, dpi, model, mode)
}

func TestRead_voteWithoutTimeChangesNothing(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		result, err := reading.Read(ctx, decode.Page{Image: ocrtest.Page("few")}, reading.Options{Language: "en", Enhance: true}, slowLines{doubtfulPage()})
		require.NoError(t, err)
		require.Equal(t, "the hovfe stands", result.Page.Text())
		require.Empty(t, result.Edits)
	})
}

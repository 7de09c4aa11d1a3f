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

// schooled is a Source whose network for print reads each line as one text.
type schooled struct {
	mixed
	network string
	sure    float64 // its confidence, 0..100
	asked   []string
}

func (s *schooled) For(string) []string { return []string{"eng"} }

func (s *schooled) Has(model string) bool { return model == own.Print || s.scripted.Has(model) }

func (s *schooled) Read(ctx context.Context, img *image.Gray, dpi int, model string, mode tesseract.Mode) ([]document.Block, error) {
	blocks, err := s.scripted.Read(ctx, img, dpi, model, mode)
	for w := range document.Words(blocks) {
		w.Signals = &document.Signals{Letters: w.Confidence}
	}
	return blocks, err
}

func (s *schooled) ReadStrips(_ context.Context, model string, strips []*image.Gray) ([][]tesseract.Word, error) {
	s.asked = append(s.asked, model)
	out := make([][]tesseract.Word, len(strips))
	for i := range strips {
		for word := range strings.FieldsSeq(s.network) {
			out[i] = append(out[i], tesseract.Word{Text: word, Confidence: s.sure, Signals: &document.Signals{Letters: s.sure / 100}})
		}
	}
	return out, nil
}

func TestRead_network(t *testing.T) {
	t.Parallel()
	const read, network = "the hovfe stands upon the hill and town", "the house stands upon the hill and town"
	for _, c := range []struct {
		why           string
		own, sure     float64
		network, want string
		without       []string
	}{
		{"corrects a doubtful word that the network reads otherwise", 0.8, 99, network, network, nil},
		{"keeps a line that both read in the same way", 0.8, 99, read, read, nil},
		{"does not believe a network that is not sure of this print", 0.9, 5, "tnc house ftuncs npom tnc mill amd towm", read, nil},
		{"does not read a line that is sure", 0.999, 99, network, read, nil},
		{"can be left out", 0.8, 99, network, read, []string{"network"}},
	} {
		src := &schooled{network: c.network, sure: c.sure}
		src.says = map[string]said{"eng": {read, c.own}}
		result, err := reading.Read(t.Context(), decode.Page{Image: ocrtest.Page("few")}, reading.Options{Language: "en", Without: c.without}, src)
		require.NoError(t, err, c.why)
		require.Equal(t, c.want, result.Page.Text(), c.why)
		require.Empty(t, result.Edits, "%s: what is read is no correction", c.why)
	}
}

// TestRead_networkIsEvidence checks that words that the network reads too get more confidence, and others less.
func TestRead_networkIsEvidence(t *testing.T) {
	t.Parallel()
	confidence := func(network string, sure float64) float64 {
		src := &schooled{network: network, sure: sure}
		src.says = map[string]said{"eng": {"the house stands", 0.8}}
		result, err := reading.Read(t.Context(), decode.Page{Image: ocrtest.Page("few")}, reading.Options{Language: "en"}, src)
		require.NoError(t, err)
		require.Equal(t, "the house stands", result.Page.Text())
		return result.Page.Confidence
	}
	unknown := confidence("", 0)
	require.Greater(t, confidence("the house stands", 90), unknown)
	require.Less(t, confidence("thc housc standz", 5), unknown)
}

// TestRead_networkReadsGreekNowhere checks that pages in other scripts than Latin are not shown to the network.
func TestRead_networkReadsGreekNowhere(t *testing.T) {
	t.Parallel()
	src := &schooled{network: "abc", sure: 99}
	src.says = map[string]said{"eng": {"λόγος", 0.5}}
	_, err := reading.Read(t.Context(), decode.Page{Image: ocrtest.Page("few")}, reading.Options{Language: "grc"}, src)
	require.NoError(t, err)
	require.Empty(t, src.asked)
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

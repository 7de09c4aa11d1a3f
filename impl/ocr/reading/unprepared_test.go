package reading_test

import (
	"bytes"
	"context"
	"image"
	"slices"
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

// spoilt is a Source that reads one image well, and all other images badly, including the same one with other greys. Its
// confidence is always low.
type spoilt struct {
	scripted
	whole []byte
	words *lexicon.Lexicon
}

func (s *spoilt) Lexicon(string) *lexicon.Lexicon { return s.words }

func (s *spoilt) Read(ctx context.Context, img *image.Gray, dpi int, _ string, mode tesseract.Mode) ([]document.Block, error) {
	model := "blots"
	if bytes.Equal(img.Pix, s.whole) {
		model = "eng"
	}
	return s.scripted.Read(ctx, img, dpi, model, mode)
}

// mustDimPage returns a dim page that is darker on the left, and a word list with its words.
func mustDimPage(tb testing.TB) (*image.Gray, *lexicon.Lexicon) {
	tb.Helper()
	words, err := lexicon.Read(own.Models()[own.EarlyPrint])
	require.NoError(tb, err)
	page := ocrtest.Page("Extrait des registres", "de naissance")
	for i, v := range page.Pix {
		page.Pix[i] = v/2 + 60 + uint8(i%page.Stride*40/page.Stride)
	}
	return page, words
}

func TestRead_unprepared(t *testing.T) {
	t.Parallel()
	page, words := mustDimPage(t)
	for name, c := range map[string]struct {
		asItIs string
		want   string
		words  *lexicon.Lexicon
	}{
		"keeps the unprepared page if more of its words are known":              {"extrait des registres de naissance", "extrait des registres de naissance", words},
		"keeps the prepared page if the unprepared one has no more known words": {"ertnuit den rrgistnes de nnisoance", "trnuxi dnn rsqirtnen dn mnissnnce", words},
		"keeps the prepared page without a word list":                           {"extrait des registres de naissance", "trnuxi dnn rsqirtnen dn mnissnnce", nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			src := &spoilt{whole: page.Pix, words: c.words, scripted: scripted{says: map[string]said{
				"eng": {c.asItIs, 0.3}, "blots": {"trnuxi dnn rsqirtnen dn mnissnnce", 0.3},
			}}}
			result, err := reading.Read(t.Context(), decode.Page{Image: page}, reading.Options{Language: "en"}, src)
			require.NoError(t, err)
			require.Equal(t, c.want, result.Page.Text())
		})
	}
}

// unpreparedVote reads single lines well only if they are cut out of the unprepared page, whose darkest grey is not black.
type unpreparedVote struct{ spoilt }

func (u *unpreparedVote) Read(ctx context.Context, img *image.Gray, dpi int, model string, mode tesseract.Mode) ([]document.Block, error) {
	if mode != tesseract.Auto && slices.Min(img.Pix) >= 50 {
		return u.scripted.Read(ctx, img, dpi, "eng", mode)
	}
	return u.spoilt.Read(ctx, img, dpi, model, mode)
}

func TestRead_unpreparedVote(t *testing.T) {
	t.Parallel()
	page, words := mustDimPage(t)
	const read, again = "extrait des registres de nciffance", "extrait des registres de naissance"
	src := &unpreparedVote{spoilt{whole: page.Pix, words: words, scripted: scripted{says: map[string]said{
		"eng": {read, 0.3}, "eng line": {again, 0.9}, "eng raw": {again, 0.9}, "blots": {"trnuxi dnn rsqirtnen dn mnissnnce", 0.3},
		"blots line": {read, 0.9}, "blots raw": {read, 0.9},
	}}}}
	result, err := reading.Read(t.Context(), decode.Page{Image: page}, reading.Options{Language: "en", Enhance: true}, src)
	require.NoError(t, err)
	require.Equal(t, again, result.Page.Text())
}

// blurred is a Source that reads a page as barely legible handwriting, and as print with a given text.
type blurred struct {
	mixed
	inPrint string
	words   *lexicon.Lexicon

	unprepared []byte   // the pixels of the page; other pixels are read as print without known words. If nil, all pixels are read alike
	written    []string // the words of the handwriting in turn, "nnvmt" if nil
}

func (b *blurred) Lexicon(string) *lexicon.Lexicon { return b.words }

func (b *blurred) Read(ctx context.Context, img *image.Gray, dpi int, model string, mode tesseract.Mode) ([]document.Block, error) {
	text := b.inPrint
	if b.unprepared != nil && !bytes.Equal(img.Pix, b.unprepared) {
		text = "trnuxi dnn rsqirtnen dn mnissnnce"
	}
	return (&scripted{says: map[string]said{"eng": {text, 0.5}}}).Read(ctx, img, dpi, model, mode)
}

func (b *blurred) ReadStrips(ctx context.Context, model string, strips []*image.Gray) ([][]tesseract.Word, error) {
	all, err := b.mixed.ReadStrips(ctx, model, strips)
	for _, line := range all {
		for i := range line {
			line[i].Text, line[i].Confidence = "nnvmt", 2
			if b.written != nil {
				line[i].Text = b.written[i%len(b.written)]
			}
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

// legibleHand is a Source that is more confident of its reading as handwriting than of its reading as print.
type legibleHand struct{ blurred }

func (l *legibleHand) ReadStrips(ctx context.Context, model string, strips []*image.Gray) ([][]tesseract.Word, error) {
	all, err := l.blurred.ReadStrips(ctx, model, strips)
	for _, line := range all {
		for i := range line {
			line[i].Confidence = 40
		}
	}
	return all, err
}

func (l *legibleHand) ReadStripsAgain(ctx context.Context, model string, strips []*image.Gray, _ hand.Search) ([]hand.Readings, error) {
	return onlyFirst(l.ReadStrips(ctx, model, strips))
}

func TestRead_unpreparedBesideHandwriting(t *testing.T) {
	t.Parallel()
	words, err := lexicon.Read(own.Models()[own.EarlyPrint])
	require.NoError(t, err)
	page := scribbledSheet()
	for i, v := range page.Pix {
		page.Pix[i] = v/2 + 60 + uint8(i%page.Stride*40/page.Stride) // dim, and darker on the left
	}
	for name, c := range map[string]struct {
		inPrint    string
		unprepared []byte
		written    []string
		want       bool
	}{
		"reads spoilt print that looks like handwriting again without preparing it": {"extrait des registres de naissance", nil, nil, false},
		"keeps handwriting if print has no known words":                             {"trnuxi dnn rsqirtnen dn mnissnnce", nil, nil, true},
		"reads spoilt print again if as many words are known as in the handwriting": {
			"extrait des registres dn mnissnnce", page.Pix, []string{"extrait", "registres", "mnissnnce"}, false,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			src := &legibleHand{blurred{
				mixed: mixed{prints: both(0.3, 0), hands: both(0.3, 0)}, inPrint: c.inPrint, words: words, unprepared: c.unprepared, written: c.written,
			}}
			options := reading.Options{Language: "en", Without: []string{"handwriting", "unsure-print", "doubtful-print", "turn"}}
			result, err := reading.Read(t.Context(), decode.Page{Image: page}, options, src)
			require.NoError(t, err)
			require.NotEmpty(t, result.Page.Blocks)
			written := false
			for l := range document.Lines(result.Page.Blocks) {
				written = written || l.Handwritten
			}
			require.Equal(t, c.want, written)
		})
	}
}

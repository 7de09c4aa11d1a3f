package hand_test

import (
	"context"
	"errors"
	"image"
	"testing"

	"github.com/stretchr/testify/require"

	"uncial/impl/ocr/hand"
	"uncial/impl/ocr/imaging"
	"uncial/impl/ocr/layout"
	"uncial/impl/ocr/ocrtest"
	"uncial/internal/document"
)

// partReader is a reader that reads the lines found in parts of a page as part decides, by the number of the part from 0 on.
type partReader struct {
	reader
	part   func(number int) (reader, error)
	parts  int
	isPart bool // the last lines were found in a part
	// visible, if not nil, is what FindLines sees of the page the next time.
	visible *image.Gray
}

func (r *partReader) FindLines(ctx context.Context, g *image.Gray) (*layout.Page, error) {
	r.isPart = g.Rect != faintPage
	if r.visible != nil {
		g, r.visible = r.visible, nil
	}
	return r.reader.FindLines(ctx, g)
}

func (r *partReader) ReadStripsAgain(ctx context.Context, model string, strips []*image.Gray, s hand.Search) ([]hand.Readings, error) {
	if !r.isPart {
		return r.reader.ReadStripsAgain(ctx, model, strips, s)
	}
	within, err := r.part(r.parts)
	r.parts, r.isPart = r.parts+1, false
	if err != nil {
		return nil, err
	}
	return within.ReadStripsAgain(ctx, model, strips, s)
}

var faintPage = image.Rect(0, 0, 1300, 1600)

// lowerFaded returns a page with 16 lines, the contrast of whose lower half is that share.
func lowerFaded(share float64) *image.Gray {
	return ocrtest.Fade(scribbled(16), 235, func(_, y float64) float64 { // one line in 80 pixels, from y = 200 on
		if y < 0.495 {
			return 1
		}
		return share
	})
}

// cornerFaded returns a page with 8 long lines above two columns of 8. Only the right column, whose page alone is also
// returned, is not faint.
func cornerFaded() (whole, visible *image.Gray) {
	visible = ocrtest.BlankPage(faintPage.Dx(), faintPage.Dy())
	scribble(visible, 8, 700, 1200, 900, 80)
	g := imaging.Crop(visible, faintPage)
	scribble(g, 8, 100, 1200, 150, 80)
	scribble(g, 8, 100, 560, 900, 80)
	return ocrtest.Fade(g, 235, func(x, y float64) float64 {
		switch {
		case y < 0.525:
			return 1. / 3
		case x < 0.477:
			return 1. / 5
		default:
			return 1
		}
	}), visible
}

func newFaintPage(g *image.Gray) *hand.Page {
	return hand.NewPage(g, imaging.Letters(g), hand.Models{Handwriting: "hand", Print: "print", PrintAccuracy: func(own float64) float64 { return own }})
}

func countLines(r hand.Result) (n int) {
	for range document.Lines(r.Blocks) {
		n++
	}
	return n
}

func TestPage_Read_faint(t *testing.T) {
	t.Parallel()
	const sentence = "quelques mots lisibles"
	legible := always(sentence, 90, 10)
	corner, visible := cornerFaded()
	fromBack := func(int) (reader, error) { return always(sentence, 5, 5), nil }
	for name, c := range map[string]struct {
		page   *image.Gray
		reader hand.Reader
		lines  int
	}{
		"reads a faint half":                       {lowerFaded(1. / 8), legible, 16},
		"reads nothing in a blank half":            {scribbled(8), legible, 8},
		"leaves writing that is as faint as grain": {lowerFaded(1. / 40), legible, 8},
		"reads two faint parts":                    {corner, &partReader{reader: legible, part: func(int) (reader, error) { return legible, nil }, visible: visible}, 24},
		"leaves writing from the back of the leaf": {lowerFaded(1. / 8), &partReader{reader: legible, part: fromBack}, 8},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			result, err := newFaintPage(c.page).Read(t.Context(), c.reader)
			require.NoError(t, err)
			require.Equal(t, c.lines, countLines(result))
		})
	}
}

func TestPage_Read_faintError(t *testing.T) {
	t.Parallel()
	failed, legible := errors.New("failed"), always("quelques mots lisibles", 90, 10)
	r := &partReader{reader: legible, part: func(number int) (reader, error) {
		if number == 1 {
			return nil, failed
		}
		return legible, nil
	}}
	corner, visible := cornerFaded()
	page := newFaintPage(corner)
	r.visible = visible
	_, err := page.Read(t.Context(), r)
	require.ErrorIs(t, err, failed)
	r.visible = visible
	result, err := page.Read(t.Context(), r)
	require.NoError(t, err)
	require.Equal(t, 24, countLines(result), "the page is as before the error, so that all of it is read afterwards")
}

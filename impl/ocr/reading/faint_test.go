//go:build !race

package reading_test

import (
	"image"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"uncial/impl/ocr/decode"
	"uncial/impl/ocr/imaging"
	"uncial/impl/ocr/ocrtest"
	"uncial/impl/ocr/reading"
	"uncial/internal/accuracy"
	"uncial/internal/document"
)

// faded returns a page with a fourteenth of its contrast.
func faded(page *image.Gray) *image.Gray {
	return ocrtest.Fade(page, 253, func(float64, float64) float64 { return 1. / 14 })
}

// TestRead_faintCorner reads faint print that is both above and beside the clear print.
func TestRead_faintCorner(t *testing.T) {
	t.Parallel()
	strong := ocrtest.Page(tale...)
	faint := faded(strong)
	w, h := strong.Rect.Dx(), strong.Rect.Dy()
	for name, corner := range map[string]image.Point{"upper left": {}, "upper right": {X: w}, "lower left": {Y: h}, "lower right": {X: w, Y: h}} {
		sheet := ocrtest.BlankPage(2*w, 2*h)
		imaging.Copy(sheet, faint.Rect.Add(corner), faint, image.Point{})
		imaging.Copy(sheet, strong.Rect.Add(image.Pt(w, h).Sub(corner)), strong, image.Point{})
		result, err := reading.Read(t.Context(), decode.Page{Image: sheet}, reading.Options{Language: "en"}, MustEngines(t, 1))
		require.NoError(t, err)
		require.Equal(t, 2, strings.Count(result.Page.Text(), "age of wisdom"), "faint print in the %s corner, and the clear print", name)
	}
}

// TestRead_faintHalf reads a page of which the right half is faint: its lines stay whole.
func TestRead_faintHalf(t *testing.T) {
	t.Parallel()
	page := ocrtest.Page(tale...)
	half := faded(imaging.Crop(page, image.Rect(page.Rect.Dx()/2, 0, page.Rect.Dx(), page.Rect.Dy())))
	imaging.Copy(page, half.Rect.Add(image.Pt(page.Rect.Dx()/2, 0)), half, image.Point{})
	result, err := reading.Read(t.Context(), decode.Page{Image: page}, reading.Options{Language: "en"}, MustEngines(t, 1))
	require.NoError(t, err)
	lines := strings.Split(result.Page.Text(), "\n")
	require.Len(t, lines, len(tale), result.Page.Text())
	for i, l := range lines {
		require.Less(t, accuracy.Compare(tale[i], l).FoldedCER.Value(), 0.1, l)
	}
}

// TestRead_fading reads a page whose ink fades towards one side, to a tenth of its contrast.
func TestRead_fading(t *testing.T) {
	t.Parallel()
	engines := MustEngines(t, 1)
	page := ocrtest.Page(tale...)
	for name, share := range map[string]func(x, y float64) float64{
		"right": func(x, _ float64) float64 { return x }, "left": func(x, _ float64) float64 { return 1 - x },
		"foot": func(_, y float64) float64 { return y }, "lower right": func(x, y float64) float64 { return 0.7 * (x + y) },
	} {
		fading := ocrtest.Fade(page, 255, func(x, y float64) float64 { return math.Pow(0.1, share(x, y)) })
		result, err := reading.Read(t.Context(), decode.Page{Image: fading}, reading.Options{Language: "en"}, engines)
		require.NoError(t, err)
		require.Less(t, accuracy.Compare(strings.Join(tale, "\n"), result.Page.Text()).FoldedCER.Value(), 0.02, "towards the %s: %s", name, result.Page.Text())
	}
}

// TestRead_fadingRejected leaves a page as it is whose pale ink is not legible.
func TestRead_fadingRejected(t *testing.T) {
	t.Parallel()
	engines := MustEngines(t, 1)
	whole := ocrtest.Page(tale...)
	middle := whole.Rect.Dx() / 2
	fromBack := imaging.Crop(whole, whole.Rect)
	imaging.Copy(fromBack, image.Rect(middle, 0, whole.Rect.Dx(), whole.Rect.Dy()), mirrored(whole), image.Pt(0, 0))
	for name, c := range map[string]struct {
		page *image.Gray
		want bool
	}{
		"text": {whole, true}, "text from the back of the leaf": {fromBack, false},
	} {
		fading := ocrtest.Fade(c.page, 255, func(x, _ float64) float64 { return math.Pow(0.07, max(2*x-0.8, 0)) })
		var changed []string
		read := func(o reading.Options) string {
			o.Language, o.Without = "en", append(o.Without, "faint")
			result, err := reading.Read(t.Context(), decode.Page{Image: fading}, o, engines)
			require.NoError(t, err)
			return result.Page.Text()
		}
		text := read(reading.Options{Changed: func(step string) { changed = append(changed, step) }})
		require.Equal(t, c.want, slices.Contains(changed, "fading"), name)
		require.Equal(t, c.want, text != read(reading.Options{Without: []string{"fading"}}), name)
	}
}

func TestRead_faintPageBesideClearOne(t *testing.T) {
	t.Parallel()
	engines := MustEngines(t, 2)
	strong := ocrtest.Page(tale...)
	// Melville, Moby-Dick (1851).
	faint := faded(ocrtest.Page(
		"Call me Ishmael. Some years ago - never mind how long", "precisely - having little or no money in my purse, and",
		"nothing particular to interest me on shore, I thought I", "would sail about a little and see the watery part of the",
		"world. It is a way I have of driving off the spleen,", "and regulating the circulation.",
	))
	read := func(left, right *image.Gray, without ...string) *document.Page {
		result, err := reading.Read(t.Context(), decode.Page{Image: sideBySide(left, right)}, reading.Options{Language: "en", Without: without}, engines)
		require.NoError(t, err)
		return &result.Page
	}
	require.NotContains(t, read(strong, faint, "faint").Text(), "watery part")
	right, left := read(strong, faint), read(faint, strong)
	require.Regexp(t, "(?s)age of wisdom.*watery part", right.Text())
	require.Regexp(t, "(?s)watery part.*age of wisdom", left.Text())
	through := read(strong, mirrored(faint))
	require.Empty(t, through.Doubts, "text that shines through from the back of the leaf is not listed as unread")
	require.Greater(t, through.Confidence, right.Confidence-0.1)
	outOfFocus := read(strong, coarse(ocrtest.Page(tale...), 10))
	require.Len(t, outOfFocus.Doubts, 1, "text out of focus is unread")
	require.Equal(t, document.UnreadInk, outOfFocus.Doubts[0].Reason)
	require.Greater(t, outOfFocus.Doubts[0].Box.X, strong.Rect.Dx()/2)
	require.Less(t, outOfFocus.Confidence, right.Confidence-0.2)
}

// TestRead_faintHandwriting reads a handwritten page of which the lower half is faded to a seventh of its contrast.
func TestRead_faintHandwriting(t *testing.T) {
	t.Parallel()
	engines := MustEngines(t, 1)
	lines := func(page *image.Gray) (n int) {
		result, err := reading.Read(t.Context(), decode.Page{Image: page}, reading.Options{Language: "fr"}, engines)
		require.NoError(t, err)
		for l := range document.Lines(result.Page.Blocks) {
			require.True(t, l.Handwritten)
			n++
		}
		return n
	}
	fadedBelow := func(share float64) *image.Gray {
		return ocrtest.Fade(written(), 240, func(_, y float64) float64 {
			if y < 0.5 {
				return 0.5
			}
			return share
		})
	}
	all := lines(fadedBelow(0.5))
	require.Greater(t, all, 6)
	require.Equal(t, all, lines(fadedBelow(0.5/7)))
}

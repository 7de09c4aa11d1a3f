package reading_test

import (
	"image"
	"image/color"
	"image/draw"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"uncial/impl/ocr/decode"
	"uncial/impl/ocr/ocrtest"
	"uncial/impl/ocr/reading"
	"uncial/internal/document"
)

// initialPage draws a paragraph whose first lines are to the right of an initial.
func initialPage(initial func(page *image.Gray, at image.Rectangle)) *image.Gray {
	page := image.NewGray(image.Rect(0, 0, 1500, 900))
	draw.Draw(page, page.Rect, image.White, image.Point{}, draw.Src)
	beside := ocrtest.Page("HE morning rises over all the", "hills and every valley wakes to", "hear the song of many small birds")
	draw.Draw(page, beside.Rect.Add(image.Pt(300, 100)), beside, image.Point{}, draw.Src)
	below := ocrtest.Page("which nobody has ever counted, because", "they never stay where they have been seen")
	draw.Draw(page, below.Rect.Add(image.Pt(100, 100+beside.Rect.Dy()-60)), below, image.Point{}, draw.Src)
	initial(page, image.Rect(130, 150, 330, 370))
	return page
}

// hatched fills an initial with an ornament.
func hatched(page *image.Gray, at image.Rectangle) {
	for y := at.Min.Y; y < at.Max.Y; y++ {
		for x := at.Min.X; x < at.Max.X; x++ {
			if (x/9+y/7)%3 == 0 || (x*y)%23 < 5 || !image.Pt(x, y).In(at.Inset(5)) {
				page.SetGray(x, y, color.Gray{})
			}
		}
	}
}

// TestRead_initialsWideWords checks that words are kept whose boxes begin in an initial, and that their boxes no longer do.
func TestRead_initialsWideWords(t *testing.T) {
	t.Parallel()
	var lines []document.Line
	for i, text := range []string{"HE morning rises", "hills and every", "hear the song"} {
		l := document.Line{}
		for k, w := range strings.Fields(text) {
			sure, box := .97, document.Box{X: 130 + 245*k, Y: 160 + ocrtest.Pitch*i, W: 200, H: 50}
			if k == 0 {
				sure, box.X, box.W = .3, 140, 230 // its middle is in the initial
			}
			l.Words = append(l.Words, document.Word{Text: w, Box: box, Confidence: sure, Model: "eng"})
		}
		l.Box = document.WordsBox(l.Words)
		lines = append(lines, l)
	}
	src := &forgetful{page: []document.Block{block(lines...)}, says: always("", 0)}
	o := reading.Options{Language: "en", Without: []string{"scraps", "columns", "missed", "resize", "order", "graphics", "faint"}}
	result, err := reading.Read(t.Context(), decode.Page{Image: initialPage(hatched)}, o, src)
	require.NoError(t, err)
	require.Equal(t, "HE morning rises\nhills and every\nhear the song", textOf(result.Page.Blocks))
}

func TestRead_initials(t *testing.T) {
	t.Parallel()
	engines := MustEngines(t, 4)
	read := func(t *testing.T, page *image.Gray, without ...string) string {
		t.Helper()
		result, err := reading.Read(t.Context(), decode.Page{Image: page, DPI: 300}, reading.Options{Language: "en", Without: without}, engines)
		require.NoError(t, err)
		return result.Page.Text()
	}
	t.Run("adds a plain initial to its word", func(t *testing.T) {
		page := initialPage(func(page *image.Gray, at image.Rectangle) {
			draw.Draw(page, image.Rect(at.Min.X, at.Min.Y, at.Max.X, at.Min.Y+24), image.Black, image.Point{}, draw.Src)
			draw.Draw(page, image.Rect(at.Min.X+88, at.Min.Y, at.Min.X+112, at.Max.Y), image.Black, image.Point{}, draw.Src)
		})
		require.Regexp(t, `^THE morning rises over all the\s+hills and every valley`, read(t, page))
		require.NotContains(t, read(t, page, "initials"), "THE morning")
	})
	t.Run("does not read an ornament as text", func(t *testing.T) {
		page := initialPage(hatched)
		text := read(t, page)
		require.Regexp(t, `^HE morning rises over all the\s+hills and every valley wakes to\s+hear the song`, text)
	})
}

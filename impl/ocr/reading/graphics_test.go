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

// songPage draws a hatched picture, and below it two staves with notes, each with a line of text.
func songPage() *image.Gray {
	page := image.NewGray(image.Rect(0, 0, 1500, 1700))
	draw.Draw(page, page.Rect, image.White, image.Point{}, draw.Src)
	frame := image.Rect(150, 100, 700, 600)
	for y := frame.Min.Y; y < frame.Max.Y; y++ {
		for x := frame.Min.X; x < frame.Max.X; x++ {
			if (x+y)%16 < 5 || !image.Pt(x, y).In(frame.Inset(5)) {
				page.SetGray(x, y, color.Gray{})
			}
		}
	}
	for i, text := range []string{"The morning rises over all the hills", "and every valley wakes to hear the song"} {
		y := 750 + 450*i
		for line := range 5 {
			draw.Draw(page, image.Rect(120, y+26*line, 1380, y+26*line+4), image.Black, image.Point{}, draw.Src)
		}
		for n := range 10 { // a head, and its stem up or down
			x, at := 200+n*115, y+26*(n%4)
			draw.Draw(page, image.Rect(x, at, x+30, at+26), image.Black, image.Point{}, draw.Src)
			draw.Draw(page, image.Rect(x+26, at-70*(n%2), x+30, at+70*(1-n%2)), image.Black, image.Point{}, draw.Src)
		}
		words := ocrtest.Page(text)
		draw.Draw(page, words.Rect.Add(image.Pt(120, y+170)), words, image.Point{}, draw.Src)
	}
	return page
}

// TestRead_syllables checks that the syllables under the notes of a song, which stand in columns, are read as lines, and that
// the ends of long stems are not read.
func TestRead_syllables(t *testing.T) {
	t.Parallel()
	page := image.NewGray(image.Rect(0, 0, 1500, 1300))
	draw.Draw(page, page.Rect, image.White, image.Point{}, draw.Src)
	song := [][]string{{"The", "morn", "ing", "on", "hills"}, {"and", "ev", "ery", "bird", "sings"}, {"with", "all", "of", "the", "earth"}}
	var want []string
	for i, syllables := range song {
		y := 150 + 330*i
		for line := range 5 {
			draw.Draw(page, image.Rect(120, y+20*line, 1380, y+20*line+3), image.Black, image.Point{}, draw.Src)
		}
		for n, syllable := range syllables {
			x := 200 + 250*n
			draw.Draw(page, image.Rect(x, y+10*n, x+26, y+10*n+20), image.Black, image.Point{}, draw.Src)
			draw.Draw(page, image.Rect(x+23, y+10*n-110, x+26, y+10*n+10), image.Black, image.Point{}, draw.Src)
			word := ocrtest.Page(syllable)
			draw.Draw(page, image.Rect(x-20, y+110, x+180, y+200), word, image.Pt(ocrtest.Left-10, ocrtest.Baseline-60), draw.Src)
		}
		want = append(want, strings.Join(syllables, " "))
	}
	engines := MustEngines(t, 3)
	for _, frame := range []bool{false, true} { // which touches the staves
		if frame {
			ocrtest.Rule(page, 110, 40, 1390, 40)
			ocrtest.Rule(page, 1390, 40, 1390, 1260)
			ocrtest.Rule(page, 110, 1260, 1390, 1260)
			ocrtest.Rule(page, 110, 40, 110, 1260)
		}
		read, err := reading.Read(t.Context(), decode.Page{Image: page, DPI: 300}, reading.Options{Language: "en"}, engines)
		require.NoError(t, err)
		text := strings.NewReplacer("\n\n", "\n", "| ", "", " |", "").Replace(read.Page.Text()) // the sides of the frame may be read
		require.Equal(t, strings.Join(want, "\n"), text, "in a frame: %v", frame)
	}
}

func TestRead_graphics(t *testing.T) {
	t.Parallel()
	engines := MustEngines(t, 4)
	page := decode.Page{Image: songPage(), DPI: 300}
	result, err := reading.Read(t.Context(), page, reading.Options{Language: "en"}, engines)
	require.NoError(t, err)
	text := result.Page.Text()
	require.Contains(t, text, "The morning rises over all the hills", "text between staves is kept")
	require.Contains(t, text, "and every valley wakes to hear the song")
	require.Less(t, len(text), 90, "notes and hatching are not read: %q", text)
	kinds := map[document.GraphicKind]int{}
	for _, g := range result.Page.Graphics {
		kinds[g.Kind]++
	}
	require.Equal(t, map[document.GraphicKind]int{document.Illustration: 1, document.Music: 2}, kinds)

	without, err := reading.Read(t.Context(), page, reading.Options{Language: "en", Without: []string{"staves", "graphics"}}, engines)
	require.NoError(t, err)
	require.Empty(t, without.Page.Graphics)
}

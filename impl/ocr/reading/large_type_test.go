package reading_test

import (
	"context"
	"image"
	"image/draw"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/image/font/gofont/goregular"

	"uncial/impl/ocr/decode"
	"uncial/impl/ocr/imaging"
	"uncial/impl/ocr/models/own"
	"uncial/impl/ocr/ocrtest"
	"uncial/impl/ocr/reading"
	"uncial/impl/ocr/tesseract"
	"uncial/internal/document"
)

// titleHeight is the height in pixels of the part of a newspaper that holds its title.
const titleHeight = 400

// newspaper is a Source that reads the twelve lines of a newspaper, but not its title.
type newspaper struct{ fewSure }

func (n *newspaper) Read(ctx context.Context, img *image.Gray, dpi int, model string, mode tesseract.Mode) ([]document.Block, error) {
	below := img.Rect
	below.Min.Y += titleHeight
	return n.fewSure.Read(ctx, &image.Gray{Rect: below}, dpi, model, mode)
}

// newspaperPage returns a page with a title in large type above twelve lines.
func newspaperPage(title string) *image.Gray {
	lines := ocrtest.Page(slices.Repeat([]string{"some good words before house stands near the"}, 12)...)
	page := ocrtest.BlankPage(lines.Rect.Dx(), titleHeight+lines.Rect.Dy())
	draw.Draw(page, lines.Rect.Add(image.Pt(0, titleHeight)), lines, image.Point{}, draw.Src)
	large := ocrtest.PageIn(goregular.TTF, 70, title)
	ink := imaging.Union(imaging.Letters(large))
	draw.Draw(page, ink.Sub(ink.Min).Add(image.Pt(60, 60)), large, ink.Min, draw.Src)
	return page
}

func TestRead_largeType(t *testing.T) {
	t.Parallel()
	const text = "some good words before house stands near the"
	lines := slices.Repeat([]string{text}, 12)
	for why, c := range map[string]struct {
		network string
		sure    float64
		without []string
		title   []string
	}{
		"reads the title with the network":                  {"TIMES", 95, nil, []string{"TIMES"}},
		"does not believe a network that is unsure of it":   {"TIMES", 50, nil, nil},
		"does not believe a network that reads few letters": {"TI", 95, nil, nil},
		"does not believe a network that reads many":        {text, 95, nil, nil},
		"can be left out": {"TIMES", 95, []string{"large-type"}, nil},
	} {
		src := &newspaper{fewSure{schooled: schooled{network: c.network, sure: c.sure, later: text}, text: text}}
		src.says = map[string]said{"eng": {}}
		o := reading.Options{Language: "en", Without: append([]string{"missed", "faint"}, c.without...)}
		result, err := reading.Read(t.Context(), decode.Page{Image: newspaperPage("TIMES")}, o, src)
		require.NoError(t, err, why)
		var got []string
		for l := range document.Lines(result.Page.Blocks) {
			got = append(got, l.Text())
		}
		require.Equal(t, slices.Concat(c.title, lines), got, why)
		if c.title != nil {
			title := result.Page.Blocks[0].Lines[0].Words[0]
			require.Equal(t, own.Print, title.Model)
			require.Less(t, title.Box.Y+title.Box.H, titleHeight)
			require.Greater(t, title.Box.W, 400)
			require.Len(t, slices.Concat(src.widths[1:]...), len(lines), "does not read the title again with the other lines")
			require.InDelta(t, 1.3, float64(src.widths[0][1])/float64(src.widths[0][0]), 0.01, "reads it wider too")
		}
	}
}

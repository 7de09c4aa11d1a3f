package format_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"uncial/internal/document"
	"uncial/internal/format"
	"uncial/internal/format/formattest"
	"uncial/internal/format/pdf"
)

func TestWrite_PDF(t *testing.T) {
	t.Parallel()
	box := document.Box{X: 100, Y: 200, W: 300, H: 50}
	page := document.Page{Width: 1000, Height: 1400, DPI: 150, Blocks: []document.Block{document.BlockOf([]document.Line{
		{Box: box, Words: []document.Word{{Text: "Aprille", Box: box, Confidence: 1}}},
	})}}
	blank := document.Page{Width: 1000, Height: 1400}
	doc := &document.Document{Language: "enm", Pages: []document.Page{page, blank}}
	t.Run("has the text of each page", func(t *testing.T) {
		t.Parallel()
		file := MustWrite(t, "pdf", doc)
		formattest.RequireValidPDF(t, []byte(file))
		require.Equal(t, []string{"Aprille", "", ""}, strings.Split(strings.ReplaceAll(formattest.PDFText(t, []byte(file)), "\n", ""), "\f"))
		require.Equal(t, file, MustWrite(t, "pdf", doc))
	})
	t.Run("shows the picture, else the preview, else where the words are", func(t *testing.T) {
		t.Parallel()
		drawn := pdf.Drawing(&page).Data
		pictured, previewed := *doc, *doc
		pictured.Pages = []document.Page{page}
		pictured.Pages[0].Picture, pictured.Pages[0].Orientation = drawn, 3
		previewed.Pages = []document.Page{page}
		previewed.Pages[0].Preview = drawn
		one := &document.Document{Language: "enm", Pages: []document.Page{page}}
		require.Equal(t, MustWrite(t, "pdf", one), MustWrite(t, "pdf", &previewed))
		require.NotEqual(t, MustWrite(t, "pdf", one), MustWrite(t, "pdf", &pictured))
	})
	t.Run("refuses a picture that no PDF can hold", func(t *testing.T) {
		t.Parallel()
		_, err := format.Write("pdf", &document.Document{Pages: []document.Page{{Width: 1, Height: 1, Picture: []byte("GIF89a")}}}, meta)
		require.ErrorContains(t, err, "neither a JPEG nor a PNG")
	})
}

package format

import (
	"strings"

	"uncial/internal/document"
	"uncial/internal/format/pdf"
)

// writePDF writes a searchable PDF with the picture of each page: Page.Picture, else Page.Preview, else a drawing of where its
// words are.
func writePDF(doc *document.Document, meta Meta) (string, error) {
	var file strings.Builder
	w := pdf.NewWriter(&file, pdf.Meta{
		Title: meta.Image, Language: doc.Language, Software: strings.TrimSpace(software + " " + meta.Version), Created: meta.Created,
	})
	for i := range doc.Pages {
		if err := w.AddPage(&doc.Pages[i], pictureOf(&doc.Pages[i])); err != nil {
			return "", err
		}
	}
	err := w.Close()
	return file.String(), err
}

// pictureOf returns what lies below the text: the image that was sent if it is there, else its preview, else a drawing of the
// boxes. Only the image that was sent may need turning; previews are upright.
func pictureOf(p *document.Page) pdf.Picture {
	switch {
	case p.Picture != nil:
		return pdf.Picture{Data: p.Picture, Orientation: p.Orientation}
	case p.Preview != nil:
		return pdf.Picture{Data: p.Preview}
	}
	return pdf.Drawing(p)
}

package cases

import (
	"context"
	"slices"
	"strings"

	"uncial/contracttests/internal/documents"
	"uncial/contracttests/internal/model"
)

// graphicRows check the regions of a page that are not text.
func graphicRows() (rows []row) {
	for format, explanation := range map[string]string{
		"alto": "A page with an illustration and music has an Illustration for each in ALTO, at the places that PAGE-XML states.",
		"hocr": "A page with an illustration and music has an ocr_image for each in hOCR, at the places that PAGE-XML states.",
		"page": "A page with an illustration and music has an ImageRegion and a MusicRegion in PAGE-XML; a blank page has neither.",
	} {
		first := read(model.ImageIllustrated).format("page")
		if format == "page" {
			first = read(blank).format("page")
		}
		rows = append(rows, row{
			name: "extract/200/graphics-" + format, points: 20, needs: []string{needImage(model.ImageIllustrated)}, explanation: explanation,
			asks: []ask{first, read(model.ImageIllustrated).format(format)}, then: graphicsAreRegions,
		})
	}
	slices.SortFunc(rows, func(a, b row) int { return strings.Compare(a.name, b.name) })
	return rows
}

// graphicsAreRegions requires the second answer to have the same graphics as the first: both kinds, or none on a page without
// any.
func graphicsAreRegions(_ context.Context, s *session, x []*model.Exchange) error {
	if !s.isExact {
		return &skip{"the target implements another version of the contract"}
	}
	var found [2][]documents.Graphic
	for i, y := range x {
		format := y.Request.Job.Format
		var err error
		if found[i], err = documents.ReadGraphics(format, y.Text("document")); err != nil {
			return fail(y, "the %s document: %s", format, err)
		}
	}
	for _, kind := range []string{"illustration", "music"} {
		if !slices.ContainsFunc(found[1], func(g documents.Graphic) bool { return g.Kind == kind }) {
			return fail(x[1], "the page has a region of the kind %s, but the document has only %v", kind, found[1])
		}
	}
	switch same := slices.Equal(found[0], found[1]); {
	case x[0].Request.Job.Image == blank && len(found[0]) > 0:
		return fail(x[0], "a blank page has no graphics, but the document has %v", found[0])
	case x[0].Request.Job.Image != blank && !same:
		return fail(x[1], "the graphics are %v, but in PAGE-XML they are %v", found[1], found[0])
	}
	return nil
}

package cases

import (
	"context"
	"slices"
	"strings"

	"uncial/contracttests/internal/documents"
	"uncial/contracttests/internal/model"
)

// brokenRows check words that are divided at the end of a line. The comparison of each document with its text already shows
// that the text stays as printed.
func brokenRows() (rows []row) {
	for format, explanation := range map[string]string{
		"alto": "A word that is divided at the end of a line is whole for search engines: ALTO has its hyphen as HYP and the whole word in SUBS_CONTENT.",
		"page": "A word that is divided at the end of a line is whole for search engines: PAGE-XML has the whole word in the custom attribute of both parts.",
		"hocr": "A word that is divided at the end of a line is whole for search engines: hOCR ends its first part with a soft hyphen.",
	} {
		rows = append(rows, row{
			name: "extract/200/broken-word-" + format, points: 20, needs: []string{needImage(model.ImageBroken)}, explanation: explanation,
			asks: []ask{read(model.ImageBroken), read(model.ImageBroken).format(format)}, then: wordsAreJoined,
		})
	}
	slices.SortFunc(rows, func(a, b row) int { return strings.Compare(a.name, b.name) })
	return rows
}

// wordsAreJoined requires the document of the second answer to join a divided word in the way of its format. Where and how
// often words are divided is up to the recognizer.
func wordsAreJoined(_ context.Context, s *session, x []*model.Exchange) error {
	if !s.isExact {
		return &skip{"the target implements another version of the contract"}
	}
	y := x[1]
	format := y.Request.Job.Format
	parts, err := documents.ReadParts(format, y.Text("document"))
	switch {
	case err != nil:
		return fail(y, "the %s document: %s", format, err)
	case len(parts) == 0:
		return fail(y, "a word of the page is divided at the end of a line and stands undivided elsewhere, but the %s document does not join it", format)
	case format == "hocr": // which says nothing of the second part
		return nil
	}
	if err := documents.CheckParts(parts); err != nil {
		return fail(y, "the %s document: %s", format, err)
	}
	if format == "alto" && !strings.Contains(y.Text("document"), "<HYP ") {
		return fail(y, "the hyphen of a divided word must be a HYP")
	}
	return nil
}

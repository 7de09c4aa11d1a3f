package format_test

import (
	"testing"

	"uncial/internal/document"
	"uncial/internal/document/documenttest"
	"uncial/internal/format/formattest"
)

func TestWrite_Schemas(t *testing.T) {
	t.Parallel()
	docs := []*document.Document{{Pages: []document.Page{{Width: 1, Height: 1}}}}
	for seed := range 60 {
		docs = append(docs, documenttest.Valid().Example(seed), documenttest.Any().Example(seed))
	}
	for _, format := range []string{"alto", "page"} {
		t.Run(format, func(t *testing.T) {
			t.Parallel()
			var written []string
			for _, doc := range docs {
				written = append(written, MustWrite(t, format, doc))
			}
			formattest.RequireValid(t, format, written...)
		})
	}
}

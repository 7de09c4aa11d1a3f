package documents_test

import (
	"bytes"
	"encoding/base64"
	"testing"

	"github.com/stretchr/testify/require"

	"uncial/contracttests/internal/documents"
	"uncial/internal/document"
)

func TestCheckPDF(t *testing.T) {
	t.Parallel()
	doc := sample()
	file := []byte(MustWrite(t, "pdf", doc))
	document := base64.StdEncoding.EncodeToString(file)
	require.NoError(t, documents.CheckPDF(document, doc.Text()))
	require.Equal(t, "enm", documents.LanguageOf(document))
	require.Contains(t, documents.AboutPDF(document), "pdfaid")
	for name, c := range map[string]struct{ old, replacement, want string }{
		"an encrypted file":           {"/Root 1 0 R /Info", "/Root 1 0 R /Encrypt", "encryption"},
		"a font that is not embedded": {"/FontFile2", "/FontFileX", "is not embedded"},
		"no identifier":               {"/ID [", "/IX [", "no identifier"},
		"colours without a meaning":   {"/OutputIntents", "/OutputIntentz", "no output intent"},
		"another kind of PDF":         {"pdfaid:part>2", "pdfaid:part>1", "identify it as PDF/A-2b"},
		"no picture":                  {"/Subtype /Image", "/Subtype /Imagx", "shows no picture"},
		"an action that runs":         {"/Lang ", "/AA   ", "runs automatically"},
		"a cut-off file":              {"%%EOF", "", "not a valid PDF"},
	} {
		t.Run("checks "+name, func(t *testing.T) {
			t.Parallel()
			require.Contains(t, string(file), c.old)
			changed := bytes.ReplaceAll(file, []byte(c.old), []byte(c.replacement))
			require.ErrorContains(t, documents.CheckPDF(base64.StdEncoding.EncodeToString(changed), doc.Text()), c.want)
		})
	}
	require.ErrorContains(t, documents.CheckPDF(document, "When that"), "but the text is")
	require.ErrorContains(t, documents.CheckPDF(document, "Whan that\fmore"), "1 pages, but the text has 2")
	require.ErrorContains(t, documents.CheckPDF(document[:76]+"\r\n"+document[76:], doc.Text()), "without line breaks")
	require.Empty(t, documents.LanguageOf("x"))
	require.Empty(t, documents.AboutPDF("AAAA"))
}

func TestComparePDF(t *testing.T) {
	t.Parallel()
	file := base64.StdEncoding.EncodeToString([]byte(MustWrite(t, "pdf", sample())))
	for name, c := range map[string]struct {
		change func(d *document.Document)
		want   string
	}{
		"the same reading":             {func(*document.Document) {}, ""},
		"a page with other sides":      {func(d *document.Document) { d.Pages[0].Height = 800 }, "it measures"},
		"a word that stands elsewhere": {func(d *document.Document) { move(d, 200) }, "is at"},
		"another number of pages":      {func(d *document.Document) { d.Pages = append(d.Pages, d.Pages[0]) }, ""}, // CheckPDF reports it
	} {
		t.Run("compares "+name, func(t *testing.T) {
			t.Parallel()
			other := sample()
			c.change(other)
			read, err := documents.Read("tsv", MustWrite(t, "tsv", other))
			require.NoError(t, err)
			if c.want == "" {
				require.Empty(t, documents.ComparePDF(file, read))
				return
			}
			require.Contains(t, documents.ComparePDF(file, read), c.want)
		})
	}
}

// move moves all words down.
func move(d *document.Document, by int) {
	b := &d.Pages[0].Blocks[0]
	b.Box.Y += by
	b.Lines[0].Box.Y += by
	for i := range b.Lines[0].Words {
		b.Lines[0].Words[i].Box.Y += by
	}
}

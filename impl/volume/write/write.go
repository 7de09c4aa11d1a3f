// Package write writes the files of a whole volume, each with all of its pages. The files of single pages are written by
// package client with internal/format. Start with Writers.
package write

import (
	"bufio"
	"context"
	"fmt"
	"io"

	"uncial/gen"
	"uncial/impl/volume"
)

// Writers returns the writers for all values of --volume. To add one, write its function and list it here.
func Writers() []volume.Writer {
	return []volume.Writer{
		{Name: "text", About: "plain text, a form feed between pages (volume.txt)", Files: only("volume.txt"), Write: writeText},
		{Name: "pdf", About: "a searchable PDF, built to PDF/A-2b: pictures with invisible text (volume.pdf)", Files: only("volume.pdf"), Write: writePDF},
		{Name: "hocr", About: "hOCR of all pages (volume.hocr)", Files: only("volume.hocr"), Write: writeWhole("hocr", "volume.hocr")},
		{Name: "tsv", About: "words and boxes of all pages in Tesseract's columns (volume.tsv)", Files: only("volume.tsv"), Write: writeWhole("tsv", "volume.tsv")},
		{Name: "mets-alto", About: "METS that lists the pages with their ALTO files (volume.alto.mets.xml)", Formats: []gen.Format{gen.Alto}, Files: only("volume.alto.mets.xml"), Write: writeMETS(gen.Alto)},
		{Name: "mets-page", About: "METS that lists the pages with their PAGE-XML files (volume.page.mets.xml)", Formats: []gen.Format{gen.Page}, Files: only("volume.page.mets.xml"), Write: writeMETS(gen.Page)},
		{Name: "annotations", About: "IIIF annotations for the canvases of a manifest, a file for each page (NAME.annotations.json)", Check: hasManifest, Files: annotationFiles, Write: writeAnnotations},
	}
}

// only returns a function for Writer.Files of a writer that always saves one file.
func only(file string) func(*volume.Volume) []string {
	return func(*volume.Volume) []string { return []string{file} }
}

// writeText writes the text of all pages with a form feed between them, as the service does within one image. A page that is
// not read contributes an empty text, so that the number of form feeds still tells which page a text belongs to.
func writeText(_ context.Context, v *volume.Volume, save volume.Save) error {
	return save("volume.txt", func(to io.Writer) error {
		out := bufio.NewWriter(to)
		for i, page := range v.Pages {
			if i > 0 {
				_ = out.WriteByte('\f')
			}
			if !page.State.IsRead() {
				continue
			}
			answer, err := page.Answer()
			if err != nil {
				return fmt.Errorf("%s: %w", page.Source, err)
			}
			_, _ = out.WriteString(answer.Text)
		}
		_ = out.WriteByte('\n')
		return out.Flush()
	})
}

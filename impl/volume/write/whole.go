package write

import (
	"context"
	"fmt"
	"io"
	"path"
	"slices"
	"time"

	"uncial/impl/volume"
	"uncial/internal/document"
	"uncial/internal/format"
	"uncial/internal/format/pdf"
	"uncial/internal/version"
)

// multipleLanguages is the tag of a volume in more than one language (ISO 639-2).
const multipleLanguages = "mul"

// writePDF writes the pages that are read into one PDF, page by page, so that only one picture is in memory at a time.
func writePDF(ctx context.Context, v *volume.Volume, save volume.Save) error {
	language, created, err := describe(v)
	if err != nil {
		return err
	}
	return save("volume.pdf", func(to io.Writer) error {
		w := pdf.NewWriter(to, pdf.Meta{Title: v.Title, Language: language, Software: format.Software() + " " + version.Version, Created: created})
		for _, page := range v.Pages {
			if !page.State.IsRead() {
				continue
			}
			if err := addToPDF(ctx, w, page); err != nil {
				return fmt.Errorf("%s: %w", page.Source, err)
			}
		}
		return w.Close()
	})
}

// addToPDF adds all pages of a page's document with their pictures.
func addToPDF(ctx context.Context, w *pdf.Writer, page *volume.Page) error {
	doc, err := page.Document()
	if err != nil {
		return err
	}
	doc = doc.Normalized()
	for i := range doc.Pages {
		image, err := page.Image(ctx, i, 0)
		if err != nil {
			return err
		}
		if err := w.AddPage(&doc.Pages[i], pdf.Picture{Data: image.Data}); err != nil {
			return err
		}
	}
	return nil
}

// describe returns the language of the pages that are read, multipleLanguages if they differ, and when the last of them was
// read.
func describe(v *volume.Volume) (language string, last time.Time, err error) {
	for _, page := range v.Pages {
		if !page.State.IsRead() {
			continue
		}
		doc, err := page.Document()
		if err != nil {
			return "", last, fmt.Errorf("%s: %w", page.Source, err)
		}
		if language != "" && language != doc.Language {
			language = multipleLanguages
		} else {
			language = doc.Language
		}
		if page.ReadAt.After(last) {
			last = page.ReadAt
		}
	}
	return language, last, nil
}

// writeWhole returns a writer that writes all pages that are read as one document, in the format with that name, to file.
func writeWhole(name, file string) func(context.Context, *volume.Volume, volume.Save) error {
	return func(_ context.Context, v *volume.Volume, save volume.Save) error {
		language, created, err := describe(v)
		if err != nil {
			return err
		}
		all := &document.Document{Language: language}
		meta := format.Meta{Image: v.Title, Created: created, Version: version.Version}
		for _, page := range v.Pages {
			if !page.State.IsRead() {
				continue
			}
			doc, err := page.Document()
			if err != nil {
				return fmt.Errorf("%s: %w", page.Source, err)
			}
			all.Pages = append(all.Pages, doc.Pages...)
			for range doc.Pages {
				meta.Images = append(meta.Images, path.Base(page.Source))
			}
			for _, m := range doc.Models {
				if !slices.Contains(all.Models, m) {
					all.Models = append(all.Models, m)
				}
			}
		}
		written, err := format.Write(name, all, meta)
		if err != nil {
			return err
		}
		return save(file, func(to io.Writer) error {
			_, err := io.WriteString(to, written)
			return err
		})
	}
}

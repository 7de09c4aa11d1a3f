package write

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"uncial/impl/volume"
	"uncial/internal/document"
)

// annotationPage is a list of annotations (IIIF Presentation API 3.0, section 5.5).
type annotationPage struct {
	Context string       `json:"@context"`
	ID      string       `json:"id"`
	Type    string       `json:"type"`
	Items   []annotation `json:"items"`
}

// annotation is a line of text on a canvas (Web Annotation Data Model).
type annotation struct {
	ID         string         `json:"id"`
	Type       string         `json:"type"`
	Motivation string         `json:"motivation"`
	Body       annotationBody `json:"body"`
	Target     string         `json:"target"`
}

type annotationBody struct {
	Type     string `json:"type"`
	Value    string `json:"value"`
	Format   string `json:"format"`
	Language string `json:"language,omitempty"`
}

var errNoManifest = errors.New("annotations belong to the canvases of a IIIF manifest; give the URL of one manifest")

// hasManifest returns an error for a volume that was not read from a manifest: annotations refer to its canvases.
func hasManifest(v *volume.Volume) error {
	if v.Manifest == "" {
		return errNoManifest
	}
	return nil
}

// annotationFile is the name of the file with the annotations for a page.
func annotationFile(page *volume.Page) string { return page.Name + ".annotations.json" }

// annotationFiles returns the names of the files that writeAnnotations saves.
func annotationFiles(v *volume.Volume) (files []string) {
	for _, page := range v.Pages {
		if page.Canvas.ID != "" && !page.Canvas.IsPartial {
			files = append(files, annotationFile(page))
		}
	}
	return files
}

// writeAnnotations writes an annotation page for each page of a manifest that was read, with an annotation for each line of
// text, at the line's place on the canvas. The ids begin with the id of the canvas, like those of a manifest's own annotations.
// If a canvas has no id, its page is left out, and an error says so after the others are written.
func writeAnnotations(_ context.Context, v *volume.Volume, save volume.Save) error {
	withoutID := 0
	for _, page := range v.Pages {
		if !page.State.IsRead() || page.Canvas.IsPartial {
			continue
		}
		if page.Canvas.ID == "" {
			withoutID++
			continue
		}
		doc, err := page.Document()
		if err != nil {
			return fmt.Errorf("%s: %w", page.Source, err)
		}
		list := annotate(page.Canvas, doc)
		err = save(annotationFile(page), func(to io.Writer) error {
			e := json.NewEncoder(to)
			e.SetEscapeHTML(false) // the file is for programs, not for HTML
			e.SetIndent("", "  ")
			return e.Encode(list)
		})
		if err != nil {
			return err
		}
	}
	if withoutID > 0 {
		return fmt.Errorf("no annotations for %d of %d pages: the manifest gives their canvases no id", withoutID, len(v.Pages))
	}
	return nil
}

// annotate returns the lines of the document's first page as annotations of a canvas. A manifest's image has only one page.
func annotate(canvas volume.Canvas, doc *document.Document) annotationPage {
	list := annotationPage{"http://iiif.io/api/presentation/3/context.json", canvas.ID + "/annotations/lines", "AnnotationPage", []annotation{}}
	if len(doc.Pages) == 0 {
		return list
	}
	page := &doc.Pages[0]
	for line := range document.Lines(page.Blocks) {
		list.Items = append(list.Items, annotation{
			ID: fmt.Sprintf("%s/%d", list.ID, len(list.Items)+1), Type: "Annotation", Motivation: "supplementing",
			Body:   annotationBody{"TextualBody", line.Text(), "text/plain", doc.Language},
			Target: canvas.ID + "#xywh=" + onCanvas(line.Box, page, canvas),
		})
	}
	return list
}

// onCanvas converts a box of the page to units of the canvas, and returns its left, top, width and height, separated by commas.
// A canvas without a size is taken to have that of the page.
func onCanvas(b document.Box, page *document.Page, canvas volume.Canvas) string {
	w, h := canvas.Width, canvas.Height
	if w <= 0 || h <= 0 {
		w, h = page.Width, page.Height
	}
	x0, y0 := b.X*w/page.Width, b.Y*h/page.Height
	x1, y1 := (b.X+b.W)*w/page.Width, (b.Y+b.H)*h/page.Height
	return fmt.Sprintf("%d,%d,%d,%d", x0, y0, max(x1-x0, 1), max(y1-y0, 1))
}

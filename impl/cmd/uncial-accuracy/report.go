package main

import (
	"bytes"
	_ "embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"image"
	"image/color"
	"image/jpeg"
	"os"
	"strings"

	"golang.org/x/image/draw"

	"uncial/impl/ocr/decode"
	"uncial/impl/ocr/imaging"
	"uncial/impl/ocr/tesseract"
	"uncial/internal/accuracy"
	"uncial/internal/document"
)

// Size of the images in the report: legible, and small enough for hundreds of pages in one file.
const (
	reportWidth   = 1000 // pixels; narrower pages are not enlarged
	reportQuality = 60   // JPEG quality, 1 to 100
)

// reportHTML is the template. It holds all styles, because the report must be one file.
//
//go:embed report.html
var reportHTML string

// reportTemplate escapes texts, so that the report may contain whatever was read. Images and colours are made here and marked
// as safe.
var reportTemplate = template.Must(template.New("report").Funcs(template.FuncMap{
	"percent": func(f float64) string { return fmt.Sprintf("%.1f %%", 100*f) },
	"number":  func(f float64) string { return fmt.Sprintf("%.3f", f) },
}).Parse(reportHTML))

// reportPage is one entry of the report: a file of the folder, which may have several images, with its comparison with the
// ground truth and its corrections.
type reportPage struct {
	outcome
	Sheets []reportImage
	Parts  []reportPart
	Edits  []document.Edit
}

// reportImage is one image of the file, in the order of its pages, with the words that were read on it. The boxes are in pixels
// of the page, and the template scales them to the image.
type reportImage struct {
	Image         template.URL
	Width, Height int
	Words         []reportWord
}

// reportWord is a word whose box is drawn on the image, in a colour that shows its confidence.
type reportWord struct {
	document.Word
	Shade template.CSS // from red, not confident, to green
}

// reportPart is a run of words that equals the ground truth, or differs from it. Where words were missed, Text is empty;
// where words were invented, Truth is.
type reportPart struct {
	Equal       bool
	Truth, Text string
}

// writeReport writes a self-contained HTML file: images are embedded, so that it can be sent to others. Errors name the page.
func writeReport(path string, outcomes []outcome) error {
	pages := make([]reportPage, len(outcomes))
	for i, o := range outcomes {
		page, err := newReportPage(o)
		if err != nil {
			return fmt.Errorf("report of %s: %w", o.Page.ID, err)
		}
		pages[i] = page
	}
	var html bytes.Buffer
	err := reportTemplate.Execute(&html, map[string]any{"Groups": rows(outcomes, "plain Tesseract"), "Pages": pages, "Legend": legend})
	if err != nil {
		return fmt.Errorf("report: %w", err)
	}
	return os.WriteFile(path, html.Bytes(), 0o644) //nolint:gosec // a report may be read by others
}

// newReportPage compares the folded texts word by word, as the folded figures do. It decodes the images once more, because
// an outcome keeps only the encoded file.
func newReportPage(o outcome) (reportPage, error) {
	page := reportPage{outcome: o, Edits: o.document.Edits}
	truth, text := accuracy.Tokens(accuracy.Folded(o.truth)), accuracy.Tokens(accuracy.Folded(o.Read.Text))
	for _, p := range accuracy.Align(truth, text) {
		page.Parts = append(page.Parts, reportPart{p.Equal, strings.Join(p.Truth, " "), strings.Join(p.Text, " ")})
	}
	n := 0 // index of the image in the file, and of its page in the document
	for decoded, err := range decode.Pages(o.image, tesseract.Leptonica{}) {
		if err != nil {
			return reportPage{}, err
		}
		sheet, err := newReportImage(decoded.Image, &o.document.Pages[n])
		if err != nil {
			return reportPage{}, err
		}
		page.Sheets = append(page.Sheets, sheet)
		n++
	}
	return page, nil
}

// newReportImage turns the image upright, scales it down and embeds it as a JPEG.
func newReportImage(img image.Image, read *document.Page) (reportImage, error) {
	gray := imaging.Turn(imaging.FromImage(img), read.Rotation/90)
	width := min(reportWidth, gray.Rect.Dx())
	small := image.NewGray(image.Rect(0, 0, width, max(gray.Rect.Dy()*width/gray.Rect.Dx(), 1)))
	draw.ApproxBiLinear.Scale(small, small.Rect, gray, gray.Rect, draw.Src, nil)
	var file bytes.Buffer
	if err := jpeg.Encode(&file, small, &jpeg.Options{Quality: reportQuality}); err != nil {
		return reportImage{}, err
	}
	sheet := reportImage{
		Image: template.URL("data:image/jpeg;base64," + base64.StdEncoding.EncodeToString(file.Bytes())), //nolint:gosec // made here
		Width: read.Width, Height: read.Height,
	}
	for w := range document.Words(read.Blocks) {
		sheet.Words = append(sheet.Words, reportWord{*w, shade(w.Confidence)})
	}
	return sheet, nil
}

// shade returns a colour for a confidence of 0..1: from red for 0 to green for 1, both dark enough to be seen on paper.
func shade(confidence float64) template.CSS {
	c := color.RGBA{R: uint8(220 * (1 - confidence)), G: uint8(160 * confidence), B: 30}
	return template.CSS(fmt.Sprintf("rgb(%d,%d,%d)", c.R, c.G, c.B)) //nolint:gosec // three numbers
}

// Package pdf writes searchable PDFs: the picture of each page, and the words that were read as invisible text at their boxes.
// The files are built to PDF/A-2b (ISO 19005-2), level B: everything that a viewer needs is inside, and nothing depends on the
// viewer.
//
// Text is in reading order, with a space between words. A viewer finds and selects it, and puts words written from right to
// left into their order by itself: PDF stores characters in visual order, so this package writes them in that order.
//
// The package neither reads PDFs nor makes pictures. Start with Writer; text.go places the words, font.go has the invisible
// font, picture.go embeds JPEG and PNG, and object.go writes the objects of the file.
package pdf

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"hash"
	"io"
	"strconv"
	"strings"
	"time"

	"uncial/internal/document"
)

// Meta is the metadata of a PDF.
type Meta struct {
	Title    string    // never empty in the file; default: "Untitled"
	Language string    // BCP 47 tag of the text; default: left out
	Software string    // name and version of the program; default: left out
	Created  time.Time // written in UTC, in whole seconds
}

// Measures of a page. PDF counts in points.
const (
	pointsPerInch = 72
	// usualDPI is assumed where an image does not declare its resolution. Most scans have it.
	usualDPI = 300
	// minSide and maxSide are the limits of a page's sides in points (ISO 19005-2, section 6.1.13).
	minSide, maxSide = 3, 14_400
)

// The first objects of a file. All others follow in the order in which they are written.
const (
	catalogObject = iota + 1
	pagesObject
	fontObject
	firstFreeObject
)

// Writer writes a PDF page by page. No page stays in memory, so a volume may have thousands of them. The same calls write the
// same bytes.
type Writer struct {
	objects objects
	sum     hash.Hash
	meta    Meta
	font    *font
	pages   []int // their objects
}

// NewWriter begins a PDF, whose title is "Untitled" if meta has none. The next AddPage, or Close, returns the errors of to.
func NewWriter(to io.Writer, meta Meta) *Writer {
	if meta.Title = cleanText(meta.Title); meta.Title == "" {
		meta.Title = "Untitled"
	}
	meta.Software = cleanText(meta.Software)
	w := &Writer{sum: sha256.New(), meta: meta, font: newFont()}
	w.objects = newObjects(io.MultiWriter(to, w.sum), firstFreeObject)
	// The four bytes above 127 tell programs that the file is binary (section 6.1.2).
	w.objects.printf("%%PDF-1.7\n%%\xe2\xe3\xcf\xd3\n")
	return w
}

// AddPage adds a page with its picture. The picture fills the page, whatever its own size. It fails if the picture cannot be
// embedded, see Picture.Check, or with the error of the underlying writer. After an error the file is of no use.
func (w *Writer) AddPage(page *document.Page, picture Picture) error {
	image, err := parse(picture)
	if err != nil {
		return err
	}
	drawn := w.objects.writeImage(image)
	scale := pointScale(page)
	width, height := float64(page.Width)*scale, float64(page.Height)*scale
	var content strings.Builder
	fmt.Fprintf(&content, "q %s cm /P Do Q\n", orientationMatrix(picture.Orientation, width, height))
	writeText(&content, page, scale, w.font)
	text := w.objects.writeStream("", []byte(content.String()))
	w.pages = append(w.pages, w.objects.write(fmt.Sprintf(
		"<< /Type /Page /Parent %d 0 R /MediaBox [0 0 %s %s] /Contents %d 0 R /Resources << /XObject << /P %d 0 R >> /Font << /T %d 0 R >> >> >>",
		pagesObject, number(max(width, minSide)), number(max(height, minSide)), text, drawn, fontObject)))
	return w.objects.err
}

// Close completes the file. It does not close the underlying writer.
func (w *Writer) Close() error {
	if len(w.pages) == 0 {
		return errors.New("pdf: the document has no page")
	}
	w.writeFont()
	profile := w.objects.writeStream("/N 3", colorProfile())
	metadata := w.objects.writePlainStream("/Type /Metadata /Subtype /XML", packet(w.meta))
	info := w.objects.write(infoDictionary(w.meta))
	kids := make([]string, len(w.pages))
	for i, p := range w.pages {
		kids[i] = strconv.Itoa(p) + " 0 R"
	}
	w.objects.writeAt(pagesObject, fmt.Sprintf("<< /Type /Pages /Count %d /Kids [%s] >>", len(kids), strings.Join(kids, "\n")))
	language := ""
	if w.meta.Language != "" {
		language = " /Lang " + textString(w.meta.Language)
	}
	w.objects.writeAt(catalogObject, fmt.Sprintf("<< /Type /Catalog /Pages %d 0 R /Metadata %d 0 R%s /OutputIntents [<< /Type /OutputIntent "+
		"/S /GTS_PDFA1 /OutputConditionIdentifier (sRGB) /Info (sRGB) /DestOutputProfile %d 0 R >>] >>", pagesObject, metadata, language, profile))
	w.objects.finish(catalogObject, info, w.sum.Sum(nil)[:16])
	return w.objects.err
}

// pointScale is the length of a pixel in points.
func pointScale(p *document.Page) float64 {
	dpi := p.DPI
	if dpi <= 0 {
		dpi = usualDPI
	}
	return min(pointsPerInch/float64(dpi), maxSide/float64(max(p.Width, p.Height)))
}

// number formats a number with at most four decimals, never in the form with an exponent, which PDF does not know.
func number(f float64) string {
	s := strconv.FormatFloat(f, 'f', 4, 64)
	s = strings.TrimSuffix(strings.TrimRight(s, "0"), ".")
	if s == "-0" {
		return "0"
	}
	return s
}

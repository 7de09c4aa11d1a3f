// Package format writes a recognized document as plain text, hOCR 1.2, ALTO 4.4, PAGE-XML 2019-07-15, Tesseract's TSV or PDF.
// Each format has its own source file; to add one, follow "an output format" in internal/README.md. The text in every format is
// that of document.Document.Text.
//
// Writers are pure functions of their arguments: the same document gives the same bytes on every machine. Boxes are whole
// pixels of the upright page. XML is well-formed XML 1.0 in UTF-8 and NFC, whatever the words contain. The ids of page, block,
// line, word and graphic, p1, p1_b2, p1_b2_l3, p1_b2_l3_w4 and p1_g1, are unique and the same in hOCR, ALTO and PAGE-XML; all
// count from 1.
//
// Start with Write. The package pdf below it writes PDFs of one page or of a whole volume.
package format

import (
	"fmt"
	"maps"
	"net/url"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/bidi"

	"uncial/internal/document"
)

// software is the name of the program in the metadata of a document.
const software = "Uncial"

// Software returns the program's name as documents state it; the version is not part of it.
func Software() string { return software }

// Meta is the metadata of a written document.
type Meta struct {
	// Image is the file name of the image, see ImageName. Default: "image".
	Image string
	// Images are the file names of the images of each page, if the document was made of several images. Default: Image for all.
	Images []string
	// Created is when the image was read; written in UTC, in whole seconds.
	Created time.Time
	// Version of the software. Default: left out.
	Version string
}

// imageOf returns the file name of the image of a page, from 0.
func (m Meta) imageOf(page int) string {
	if page < len(m.Images) {
		return m.Images[page]
	}
	return m.Image
}

// writers maps the name of a format in a request to its writer. The names are those of the enum Format in openapi.yaml,
// except json, which has no document.
var writers = map[string]func(*document.Document, Meta) (string, error){
	"text": always(func(doc *document.Document, _ Meta) string { return doc.Text() }),
	"hocr": always(writeHOCR),
	"alto": always(writeALTO),
	"page": always(writePAGE),
	"tsv":  always(writeTSV),
	"pdf":  writePDF,
}

// always turns a function that cannot fail into a writer.
func always(write func(*document.Document, Meta) string) func(*document.Document, Meta) (string, error) {
	return func(doc *document.Document, meta Meta) (string, error) { return write(doc, meta), nil }
}

// Write returns the document in the named format: text, hocr, alto, page, tsv, or the bytes of a pdf. It writes
// doc.Normalized(), so that a control character in a word or a box outside the page cannot break the format, and "und" for an
// invalid language tag of the document. It fails for an unknown format, and for a PDF with a picture that cannot be embedded.
func Write(name string, doc *document.Document, meta Meta) (string, error) {
	write, ok := writers[name]
	if !ok {
		return "", fmt.Errorf("unknown format %q; choose one of %s", name, strings.Join(slices.Sorted(maps.Keys(writers)), ", "))
	}
	if meta.Image == "" {
		meta.Image = "image"
	}
	doc = doc.Normalized()
	if !languageTag.MatchString(doc.Language) {
		doc.Language = "und"
	}
	for i := range doc.Pages {
		if !languageTag.MatchString(doc.Pages[i].Language) {
			doc.Pages[i].Language = ""
		}
	}
	return write(doc, meta)
}

// languageTag is the pattern of xsd:language, which every BCP 47 tag matches.
var languageTag = regexp.MustCompile(`^[A-Za-z]{1,8}(-[A-Za-z0-9]{1,8})*$`)

// ImageName returns the file name in an image's URL, which is the last segment of its path. Query, credentials and host are
// left out, so that no signed address gets into an archived file. It is empty for a data URL and for a path without a
// name.
func ImageName(imageURL string) string {
	if len(imageURL) >= 5 && strings.EqualFold(imageURL[:5], "data:") {
		return ""
	}
	u, err := url.Parse(imageURL)
	if err != nil || u.Path == "" {
		return ""
	}
	name := strings.Map(func(r rune) rune {
		if r == utf8.RuneError || unicode.IsControl(r) {
			return -1
		}
		return r
	}, path.Base(u.Path))
	if name == "/" || name == "." {
		return ""
	}
	return name
}

// id returns the id of an element from the numbers of its page, block, line and word, each from 1.
func id(path ...int) string {
	var b strings.Builder
	for i, n := range path {
		if i > 0 {
			b.WriteByte('_')
		}
		b.WriteByte("pblw"[i])
		b.WriteString(strconv.Itoa(n))
	}
	return b.String()
}

// graphicID returns the id of a graphic from the numbers of its page and its own, each from 1.
func graphicID(page, n int) string { return id(page) + "_g" + strconv.Itoa(n) }

// fraction writes a confidence with at most four decimals.
func fraction(c float64) string {
	s := strconv.FormatFloat(c, 'f', 4, 64)
	return strings.TrimSuffix(strings.TrimRight(s, "0"), ".")
}

// isRightToLeft reports whether the first strong character of the line is right-to-left (UAX #9, rule P2).
func isRightToLeft(l *document.Line) bool {
	for _, w := range l.Words {
		for _, r := range w.Text {
			switch p, _ := bidi.LookupRune(r); p.Class() {
			case bidi.L:
				return false
			case bidi.R, bidi.AL:
				return true
			default:
			}
		}
	}
	return false
}

// printSpace returns the smallest box around blocks and graphics, or the whole page if there are none. In ALTO, blocks outside
// of the print space would count as margins.
func printSpace(p *document.Page) document.Box {
	var box document.Box
	for _, g := range p.Graphics {
		box = box.Union(g.Box)
	}
	for i := range p.Blocks {
		box = box.Union(p.Blocks[i].Box)
	}
	if box == (document.Box{}) {
		return document.Box{W: p.Width, H: p.Height}
	}
	return box
}

// corners returns the corners of a box, clockwise from the upper left one.
func corners(b document.Box) []document.Point {
	right, bottom := b.X+b.W, b.Y+b.H
	return []document.Point{{X: b.X, Y: b.Y}, {X: right, Y: b.Y}, {X: right, Y: bottom}, {X: b.X, Y: bottom}}
}

// baselineOf returns the baseline of a line, or the lower edge of its box if it is not known: kraken leaves out lines without
// one.
func baselineOf(line *document.Line) []document.Point {
	if line.Baseline != nil {
		return line.Baseline
	}
	bottom := line.Box.Y + line.Box.H
	return []document.Point{{X: line.Box.X, Y: bottom}, {X: line.Box.X + line.Box.W, Y: bottom}}
}

// polyline formats points as "x1,y1 x2,y2 ...".
func polyline(points []document.Point) string {
	parts := make([]string, len(points))
	for i, p := range points {
		parts[i] = strconv.Itoa(p.X) + "," + strconv.Itoa(p.Y)
	}
	return strings.Join(parts, " ")
}

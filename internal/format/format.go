// Package format writes a read document in the formats that archives and editors use: plain text, hOCR 1.2, ALTO 4.4,
// PAGE-XML 2019-07-15 and Tesseract's TSV. Writers are pure functions of their arguments; the text that a reader gets
// back from any of them is that of document.Document.Text.
//
// Boxes are those of the upright page, in whole pixels; a page that was turned says so. XML is well-formed XML 1.0 in
// UTF-8 whatever the words hold, elements carry ids that are unique in the document and the same in hOCR, ALTO and
// PAGE-XML: p1, p1_b2, p1_b2_l3, p1_b2_l3_w4 for page, block, line and word, all counted from 1.
package format

import (
	"fmt"
	"net/url"
	"path"
	"regexp"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/bidi"

	"uncial/internal/document"
)

// The names of the formats, as a request names them.
const (
	Text = "text"
	HOCR = "hocr"
	ALTO = "alto"
	PAGE = "page"
	TSV  = "tsv"
)

// Software is the name that the formats give the program that wrote them.
const Software = "Uncial"

// Meta is what a format says about the reading beside the text.
type Meta struct {
	// Image is the file name of the image, see ImageName. Default: "image".
	Image string
	// Created is the instant of the reading; written in UTC, in whole seconds.
	Created time.Time
	// Version is the version of the software. Default: none is written.
	Version string
}

var writers = map[string]func(*document.Document, Meta) string{
	Text: writeText,
	HOCR: writeHOCR,
	ALTO: writeALTO,
	PAGE: writePAGE,
	TSV:  writeTSV,
}

// Write gives the document in the format of that name. What breaks the promises of the document model (a control
// character in a word, a box outside the page) is mended as Document.Normalized does; a language that is no tag is
// written as "und". The error says which formats there are.
func Write(name string, doc *document.Document, meta Meta) (string, error) {
	write, ok := writers[name]
	if !ok {
		return "", fmt.Errorf("format %q is not one of %s, %s, %s, %s, %s", name, Text, HOCR, ALTO, PAGE, TSV)
	}
	if meta.Image == "" {
		meta.Image = "image"
	}
	doc = doc.Normalized()
	if !languageTag.MatchString(doc.Language) {
		doc.Language = "und"
	}
	return write(doc, meta), nil
}

// languageTag is the pattern of xsd:language, which every BCP 47 tag fits.
var languageTag = regexp.MustCompile(`^[A-Za-z]{1,8}(-[A-Za-z0-9]{1,8})*$`)

func writeText(doc *document.Document, _ Meta) string { return doc.Text() }

// ImageName is the file name in an image's URL: the last segment of its path, without query, credentials or host, so
// that a signed address never ends in an archived file. It is empty for a data: URL and where the path has no name.
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

// id names an element by its place: page, block, line, word, each from 1.
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

// fraction writes a confidence with at most four decimals.
func fraction(c float64) string {
	s := strconv.FormatFloat(c, 'f', 4, 64)
	return strings.TrimSuffix(strings.TrimRight(s, "0"), ".")
}

// rightToLeft tells the base direction of a line: that of its first strong character (UAX #9, rule P2).
func rightToLeft(l *document.Line) bool {
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

// printed is the smallest box around the blocks, or the whole page where there are none.
func printed(p *document.Page) document.Box {
	var box document.Box
	for i := range p.Blocks {
		box = box.Union(p.Blocks[i].Box)
	}
	if box == (document.Box{}) {
		return document.Box{W: p.Width, H: p.Height}
	}
	return box
}

// polyline is "x1,y1 x2,y2 ...".
func polyline(points []document.Point) string {
	parts := make([]string, len(points))
	for i, p := range points {
		parts[i] = strconv.Itoa(p.X) + "," + strconv.Itoa(p.Y)
	}
	return strings.Join(parts, " ")
}

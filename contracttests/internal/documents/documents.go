// Package documents reads the documents of answers, hOCR 1.2, ALTO 4.4, PAGE-XML 2019-07-15 and Tesseract's TSV, into
// pages, blocks, lines and words, and reports where they break the rules of their format. It shares no code with the
// project's writers. Whether a document fits its answer is decided in package expect.
//
// Start with Read. The three XML formats share the reader in xml.go; each describes its vocabulary.
package documents

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Document is the content of a document.
type Document struct {
	Pages []*Element
	// Languages are all language tags in the document.
	Languages []string

	hasOthers bool // whether the format has other readings of words
}

// Element is a page, a block, a line or a word. A level that a format has in addition, such as hOCR's ocr_par or the
// paragraphs of TSV, does not become an element.
type Element struct {
	kind       kind
	Name       string // its id, or its number if the format has no ids
	Box        Box
	Text       string  // of a word
	Confidence float64 // of a word, 0..1
	// Others are other readings of a word, the likeliest first.
	Others []string
	Parts  []*Element
}

// kind says what an element is.
type kind int

// The kinds of elements, from the outermost to the innermost.
const (
	pageKind kind = iota + 1
	blockKind
	lineKind
	wordKind
)

// String is the name of the kind in messages.
func (k kind) String() string { return [...]string{"", "page", "block", "line", "word"}[k] }

// Box is a rectangle in pixels; Right and Bottom are just outside of it.
type Box struct{ Left, Top, Right, Bottom int }

// Contains reports whether another box lies within this one. Edges may coincide.
func (b Box) Contains(o Box) bool {
	return b.Left <= o.Left && b.Top <= o.Top && o.Right <= b.Right && o.Bottom <= b.Bottom
}

// ContainsCenter reports whether the centre of another box lies in this one.
func (b Box) ContainsCenter(o Box) bool {
	x, y := (o.Left+o.Right)/2, (o.Top+o.Bottom)/2
	return b.Left <= x && x < b.Right && b.Top <= y && y < b.Bottom
}

// CountCenters returns the number of boxes that have their centre in this one.
func (b Box) CountCenters(all []Box) (n int) {
	for _, o := range all {
		if b.ContainsCenter(o) {
			n++
		}
	}
	return n
}

// Formats are the names of the formats that carry a document.
var Formats = []string{"hocr", "alto", "page", "tsv"}

// Read reads a document in one of Formats and checks it: well-formed, complete, unique ids, boxes with an area, nested and
// inside their page, confidences in range, words without white space. The error names the first problem in one sentence; the
// document is nil only if it could not be read at all.
func Read(format, text string) (*Document, error) {
	r := documentsRead.get(format, text, func() readResult {
		doc, err := readOnce(format, text)
		return readResult{doc, err}
	})
	return r.document, r.err
}

type readResult struct {
	document *Document
	err      error
}

var documentsRead memory[readResult]

// readOnce reads and checks a document, whatever was read before.
func readOnce(format, text string) (*Document, error) {
	read := map[string]func(string) (*Document, error){"hocr": readHOCR, "alto": readALTO, "page": readPAGE, "tsv": readTSV}[format]
	if read == nil {
		return nil, fmt.Errorf("the format %q has no document", format)
	}
	doc, err := read(text)
	if err != nil {
		return nil, err
	}
	return doc, doc.check()
}

// check checks what all formats have in common: at least one page, and pages whose coordinates begin at 0,0.
func (d *Document) check() error {
	if len(d.Pages) == 0 {
		return errors.New("the document has no page")
	}
	for _, p := range d.Pages {
		if p.Box.Left != 0 || p.Box.Top != 0 {
			return fmt.Errorf("the upper left corner of page %s is not 0,0", p.Name)
		}
		if err := p.check(p.Box); err != nil {
			return err
		}
	}
	return nil
}

// check checks the element and its parts. around is the box of the parent.
func (e *Element) check(around Box) error {
	switch {
	case e.Box.Left >= e.Box.Right || e.Box.Top >= e.Box.Bottom:
		return fmt.Errorf("the box of %s %s has no area: %v", e.kind, e.Name, e.Box)
	case !around.Contains(e.Box):
		return fmt.Errorf("the box of %s %s is outside of its parent: %v is not within %v", e.kind, e.Name, e.Box, around)
	case e.kind == wordKind:
		return e.checkWord()
	// Only pages may be empty: a blank page has no blocks.
	case e.kind != pageKind && len(e.Parts) == 0:
		return fmt.Errorf("%s %s is empty", e.kind, e.Name)
	}
	for _, p := range e.Parts {
		if err := p.check(e.Box); err != nil {
			return err
		}
	}
	return nil
}

// checkWord requires text without white space and a confidence in 0..1. The negated condition also refuses NaN.
func (e *Element) checkWord() error {
	if e.Text == "" || strings.ContainsFunc(e.Text, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) }) {
		return fmt.Errorf("word %s is %q; expected characters without white space", e.Name, e.Text)
	}
	if !(e.Confidence >= 0 && e.Confidence <= 1) {
		return fmt.Errorf("the confidence of word %s is out of range: %v", e.Name, e.Confidence)
	}
	return e.checkOthers()
}

// maxOthers is the maximum number of other readings of a word that the contract allows.
const maxOthers = 3

// checkOthers requires the other readings of a word to be few, words, and different.
func (e *Element) checkOthers() error {
	if len(e.Others) > maxOthers {
		return fmt.Errorf("word %s has %d other readings; expected at most %d", e.Name, len(e.Others), maxOthers)
	}
	for i, o := range e.Others {
		switch {
		case o == "" || strings.ContainsFunc(o, unicode.IsSpace):
			return fmt.Errorf("word %s has the other reading %q; expected characters without white space", e.Name, o)
		case o == e.Text || slices.Contains(e.Others[:i], o):
			return fmt.Errorf("word %s has the reading %q twice", e.Name, o)
		}
	}
	return nil
}

// Text is the plain text as the contract defines it: words joined by a space, lines by a line feed, blocks by an empty
// line, pages by a form feed.
func (d *Document) Text() string {
	pages := make([]string, len(d.Pages))
	for i, p := range d.Pages {
		pages[i] = p.plainText()
	}
	return strings.Join(pages, "\f")
}

// plainText is the text of the element's words.
func (e *Element) plainText() string {
	if e.kind == wordKind {
		return e.Text
	}
	parts := make([]string, len(e.Parts))
	for i, p := range e.Parts {
		parts[i] = p.plainText()
	}
	return strings.Join(parts, [...]string{pageKind: "\n\n", blockKind: "\n", lineKind: " "}[e.kind])
}

// blankLines matches one or more empty lines, with the line feed before them.
var blankLines = regexp.MustCompile(`\n{2,}`)

// SameText reports whether two texts agree in pages, lines and words. The number of empty lines between blocks is not
// specified.
func SameText(a, b string) bool {
	return asPrinted(blankLines.ReplaceAllString(a, "\n"), b) == blankLines.ReplaceAllString(b, "\n")
}

// dividing finds the hyphen of a word that is divided at the end of a line.
var dividing = regexp.MustCompile(`(?m)[-\x{2010}\x{ac}\x{2e17}=]$`)

// asPrinted replaces the soft hyphens at the ends of lines by a hyphen of the text that they stand for. The formats say in
// different ways that a word is divided; the text says it as printed.
func asPrinted(document, text string) string {
	hyphen := dividing.FindString(text)
	return regexp.MustCompile(`(?m)\x{ad}$`).ReplaceAllString(document, hyphen)
}

// Words are all words in reading order.
func (d *Document) Words() (words []*Element) {
	for _, p := range d.Pages {
		words = append(words, p.Words()...)
	}
	return words
}

// Words are the words of the element in reading order, or the element itself if it is one.
func (e *Element) Words() []*Element { return e.all(wordKind) }

// Lines are the lines of the element in reading order, or the element itself if it is one.
func (e *Element) Lines() []*Element { return e.all(lineKind) }

// all returns the elements of a kind in reading order. Elements below one of that kind are not looked at.
func (e *Element) all(k kind) (elements []*Element) {
	if e.kind == k {
		return []*Element{e}
	}
	for _, p := range e.Parts {
		elements = append(elements, p.all(k)...)
	}
	return elements
}

// CorrectBounds returns the least and the largest share of characters that can be correct, given the probability that each word
// is right: a wrong word has at least one wrong character, and at most all are wrong. Both are 0 without words.
func CorrectBounds(words []*Element) (least, most float64) {
	var characters, ofRight, wrong float64
	for _, w := range words {
		n := float64(utf8.RuneCountInString(w.Text))
		characters, ofRight, wrong = characters+n, ofRight+n*w.Confidence, wrong+1-w.Confidence
	}
	if characters == 0 {
		return 0, 0
	}
	return ofRight / characters, 1 - wrong/characters
}

// maxRounding is the maximum difference between two formats in a confidence: hOCR rounds to hundredths, which changes it by at
// most 0.005; the rest is for the rounding of the other format.
const maxRounding = 0.0051

// Differs returns the first difference between two documents of the same reading, or "". It compares page sizes, words,
// their boxes, their confidences and their other readings, but not the boxes of blocks and lines.
func Differs(a, b *Document) string {
	if len(a.Pages) != len(b.Pages) {
		return fmt.Sprintf("one has %d pages, the other %d", len(a.Pages), len(b.Pages))
	}
	for i := range a.Pages {
		if a.Pages[i].Box != b.Pages[i].Box {
			return fmt.Sprintf("page %d measures %v in one and %v in the other", i+1, a.Pages[i].Box, b.Pages[i].Box)
		}
	}
	x, y := a.Words(), b.Words()
	if len(x) != len(y) {
		return fmt.Sprintf("one has %d words, the other %d", len(x), len(y))
	}
	for i := range x {
		switch {
		case asPrinted(x[i].Text, y[i].Text) != asPrinted(y[i].Text, x[i].Text):
			return fmt.Sprintf("word %d is %q in one and %q in the other", i+1, x[i].Text, y[i].Text)
		case x[i].Box != y[i].Box:
			return fmt.Sprintf("word %d (%s) is at %v in one and at %v in the other", i+1, x[i].Text, x[i].Box, y[i].Box)
		case max(x[i].Confidence-y[i].Confidence, y[i].Confidence-x[i].Confidence) > maxRounding:
			return fmt.Sprintf("word %d (%s) has the confidence %.4f in one and %.4f in the other", i+1, x[i].Text, x[i].Confidence, y[i].Confidence)
		case a.hasOthers && b.hasOthers && !slices.Equal(x[i].Others, y[i].Others):
			return fmt.Sprintf("word %d (%s) has the other readings %q in one and %q in the other", i+1, x[i].Text, x[i].Others, y[i].Others)
		}
	}
	return ""
}

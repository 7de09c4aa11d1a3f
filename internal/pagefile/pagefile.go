// Package pagefile reads pages from ALTO (versions 2 to 4) and PAGE-XML (PcGts, alone or in METS), as other tools write them.
// The mock reads its fixtures with it, and the command line reads the documents of the service. The writers of all formats are
// in internal/format, and the suite has readers of its own.
//
// It is strict where the contract is, so that what it returns can be written in every format: boxes lie on their page,
// confidences are from 0 to 1, words have no control characters. It is lenient where files differ: words may be missing
// below the lines, and lines without text are left out.
//
// Start with Read; alto.go and page.go describe the two vocabularies. ReadDocument, in document.go, reads only PAGE-XML of
// Uncial, and everything in it.
package pagefile

import (
	"encoding/xml"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"uncial/internal/document"
)

// assumedConfidence is the confidence of words in files that state none: high, but not certain.
const assumedConfidence = 0.95

// maxSide is the longest side of a page, in pixels, as in openapi.yaml.
const maxSide = 32_767

// Read returns the pages of an ALTO or PAGE-XML file, of which there is at least one. Boxes are in pixels. The error says which
// element is wrong.
func Read(source []byte) ([]document.Page, error) {
	_, pages, err := parse(source)
	if err != nil {
		return nil, err
	}
	doc := (&document.Document{Pages: pages}).Normalized()
	for i := range doc.Pages {
		p := &doc.Pages[i]
		p.Confidence = document.CorrectShare(p.Blocks)
	}
	return doc.Pages, nil
}

// parse returns the root element of a file and its pages, of which there is at least one.
func parse(source []byte) (*node, []document.Page, error) {
	var root node
	if err := xml.Unmarshal(source, &root); err != nil {
		return nil, nil, fmt.Errorf("not well-formed XML: %w", err)
	}
	var pages []document.Page
	var err error
	switch root.XMLName.Local {
	case "alto":
		pages, err = readALTO(&root)
	case "PcGts", "mets":
		pages, err = readPAGE(&root)
	default:
		return nil, nil, fmt.Errorf("the root element is <%s>; expected <alto>, <PcGts> or <mets>", root.XMLName.Local)
	}
	if err == nil && len(pages) == 0 {
		err = errors.New("there is no page")
	}
	return &root, pages, err
}

// node is any XML element.
type node struct {
	XMLName xml.Name
	Attrs   []xml.Attr `xml:",any,attr"`
	Nodes   []node     `xml:",any"`
	Text    string     `xml:",chardata"`
}

// attr returns an attribute, "" if it is missing.
func (n *node) attr(name string) string {
	for _, a := range n.Attrs {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}

// all returns the children of that name.
func (n *node) all(name string) (found []*node) {
	for i := range n.Nodes {
		if n.Nodes[i].XMLName.Local == name {
			found = append(found, &n.Nodes[i])
		}
	}
	return found
}

// first returns the first descendant on a path of names, nil if there is none.
func (n *node) first(path ...string) *node {
	for _, name := range path {
		children := n.all(name)
		if len(children) == 0 {
			return nil
		}
		n = children[0]
	}
	return n
}

// name identifies the element in messages.
func (n *node) name() string {
	for _, id := range []string{"ID", "id"} {
		if v := n.attr(id); v != "" {
			return n.XMLName.Local + " " + strconv.Quote(v)
		}
	}
	return n.XMLName.Local
}

// whole returns an attribute that is a number of pixels. Some files have fractions, which are rounded.
func (n *node) whole(name string) (int, error) {
	f, err := strconv.ParseFloat(strings.TrimSpace(n.attr(name)), 64)
	if err != nil || !(math.Abs(f) <= maxSide) {
		return 0, fmt.Errorf("%s: %s must be a number of pixels, not %q", n.name(), name, n.attr(name))
	}
	return int(math.Round(f)), nil
}

// confidence returns an attribute from 0 to 1, or assumedConfidence if it is missing.
func (n *node) confidence(name string) (float64, error) {
	text := n.attr(name)
	if text == "" {
		return assumedConfidence, nil
	}
	f, err := strconv.ParseFloat(text, 64)
	if err != nil || !(f >= 0 && f <= 1) {
		return 0, fmt.Errorf("%s: %s must be from 0 to 1, not %q", n.name(), name, text)
	}
	return f, nil
}

// onPage requires a box to lie on its page.
func onPage(n *node, box document.Box, p *document.Page) error {
	if box.X < 0 || box.Y < 0 || box.W < 1 || box.H < 1 || box.X+box.W > p.Width || box.Y+box.H > p.Height {
		return fmt.Errorf("%s: its box %d,%d %dx%d is empty or not on the page of %dx%d pixels", n.name(), box.X, box.Y, box.W, box.H, p.Width, p.Height)
	}
	return nil
}

// sheet returns an empty page with the size in two attributes.
func sheet(n *node, width, height string) (p document.Page, err error) {
	if p.Width, err = n.whole(width); err != nil {
		return p, err
	}
	if p.Height, err = n.whole(height); err != nil {
		return p, err
	}
	if p.Width < 1 || p.Height < 1 {
		return p, fmt.Errorf("%s: %s and %s must be at least 1", n.name(), width, height)
	}
	return p, nil
}

// points parses "x,y x,y ..." and, as older ALTO has them, "x y x y ...".
func points(text string) ([]document.Point, error) {
	numbers := strings.FieldsFunc(text, func(r rune) bool { return r == ',' || r == ' ' || r == '\n' || r == '\t' || r == '\r' })
	if len(numbers)%2 != 0 {
		return nil, fmt.Errorf("%q is not a list of points", shorten(text))
	}
	all := make([]document.Point, 0, len(numbers)/2)
	for i := 0; i < len(numbers); i += 2 {
		x, errX := strconv.ParseFloat(numbers[i], 64)
		y, errY := strconv.ParseFloat(numbers[i+1], 64)
		if errX != nil || errY != nil || !(math.Abs(x) <= maxSide) || !(math.Abs(y) <= maxSide) {
			return nil, fmt.Errorf("%q is not a list of points", shorten(text))
		}
		all = append(all, document.Point{X: int(math.Round(x)), Y: int(math.Round(y))})
	}
	return all, nil
}

// boxOf returns the smallest box around points. It ends at the largest coordinate, which need not be a pixel of the page.
func boxOf(all []document.Point) document.Box {
	if len(all) == 0 {
		return document.Box{}
	}
	left, top, right, bottom := all[0].X, all[0].Y, all[0].X, all[0].Y
	for _, p := range all[1:] {
		left, top, right, bottom = min(left, p.X), min(top, p.Y), max(right, p.X), max(bottom, p.Y)
	}
	return document.Box{X: left, Y: top, W: right - left, H: bottom - top}
}

// words returns the words of a text in a box, which they share in proportion to their characters.
func words(n *node, text string, box document.Box, confidence float64) ([]document.Word, error) {
	fields := strings.Fields(text)
	characters := utf8.RuneCountInString(strings.Join(fields, " "))
	var all []document.Word
	at := 0
	for _, field := range fields {
		clean := document.WordText(field)
		if clean == "" || utf8.RuneCountInString(clean) < utf8.RuneCountInString(field)-combining(field) {
			return nil, fmt.Errorf("%s: %q contains characters that no answer may contain", n.name(), shorten(field))
		}
		length := utf8.RuneCountInString(field)
		left, right := box.X+box.W*at/characters, box.X+box.W*(at+length)/characters
		all = append(all, document.Word{
			Text: clean, Confidence: confidence, Box: document.Box{X: left, Y: box.Y, W: max(1, right-left), H: box.H},
		})
		at += length + 1
	}
	return all, nil
}

// combining counts the characters that may disappear when a word is composed (NFC).
func combining(s string) (n int) {
	for _, r := range s {
		if unicode.Is(unicode.M, r) {
			n++
		}
	}
	return n
}

// maxShown is the longest piece of a file in a message, in characters.
const maxShown = 40

// shorten cuts a piece of a file for a message.
func shorten(s string) string {
	if r := []rune(s); len(r) > maxShown {
		return string(r[:maxShown]) + "..."
	}
	return s
}

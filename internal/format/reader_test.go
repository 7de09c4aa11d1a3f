package format_test

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"uncial/internal/document"
)

// node is an element of an XML document.
type node struct {
	name     string // without prefix
	attr     map[string]string
	text     string // its own character data
	children []*node
}

// parse reads a well-formed document and returns the parent of its root element.
func parse(source string) (*node, error) {
	d := xml.NewDecoder(strings.NewReader(source))
	d.Strict = true
	root := &node{}
	open := []*node{root}
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			if len(open) != 1 || len(root.children) != 1 {
				return nil, errors.New("not one complete element")
			}
			return root, nil
		}
		if err != nil {
			return nil, err
		}
		top := open[len(open)-1]
		switch token := token.(type) {
		case xml.StartElement:
			n := &node{name: token.Name.Local, attr: map[string]string{}}
			for _, a := range token.Attr {
				n.attr[a.Name.Local] = a.Value
			}
			top.children = append(top.children, n)
			open = append(open, n)
		case xml.EndElement:
			open = open[:len(open)-1]
		case xml.CharData:
			top.text += string(token)
		}
	}
}

// all returns the elements below n that match, in document order.
func (n *node) all(matches func(*node) bool) []*node {
	var found []*node
	for _, c := range n.children {
		if matches(c) {
			found = append(found, c)
		}
		found = append(found, c.all(matches)...)
	}
	return found
}

func named(name string) func(*node) bool { return func(n *node) bool { return n.name == name } }

func class(name string) func(*node) bool {
	return func(n *node) bool { return n.attr["class"] == name }
}

// dialect tells how an XML format names the levels of a document.
type dialect struct {
	page, block, line, word func(*node) bool
	id                      string
	text                    func(word *node) string
	box                     func(*node) (document.Box, error)
	confidence              func(word *node) string
}

var dialects = map[string]dialect{
	"hocr": {
		page: class("ocr_page"), block: class("ocr_carea"), line: class("ocr_line"), word: class("ocrx_word"), id: "id",
		text:       hocrText,
		box:        func(n *node) (document.Box, error) { return hocrBox(n.attr["title"]) },
		confidence: func(n *node) string { return property(n.attr["title"], "x_wconf") },
	},
	"alto": {
		page: named("Page"), block: named("TextBlock"), line: named("TextLine"), word: named("String"), id: "ID",
		text:       func(n *node) string { return n.attr["CONTENT"] },
		box:        altoBox,
		confidence: func(n *node) string { return n.attr["WC"] },
	},
	"page": {
		page: named("Page"), block: named("TextRegion"), line: named("TextLine"), word: named("Word"), id: "id",
		text:       pageText,
		box:        pageBox,
		confidence: func(n *node) string { return child(n, "TextEquiv").attr["conf"] },
	},
}

// read rebuilds the document from the elements.
func (d dialect) read(root *node) (*document.Document, error) {
	doc := &document.Document{}
	for _, p := range root.all(d.page) {
		box, err := d.box(p)
		if err != nil {
			return nil, err
		}
		page := document.Page{Width: box.W, Height: box.H}
		for _, b := range p.all(d.block) {
			block := document.Block{}
			if block.Box, err = d.box(b); err != nil {
				return nil, err
			}
			for _, l := range b.all(d.line) {
				line := document.Line{}
				if line.Box, err = d.box(l); err != nil {
					return nil, err
				}
				for _, w := range l.all(d.word) {
					box, err := d.box(w)
					if err != nil {
						return nil, err
					}
					line.Words = append(line.Words, document.Word{Box: box, Text: d.text(w)})
				}
				block.Lines = append(block.Lines, line)
			}
			page.Blocks = append(page.Blocks, block)
		}
		doc.Pages = append(doc.Pages, page)
	}
	return doc, nil
}

func child(n *node, name string) *node {
	i := slices.IndexFunc(n.children, named(name))
	if i < 0 {
		return &node{}
	}
	return n.children[i]
}

// hocrText returns the text of a word: that of ins if it has alternatives.
func hocrText(n *node) string {
	if chosen := n.all(named("ins")); len(chosen) > 0 {
		return chosen[0].text
	}
	return n.text
}

func pageText(n *node) string { return child(child(n, "TextEquiv"), "Unicode").text }

func property(title, name string) string {
	for p := range strings.SplitSeq(title, "; ") {
		if key, value, _ := strings.Cut(p, " "); key == name {
			return value
		}
	}
	return ""
}

func hocrBox(title string) (document.Box, error) {
	var x0, y0, x1, y1 int
	_, err := fmt.Sscanf(property(title, "bbox"), "%d %d %d %d", &x0, &y0, &x1, &y1)
	return document.Box{X: x0, Y: y0, W: x1 - x0, H: y1 - y0}, err
}

func altoBox(n *node) (document.Box, error) {
	var b document.Box
	if n.name == "Page" {
		_, err := fmt.Sscan(n.attr["WIDTH"], &b.W)
		_, err2 := fmt.Sscan(n.attr["HEIGHT"], &b.H)
		return b, errors.Join(err, err2)
	}
	_, err := fmt.Sscan(n.attr["HPOS"]+" "+n.attr["VPOS"]+" "+n.attr["WIDTH"]+" "+n.attr["HEIGHT"], &b.X, &b.Y, &b.W, &b.H)
	return b, err
}

func pageBox(n *node) (document.Box, error) {
	var b document.Box
	if n.name == "Page" {
		_, err := fmt.Sscan(n.attr["imageWidth"]+" "+n.attr["imageHeight"], &b.W, &b.H)
		return b, err
	}
	left, top, right, bottom := math.MaxInt, math.MaxInt, math.MinInt, math.MinInt
	for pair := range strings.FieldsSeq(child(n, "Coords").attr["points"]) {
		var x, y int
		if _, err := fmt.Sscanf(pair, "%d,%d", &x, &y); err != nil {
			return b, err
		}
		left, top, right, bottom = min(left, x), min(top, y), max(right, x), max(bottom, y)
	}
	return document.Box{X: left, Y: top, W: right - left, H: bottom - top}, nil
}

// readTSV rebuilds the document from the rows.
func readTSV(source string) (*document.Document, error) {
	doc := &document.Document{}
	rows := strings.Split(strings.TrimSuffix(source, "\n"), "\n")
	for _, row := range rows[1:] {
		f := strings.Split(row, "\t")
		if len(f) != 12 {
			return nil, fmt.Errorf("%d columns in %q", len(f), row)
		}
		var n [10]int
		for i := range n {
			if _, err := fmt.Sscan(f[i], &n[i]); err != nil {
				return nil, err
			}
		}
		box := document.Box{X: n[6], Y: n[7], W: n[8], H: n[9]}
		if n[0] == 1 {
			doc.Pages = append(doc.Pages, document.Page{Width: n[8], Height: n[9]})
			continue
		}
		page := &doc.Pages[n[1]-1]
		switch n[0] {
		case 2:
			page.Blocks = append(page.Blocks, document.Block{Box: box})
		case 4:
			block := &page.Blocks[n[2]-1]
			block.Lines = append(block.Lines, document.Line{Box: box})
		case 5:
			line := &page.Blocks[n[2]-1].Lines[n[4]-1]
			line.Words = append(line.Words, document.Word{Box: box, Text: f[11]})
		}
	}
	return doc, nil
}

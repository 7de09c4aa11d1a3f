package documents

import (
	"fmt"
	"slices"
)

// Graphic is a region of a document that is not text.
type Graphic struct {
	Page int // from 1
	Kind string
	Box  Box
}

// graphicKinds are the kinds of graphics in the contract.
var graphicKinds = []string{"illustration", "music"}

// ReadGraphics returns the illustrations and the music of a document in one of the formats alto, page and hocr, in the order of
// the file. The error names one that has an unknown kind, leaves its page or covers a word.
func ReadGraphics(format, text string) ([]Graphic, error) {
	doc, err := Read(format, text)
	if err != nil {
		return nil, err
	}
	root, err := parseXML(text)
	if err != nil {
		return nil, err
	}
	v, isGraphic, kindOf := graphicsIn(format)
	var found []Graphic
	top := &node{children: []*node{root}} // the root of PAGE-XML is its page
	for i, p := range top.all(v.is[pageKind]) {
		for _, n := range p.all(isGraphic) {
			box, err := v.box(n)
			if err != nil {
				return nil, fmt.Errorf("the graphic %s: %w", n.attr[v.id], err)
			}
			found = append(found, Graphic{Page: i + 1, Kind: kindOf(n), Box: box})
		}
	}
	for _, g := range found {
		if err := g.check(doc.Pages[g.Page-1]); err != nil {
			return nil, err
		}
	}
	return found, nil
}

// graphicsIn returns how a format writes graphics.
func graphicsIn(format string) (v *vocabulary, isGraphic func(*node) bool, kindOf func(*node) string) {
	switch format {
	case "alto":
		return &alto, named("Illustration"), func(n *node) string { return n.attr["TYPE"] }
	case "page":
		kinds := map[string]string{"ImageRegion": graphicKinds[0], "MusicRegion": graphicKinds[1]}
		return &page, named("ImageRegion", "MusicRegion"), func(n *node) string { return kinds[n.name] }
	}
	return &hocr, class("ocr_image"), func(n *node) string { return property(n.attr["title"], "x_kind") }
}

// check compares a graphic with its page.
func (g Graphic) check(on *Element) error {
	switch {
	case !slices.Contains(graphicKinds, g.Kind):
		return fmt.Errorf("a graphic has the kind %q; expected one of %q", g.Kind, graphicKinds)
	case g.Box.Left >= g.Box.Right || g.Box.Top >= g.Box.Bottom || !on.Box.Contains(g.Box):
		return fmt.Errorf("the box of the %s has no area or is not on its page: %v", g.Kind, g.Box)
	}
	for _, w := range on.Words() {
		if g.Box.ContainsCenter(w.Box) {
			return fmt.Errorf("the %s at %v covers the word %q", g.Kind, g.Box, w.Text)
		}
	}
	return nil
}

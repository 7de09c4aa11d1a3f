package documents

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
)

// node is an element of an XML document.
type node struct {
	space, name string
	attr        map[string]string // by local name
	text        string            // its own character data
	children    []*node
}

// parseXML reads one well-formed document whose ids (id, ID, xml:id, pcGtsId) are unique.
func parseXML(source string) (*node, error) {
	d := xml.NewDecoder(strings.NewReader(source))
	top := &node{}
	open := []*node{top}
	ids := map[string]bool{}
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, fmt.Errorf("the document is not well-formed XML: %w", err)
		}
		parent := open[len(open)-1]
		switch token := token.(type) {
		case xml.StartElement:
			n, err := newNode(token, ids)
			if err != nil {
				return nil, err
			}
			parent.children = append(parent.children, n)
			open = append(open, n)
		case xml.EndElement:
			open = open[:len(open)-1]
		case xml.CharData:
			if parent == top && strings.TrimSpace(string(token)) != "" {
				return nil, errors.New("the document is not well-formed XML: text stands outside the root element")
			}
			parent.text += string(token)
		}
	}
	if len(top.children) != 1 {
		return nil, fmt.Errorf("the document is not well-formed XML: it has %d root elements", len(top.children))
	}
	return top.children[0], nil
}

func newNode(start xml.StartElement, ids map[string]bool) (*node, error) {
	n := &node{space: start.Name.Space, name: start.Name.Local, attr: map[string]string{}}
	names := map[xml.Name]bool{}
	for _, a := range start.Attr {
		if names[a.Name] {
			return nil, fmt.Errorf("the document is not well-formed XML: <%s> has the attribute %s twice", n.name, a.Name.Local)
		}
		names[a.Name] = true
		if a.Name.Space != "" && n.attr[a.Name.Local] != "" {
			continue // the plain attribute goes before one of another vocabulary
		}
		n.attr[a.Name.Local] = a.Value
	}
	for _, name := range []string{"id", "ID", "pcGtsId"} {
		id, ok := n.attr[name]
		if !ok {
			continue
		}
		if id == "" || ids[id] {
			return nil, fmt.Errorf("the id %q of <%s> stands twice or is empty", id, n.name)
		}
		if err := n.checkID(id); err != nil {
			return nil, err
		}
		ids[id] = true
	}
	return n, nil
}

// all are the elements inside n for which is holds, in document order; it does not look inside those it found.
func (n *node) all(is func(*node) bool) []*node {
	var found []*node
	for _, c := range n.children {
		if is(c) {
			found = append(found, c)
			continue
		}
		found = append(found, c.all(is)...)
	}
	return found
}

func (n *node) first(name string) *node {
	for _, c := range n.children {
		if c.name == name {
			return c
		}
	}
	return nil
}

func named(names ...string) func(*node) bool {
	return func(n *node) bool { return slices.Contains(names, n.name) }
}

// integer reads a required attribute that holds a whole number of pixels.
func (n *node) integer(name string) (int, error) {
	v, err := strconv.Atoi(n.attr[name])
	if err != nil {
		return 0, fmt.Errorf("the attribute %s of <%s> must be a whole number, not %q", name, n.name, n.attr[name])
	}
	return v, nil
}

// fraction reads a required attribute that holds a confidence.
func (n *node) fraction(name string) (float64, error) {
	v, err := strconv.ParseFloat(n.attr[name], 64)
	if err != nil {
		return 0, fmt.Errorf("the attribute %s of <%s> must be a number, not %q", name, n.name, n.attr[name])
	}
	return v, nil
}

// spelling says how a vocabulary spells the levels of a document.
type spelling struct {
	is    map[Level]func(*node) bool
	id    string
	needs []Level // those whose elements must have an id
	box   func(*node) (Box, error)
	word  func(*node) (text string, confidence float64, err error)
	check func(*node, *Element) error // nil, or further rules for an element that was read
	// number is the number that a page gives itself, that of the first page, and whether there must be one; nil where
	// pages have none.
	number func(*node) (number string, first int, needed bool)
}

// read turns a node of a level into an element, with its parts.
func (s *spelling) read(n *node, level Level) (*Element, error) {
	e := &Element{Level: level, Name: n.attr[s.id]}
	if e.Name == "" && slices.Contains(s.needs, level) {
		return nil, fmt.Errorf("a %s has no %s", level, s.id)
	}
	var err error
	if e.Box, err = s.box(n); err != nil {
		return nil, fmt.Errorf("%s %s: %w", level, e.Name, err)
	}
	if level == Word {
		if e.Text, e.Confidence, err = s.word(n); err != nil {
			return nil, fmt.Errorf("word %s: %w", e.Name, err)
		}
		return e, nil
	}
	for _, c := range n.all(s.is[level+1]) {
		part, err := s.read(c, level+1)
		if err != nil {
			return nil, err
		}
		e.Parts = append(e.Parts, part)
	}
	if s.check != nil {
		if err := s.check(n, e); err != nil {
			return nil, fmt.Errorf("%s %s: %w", level, e.Name, err)
		}
	}
	return e, nil
}

// languages are the tags in attributes that name a language.
func (n *node) languages() []string {
	var all []string
	for _, name := range []string{"lang", "LANG"} {
		if tag := n.attr[name]; tag != "" {
			all = append(all, tag)
		}
	}
	for _, c := range n.children {
		all = append(all, c.languages()...)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// readAll reads the pages under root and wants every word of the file to stand in a line, a block and a page, and the
// pages to be numbered as they come.
func (s *spelling) readAll(root *node) (*Document, error) {
	doc := &Document{Languages: root.languages()}
	for i, p := range root.all(s.is[Page]) {
		page, err := s.read(p, Page)
		if err != nil {
			return nil, err
		}
		if s.number != nil {
			if number, want, needed := s.number(p); (number != "" || needed) && number != strconv.Itoa(i+want) {
				return nil, fmt.Errorf("page %s is numbered %q where %d is due", page.Name, number, i+want)
			}
		}
		doc.Pages = append(doc.Pages, page)
	}
	if all, placed := len(root.all(s.is[Word])), len(doc.Words()); all != placed {
		return nil, fmt.Errorf("%d of %d words do not stand in a line of a block of a page", all-placed, all)
	}
	return doc, nil
}

package documents

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"uncial/contracttests/internal/xsd"
)

// node is an element of an XML document.
type node struct {
	space, name string
	attr        map[string]string // by local name
	text        string            // its own character data
	children    []*node
	source      *xsd.Node // the element as it is written
}

// parseXML reads one well-formed document whose ids (id, ID, xml:id, pcGtsId) are unique. encoding/xml is laxer than XML 1.0
// in some points, which are checked here.
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
			if parent.source != nil {
				parent.source.Children = append(parent.source.Children, n.source)
			}
		case xml.EndElement:
			if last := open[len(open)-1]; last.source != nil {
				last.source.Text = last.text
			}
			open = open[:len(open)-1]
		case xml.Directive, xml.ProcInst:
			if err := checkDeclaration(token); err != nil {
				return nil, err
			}
		// encoding/xml accepts text outside of the root element.
		case xml.CharData:
			if parent == top && strings.TrimSpace(string(token)) != "" {
				return nil, errors.New("the document is not well-formed XML: text outside the root element")
			}
			parent.text += string(token)
		}
	}
	if len(top.children) != 1 {
		return nil, fmt.Errorf("the document is not well-formed XML: it has %d root elements", len(top.children))
	}
	return top.children[0], nil
}

// htmlType is the document type of hOCR: that of HTML, or of XHTML as Tesseract writes it.
var htmlType = regexp.MustCompile(`(?is)^DOCTYPE\s+html(?:\s+PUBLIC\s+"-//W3C//DTD XHTML [^"]*"\s+"http://www\.w3\.org/[^"]*")?\s*$`)

// checkDeclaration refuses what makes a reader load or run something: entities, foreign document types, style sheets.
func checkDeclaration(token xml.Token) error {
	switch t := token.(type) {
	case xml.Directive:
		if !htmlType.Match(t) {
			return fmt.Errorf("the document declares <!%s>; it must not have a document type of its own or entities", t[:min(len(t), 40)])
		}
	case xml.ProcInst:
		if t.Target != "xml" {
			return fmt.Errorf("the document has the instruction <?%s?>, which programs may follow", t.Target)
		}
	}
	return nil
}

// newNode reads a start tag. encoding/xml accepts repeated attributes, so they are refused here (XML 1.0, section
// 3.1).
func newNode(start xml.StartElement, ids map[string]bool) (*node, error) {
	n := &node{space: start.Name.Space, name: start.Name.Local, attr: map[string]string{}}
	n.source = &xsd.Node{Name: start.Name, Attr: slices.Clone(start.Attr)}
	names := map[xml.Name]bool{}
	for _, a := range start.Attr {
		if names[a.Name] {
			return nil, fmt.Errorf("the document is not well-formed XML: <%s> repeats the attribute %s", n.name, a.Name.Local)
		}
		names[a.Name] = true
		// xml:lang and lang can occur together in XHTML.
		if a.Name.Space != "" && n.attr[a.Name.Local] != "" {
			continue // an attribute without a namespace has precedence
		}
		n.attr[a.Name.Local] = a.Value
	}
	// Ids share one name space per document, whatever the element (XML 1.0, section 3.3.1).
	for _, name := range []string{"id", "ID", "pcGtsId"} {
		id, ok := n.attr[name]
		if !ok {
			continue
		}
		if id == "" || ids[id] {
			return nil, fmt.Errorf("the id %q of <%s> is repeated or empty", id, n.name)
		}
		if err := n.checkID(id); err != nil {
			return nil, err
		}
		ids[id] = true
	}
	return n, nil
}

// all returns the descendants that match, in document order, without the descendants of matches.
func (n *node) all(matches func(*node) bool) []*node {
	var found []*node
	for _, c := range n.children {
		if matches(c) {
			found = append(found, c)
			continue
		}
		found = append(found, c.all(matches)...)
	}
	return found
}

// first is the first child of the name, or nil. Unlike all it does not look deeper.
func (n *node) first(name string) *node {
	for _, c := range n.children {
		if c.name == name {
			return c
		}
	}
	return nil
}

// count returns the number of children of that name.
func (n *node) count(name string) int {
	i := 0
	for _, c := range n.children {
		if c.name == name {
			i++
		}
	}
	return i
}

// named matches elements by name, whatever their namespace: sameSpace and the readers check namespaces once for the whole
// document.
func named(names ...string) func(*node) bool {
	return func(n *node) bool { return slices.Contains(names, n.name) }
}

// integers reads required attributes that hold whole numbers of pixels.
func (n *node) integers(names ...string) ([]int, error) {
	values := make([]int, len(names))
	for i, name := range names {
		var err error
		if values[i], err = strconv.Atoi(n.attr[name]); err != nil {
			return values, fmt.Errorf("the attribute %s of <%s> must be a whole number, not %q", name, n.name, n.attr[name])
		}
	}
	return values, nil
}

// fraction reads a required attribute that holds a confidence from 0 to 1; Element.check tests the range.
func (n *node) fraction(name string) (float64, error) {
	v, err := strconv.ParseFloat(n.attr[name], 64)
	if err != nil {
		return 0, fmt.Errorf("the attribute %s of <%s> must be a number, not %q", name, n.name, n.attr[name])
	}
	return v, nil
}

// vocabulary says how a format expresses the levels of a document. A problem that is specific to a format belongs in its
// vocabulary or reader; problems that all formats share belong in Element.check.
type vocabulary struct {
	is    map[kind]func(*node) bool
	id    string
	needs []kind // those whose elements must have an id
	box   func(*node) (Box, error)
	word  func(*node) (text string, confidence float64, err error)
	// others returns the other readings of a word, the likeliest first. The error says how they break the rules of the format.
	others func(*node) ([]string, error)
	check  func(*node, *Element) error // more rules for an element, or nil
	// number is the number that a page states, that of the first page, and whether it is required. nil if pages have no
	// numbers.
	number func(*node) (number string, first int, needed bool)
}

// read converts a node of a level into an element with its parts. Elements between two levels are skipped: the lines of a
// block are those below it at any depth.
func (v *vocabulary) read(n *node, level kind) (*Element, error) {
	e := &Element{kind: level, Name: n.attr[v.id]}
	if e.Name == "" && slices.Contains(v.needs, level) {
		return nil, fmt.Errorf("a %s has no %s", level, v.id)
	}
	var err error
	if e.Box, err = v.box(n); err != nil {
		return nil, fmt.Errorf("%s %s: %w", level, e.Name, err)
	}
	if level == wordKind {
		if e.Text, e.Confidence, err = v.word(n); err != nil {
			return nil, fmt.Errorf("word %s: %w", e.Name, err)
		}
		if e.Others, err = v.others(n); err != nil {
			return nil, fmt.Errorf("word %s: %w", e.Name, err)
		}
		return e, nil
	}
	for _, c := range n.all(v.is[level+1]) {
		part, err := v.read(c, level+1)
		if err != nil {
			return nil, err
		}
		e.Parts = append(e.Parts, part)
	}
	if v.check != nil {
		if err := v.check(n, e); err != nil {
			return nil, fmt.Errorf("%s %s: %w", level, e.Name, err)
		}
	}
	return e, nil
}

// languages are the tags in the attributes lang and LANG of the element and all below it, sorted, each once.
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

// readAll reads the pages under root. Every word of the file must be in a line of a block of a page, and pages must be
// numbered in order.
func (v *vocabulary) readAll(root *node) (*Document, error) {
	doc := &Document{Languages: root.languages(), hasOthers: true}
	for i, p := range root.all(v.is[pageKind]) {
		page, err := v.read(p, pageKind)
		if err != nil {
			return nil, err
		}
		if v.number != nil {
			if number, want, needed := v.number(p); (number != "" || needed) && number != strconv.Itoa(i+want) {
				return nil, fmt.Errorf("page %s has the number %q; expected %d", page.Name, number, i+want)
			}
		}
		doc.Pages = append(doc.Pages, page)
	}
	// Words elsewhere would be missing in the text without notice.
	if all, placed := len(root.all(v.is[wordKind])), len(doc.Words()); all != placed {
		return nil, fmt.Errorf("%d of %d words are not in a line of a block of a page", all-placed, all)
	}
	return doc, nil
}

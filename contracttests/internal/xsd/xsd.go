// Package xsd validates elements against XML schemas (XML Schema 1.0, parts 1 and 2), as much of it as the schemas of ALTO and
// PAGE-XML use: sequences, choices, groups, extensions, attributes, the built-in types that occur there, lists, unions,
// enumerations, patterns, ranges, identifiers and references. Parse refuses patterns that Go cannot express. Features that
// those schemas do not use, such as keys, are ignored: before you add another schema, check which it uses.
//
// Start with Schema.Validate. Types of text are in simple.go.
package xsd

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
)

// Node is an element of a document or of a schema.
type Node struct {
	Name     xml.Name
	Attr     []xml.Attr // without declarations of namespaces
	Text     string     // its own character data
	Children []*Node
}

// attr is an attribute without a namespace, or "".
func (n *Node) attr(name string) string {
	for _, a := range n.Attr {
		if a.Name.Space == "" && a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}

// Schema is a prepared schema. It is immutable and safe for concurrent use.
type Schema struct {
	space      string
	components map[string]map[string]*Node // by kind, such as "complexType", and name
	patterns   patterns
}

// Parse prepares a schema. It fails for text that is not well-formed XML, and for a pattern that is not a regular expression of
// Go.
func Parse(text []byte) (*Schema, error) {
	root, err := read(text)
	if err != nil {
		return nil, err
	}
	s := &Schema{space: root.attr("targetNamespace"), components: map[string]map[string]*Node{}}
	for _, c := range root.Children {
		kind := c.Name.Local
		if s.components[kind] == nil {
			s.components[kind] = map[string]*Node{}
		}
		s.components[kind][c.attr("name")] = c
	}
	return s, s.preparePatterns(root)
}

// read reads well-formed XML.
func read(text []byte) (*Node, error) {
	d := xml.NewDecoder(strings.NewReader(string(text)))
	top := &Node{}
	open := []*Node{top}
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err
		}
		switch t := token.(type) {
		case xml.StartElement:
			n := &Node{Name: t.Name, Attr: slices.Clone(t.Attr)}
			open[len(open)-1].Children = append(open[len(open)-1].Children, n)
			open = append(open, n)
		case xml.EndElement:
			open = open[:len(open)-1]
		case xml.CharData:
			open[len(open)-1].Text += string(t)
		}
	}
	if len(top.Children) != 1 {
		return nil, errors.New("a schema must have exactly one root")
	}
	return top.Children[0], nil
}

// local is a name without the prefix of its namespace.
func local(name string) string {
	_, after, found := strings.Cut(name, ":")
	if found {
		return after
	}
	return name
}

// run is one validation: it collects identifiers and the references to them.
type run struct {
	*Schema
	ids  map[string]bool
	refs map[string]string // to the element that refers
}

// Validate checks an element that the schema declares globally, with all below it. The error is one sentence about the first
// problem.
func (s *Schema) Validate(root *Node) error {
	declaration := s.components["element"][root.Name.Local]
	if declaration == nil || root.Name.Space != s.space {
		return fmt.Errorf("the schema has no root <%s> in the namespace %q", root.Name.Local, root.Name.Space)
	}
	r := &run{s, map[string]bool{}, map[string]string{}}
	if err := r.element(root, declaration); err != nil {
		return err
	}
	for ref, element := range r.refs {
		if !r.ids[ref] {
			return fmt.Errorf("<%s> refers to %q, but no element has this id", element, ref)
		}
	}
	return nil
}

// element checks an element against its declaration.
func (r *run) element(n, declaration *Node) error {
	if name := declaration.attr("type"); name != "" {
		if t := r.components["complexType"][local(name)]; t != nil && !isBuiltIn(name) {
			return r.complexType(n, t)
		}
		return r.simpleElement(n, name, nil)
	}
	for _, c := range declaration.Children {
		switch c.Name.Local {
		case "complexType":
			return r.complexType(n, c)
		case "simpleType":
			return r.simpleElement(n, "", c)
		}
	}
	return nil // any type
}

// isBuiltIn reports whether a type is one of XML Schema. Schemas use the prefix xsd, or none if XML Schema is the default; a
// type of their own with such a name does not occur.
func isBuiltIn(name string) bool { return strings.HasPrefix(name, "xsd:") }

// simpleElement checks an element that has text and nothing else.
func (r *run) simpleElement(n *Node, name string, inline *Node) error {
	if len(n.Children) > 0 {
		return fmt.Errorf("<%s> must not have the child <%s>", n.Name.Local, n.Children[0].Name.Local)
	}
	if err := r.attributes(n, nil); err != nil {
		return err
	}
	return r.value(n, "the text", n.Text, name, inline)
}

// complexType checks an element with attributes and children.
func (r *run) complexType(n, t *Node) error {
	var declared, particles []*Node
	text, hasText := "", false
	for at := t; at != nil; {
		var base *Node
		var more []*Node
		for _, c := range at.Children {
			switch c.Name.Local {
			case "complexContent", "simpleContent":
				extension := c.Children[len(c.Children)-1]
				more = append(more, extension.Children...)
				if c.Name.Local == "simpleContent" {
					text, hasText = extension.attr("base"), true
				} else {
					base = r.components["complexType"][local(extension.attr("base"))]
				}
			default:
				more = append(more, c)
			}
		}
		var own []*Node
		for _, c := range more {
			switch c.Name.Local {
			case "attribute", "attributeGroup":
				declared = append(declared, c)
			case "sequence", "choice", "group", "all":
				own = append(own, c)
			}
		}
		particles, at = append(own, particles...), base // the content of the base comes first
	}
	if err := r.attributes(n, declared); err != nil {
		return err
	}
	if hasText {
		return r.value(n, "the text", n.Text, text, nil)
	}
	if strings.TrimSpace(n.Text) != "" {
		return fmt.Errorf("<%s> must not have text of its own: %q", n.Name.Local, strings.TrimSpace(n.Text)[:min(20, len(strings.TrimSpace(n.Text)))])
	}
	return r.content(n, particles)
}

// content checks the children of an element. Schemas are deterministic (part 1, section 3.8.6), so it never backtracks.
func (r *run) content(n *Node, particles []*Node) error {
	next := 0
	for _, p := range particles {
		var err error
		if next, err = r.particle(n, p, next); err != nil {
			return err
		}
	}
	if next < len(n.Children) {
		return fmt.Errorf("<%s> must not have the child <%s> there", n.Name.Local, n.Children[next].Name.Local)
	}
	return nil
}

// particle matches children from next on, as often as the particle may occur, and returns the next one.
func (r *run) particle(n, p *Node, next int) (int, error) {
	minOccurs, maxOccurs := 1, 1
	if v := p.attr("minOccurs"); v != "" {
		minOccurs, _ = strconv.Atoi(v)
	}
	if v := p.attr("maxOccurs"); v == "unbounded" {
		maxOccurs = len(n.Children) + 1
	} else if v != "" {
		maxOccurs, _ = strconv.Atoi(v)
	}
	for i := range maxOccurs {
		if next >= len(n.Children) || !r.starts(p, n.Children[next]) {
			if i < minOccurs && !r.isEmptiable(p) {
				return next, fmt.Errorf("<%s> lacks %s", n.Name.Local, strings.Join(r.firsts(p), " or "))
			}
			break
		}
		before := next
		var err error
		if next, err = r.once(n, p, next); err != nil || next == before {
			return next, err
		}
	}
	return next, nil
}

// once matches one occurrence of a particle that the next child starts.
func (r *run) once(n, p *Node, next int) (int, error) {
	var err error
	switch p.Name.Local {
	case "element":
		return next + 1, r.element(n.Children[next], r.declaration(p))
	case "any":
		return next + 1, nil
	case "choice":
		for _, c := range r.parts(p) {
			if r.starts(c, n.Children[next]) {
				return r.particle(n, c, next)
			}
		}
	default:
		for _, c := range r.parts(p) {
			if next, err = r.particle(n, c, next); err != nil {
				return next, err
			}
		}
	}
	return next, nil
}

// declaration is what a local element refers to, or the element itself.
func (r *run) declaration(p *Node) *Node {
	if ref := p.attr("ref"); ref != "" {
		return r.components["element"][local(ref)]
	}
	return p
}

// parts are the particles in a sequence, a choice or a group.
func (r *run) parts(p *Node) (all []*Node) {
	if p.Name.Local == "group" {
		p = r.components["group"][local(p.attr("ref"))]
	}
	for _, c := range p.Children {
		if slices.Contains([]string{"element", "any", "sequence", "choice", "group", "all"}, c.Name.Local) {
			all = append(all, c)
		}
	}
	return all
}

// starts reports whether the child can be the first of a particle.
func (r *run) starts(p, child *Node) bool {
	switch p.Name.Local {
	case "element":
		return child.Name.Local == r.declaration(p).attr("name") && child.Name.Space == r.space
	case "any":
		return true
	case "choice", "all":
		return slices.ContainsFunc(r.parts(p), func(c *Node) bool { return r.starts(c, child) })
	}
	for _, c := range r.parts(p) {
		if r.starts(c, child) {
			return true
		}
		if c.attr("minOccurs") != "0" && !r.isEmptiable(c) {
			return false
		}
	}
	return false
}

// isEmptiable reports whether one occurrence of a particle may have no children.
func (r *run) isEmptiable(p *Node) bool {
	isOptional := func(c *Node) bool { return c.attr("minOccurs") == "0" || r.isEmptiable(c) }
	switch p.Name.Local {
	case "element", "any":
		return false
	case "choice":
		return slices.ContainsFunc(r.parts(p), isOptional)
	}
	return !slices.ContainsFunc(r.parts(p), func(c *Node) bool { return !isOptional(c) })
}

// firsts are the names that a particle can begin with, for messages.
func (r *run) firsts(p *Node) (names []string) {
	if p.Name.Local == "element" {
		return []string{"<" + r.declaration(p).attr("name") + ">"}
	}
	for _, c := range r.parts(p) {
		names = append(names, r.firsts(c)...)
		if p.Name.Local != "choice" && c.attr("minOccurs") != "0" {
			break
		}
	}
	return names
}

package xsd

import (
	"encoding/xml"
	"errors"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Namespaces whose attributes any element may have.
const (
	instanceSpace = "http://www.w3.org/2001/XMLSchema-instance"
	xmlSpace      = "http://www.w3.org/XML/1998/namespace"
	xlinkSpace    = "http://www.w3.org/1999/xlink"
)

// attributes checks the attributes of an element: all that are required, and no others.
func (r *run) attributes(n *Node, declared []*Node) error {
	known := map[string]*Node{}
	r.collect(declared, known)
	for _, a := range n.Attr {
		if a.Name.Space == "xmlns" || a.Name.Local == "xmlns" || slices.Contains([]string{instanceSpace, xmlSpace, xlinkSpace, "xml"}, a.Name.Space) {
			continue
		}
		d := known[a.Name.Local]
		if d == nil || a.Name.Space != "" {
			return fmt.Errorf("<%s> must not have the attribute %s", n.Name.Local, a.Name.Local)
		}
		var inline *Node
		for _, c := range d.Children {
			if c.Name.Local == "simpleType" {
				inline = c
			}
		}
		if err := r.value(n, "the attribute "+a.Name.Local, a.Value, d.attr("type"), inline); err != nil {
			return err
		}
	}
	for name, d := range known {
		if d.attr("use") == "required" && !slices.ContainsFunc(n.Attr, func(a xml.Attr) bool { return a.Name.Local == name && a.Name.Space == "" }) {
			return fmt.Errorf("<%s> lacks the attribute %s", n.Name.Local, name)
		}
	}
	return nil
}

// collect finds the declarations of attributes, those in groups included.
func (r *run) collect(declared []*Node, known map[string]*Node) {
	for _, d := range declared {
		switch {
		case d.Name.Local == "attributeGroup":
			if group := r.components["attributeGroup"][local(d.attr("ref"))]; group != nil { // that of XLink is not ours
				r.collect(group.Children, known)
			}
		case d.Name.Local != "attribute":
		case d.attr("ref") != "":
			if global := r.components["attribute"][local(d.attr("ref"))]; global != nil {
				known[global.attr("name")] = global
			}
		default:
			known[d.attr("name")] = d
		}
	}
}

// value checks a text against a type: a name, or a type inside the declaration. what names it in the error.
func (r *run) value(n *Node, what, text, name string, inline *Node) error {
	if err := r.simple(n, text, name, inline); err != nil {
		return fmt.Errorf("%s of <%s> is %q: %w", what, n.Name.Local, text[:min(len(text), 60)], err)
	}
	return nil
}

// simple checks text against a simple type: the one defined in place (inline), else the one of that name, in the schema or
// built in. A union accepts what one of its members accepts.
func (r *run) simple(n *Node, text, name string, inline *Node) error {
	t := inline
	if t == nil && !isBuiltIn(name) {
		t = r.components["simpleType"][local(name)]
	}
	if t == nil {
		return r.builtIn(n, local(name), text)
	}
	for _, c := range t.Children {
		switch c.Name.Local {
		case "restriction":
			return r.restriction(n, text, c)
		case "list":
			item := innerType(c)
			for word := range strings.FieldsSeq(text) {
				if err := r.simple(n, word, c.attr("itemType"), item); err != nil {
					return err
				}
			}
			return nil
		case "union":
			for member := range strings.FieldsSeq(c.attr("memberTypes")) {
				if r.simple(n, text, member, nil) == nil {
					return nil
				}
			}
			return errors.New("it has none of the forms that the schema permits")
		}
	}
	return nil
}

// innerType is the simpleType inside an element of a schema, or nil.
func innerType(n *Node) *Node {
	for _, c := range n.Children {
		if c.Name.Local == "simpleType" {
			return c
		}
	}
	return nil
}

// restriction checks the facets of a type, and its base.
func (r *run) restriction(n *Node, text string, restriction *Node) error {
	if err := r.simple(n, text, restriction.attr("base"), innerType(restriction)); err != nil {
		return err
	}
	value := strings.TrimSpace(text)
	if local(restriction.attr("base")) == "string" {
		value = text
	}
	var listed []string
	for _, f := range restriction.Children {
		limit := f.attr("value")
		switch f.Name.Local {
		case "enumeration":
			listed = append(listed, limit)
		case "pattern":
			if !r.patterns[limit].MatchString(value) {
				return fmt.Errorf("it does not match %s", limit)
			}
		case "minInclusive", "maxInclusive":
			v, _ := strconv.ParseFloat(value, 64) // the base was checked
			l, _ := strconv.ParseFloat(limit, 64)
			if f.Name.Local == "minInclusive" && v < l || f.Name.Local == "maxInclusive" && v > l || math.IsNaN(v) {
				return fmt.Errorf("the limit is %s", limit)
			}
		case "length", "minLength", "maxLength":
			v, l := len([]rune(value)), 0
			l, _ = strconv.Atoi(limit)
			if f.Name.Local == "length" && v != l || f.Name.Local == "minLength" && v < l || f.Name.Local == "maxLength" && v > l {
				return fmt.Errorf("its length must be %s", limit)
			}
		}
	}
	if listed != nil && !slices.Contains(listed, value) {
		return errors.New("it is not in the list of the schema")
	}
	return nil
}

// patterns are the compiled patterns of a schema, by their text.
type patterns map[string]*regexp.Regexp

// preparePatterns compiles the patterns of all simple types. The regular expressions of XML Schema are anchored, those of Go
// are not. A pattern that Go does not know is an error of the schema, so that no check is silently left out.
func (s *Schema) preparePatterns(n *Node) error {
	if s.patterns == nil {
		s.patterns = patterns{}
	}
	if n.Name.Local == "pattern" {
		p, err := regexp.Compile("^(?:" + n.attr("value") + ")$")
		if err != nil {
			return fmt.Errorf("a pattern of the schema is not a regular expression of Go: %w", err)
		}
		s.patterns[n.attr("value")] = p
	}
	for _, c := range n.Children {
		if err := s.preparePatterns(c); err != nil {
			return err
		}
	}
	return nil
}

// ncName is a name without a colon, which identifiers are.
var ncName = regexp.MustCompile(`^[\p{L}_][\p{L}\p{M}\p{N}._\x{B7}-]*$`)

// lexical are the forms of the built-in types that are regular.
var lexical = map[string]*regexp.Regexp{
	"int": regexp.MustCompile(`^[+-]?\d+$`), "integer": regexp.MustCompile(`^[+-]?\d+$`), "long": regexp.MustCompile(`^[+-]?\d+$`), "positiveInteger": regexp.MustCompile(`^\+?0*[1-9]\d*$`), "nonNegativeInteger": regexp.MustCompile(`^(?:\+?\d+|-0+)$`),
	"float": regexp.MustCompile(`^(?:[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?|-?INF|NaN)$`), "double": regexp.MustCompile(`^(?:[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?|-?INF|NaN)$`), "decimal": regexp.MustCompile(`^[+-]?(?:\d+(?:\.\d*)?|\.\d+)$`),
	"boolean": regexp.MustCompile(`^(?:true|false|0|1)$`), "language": regexp.MustCompile(`^[a-zA-Z]{1,8}(?:-[a-zA-Z0-9]{1,8})*$`), "gYear": regexp.MustCompile(`^-?\d{4,}(?:Z|[+-]\d\d:\d\d)?$`), "gYearMonth": regexp.MustCompile(`^-?\d{4,}-\d\d(?:Z|[+-]\d\d:\d\d)?$`),
	"ID": ncName, "IDREF": ncName, "NCName": ncName,
}

// builtIn checks a type of XML Schema, part 2. Types of free text accept everything.
func (r *run) builtIn(n *Node, name, text string) error {
	value := strings.TrimSpace(text)
	if form := lexical[name]; form != nil && !form.MatchString(value) {
		return fmt.Errorf("expected a value of the type %s", name)
	}
	switch name {
	case "ID":
		if r.ids[value] {
			return errors.New("another element has the same id")
		}
		r.ids[value] = true
	case "IDREF":
		r.refs[value] = n.Name.Local
	case "IDREFS":
		if value == "" {
			return errors.New("it refers to nothing")
		}
		for ref := range strings.FieldsSeq(value) {
			r.refs[ref] = n.Name.Local
		}
	case "dateTime":
		for _, layout := range []string{time.RFC3339, "2006-01-02T15:04:05"} {
			if _, err := time.Parse(layout, value); err == nil {
				return nil
			}
		}
		return errors.New("it is not a date and time that exists")
	case "date":
		for _, layout := range []string{"2006-01-02", "2006-01-02Z07:00"} {
			if _, err := time.Parse(layout, value); err == nil {
				return nil
			}
		}
		return errors.New("it is not a date that exists")
	case "int":
		if _, err := strconv.ParseInt(value, 10, 32); err != nil {
			return errors.New("it exceeds 32 bits")
		}
	}
	return nil
}

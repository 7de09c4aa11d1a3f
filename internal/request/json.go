package request

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"uncial/internal/fair"
)

// Limits of a body. A request of the contract has one level and four values; a larger one is an attack or a mistake.
const (
	maxDepth  = 32    // levels of arrays and objects
	maxValues = 1_000 // of all levels together
)

// parser reads one JSON text (RFC 8259) as strictly as I-JSON (RFC 7493): UTF-8, no byte order mark, no lone surrogates,
// nothing after the value. Values are those of encoding/json with UseNumber. Strictness is a safeguard: if a
// proxy and the server could read a body differently, a request could bypass the rules of the proxy.
type parser struct {
	source
	path        []string             // names and indices that lead to the current value
	values      int                  // read so far
	unescaped   []byte               // characters of a string or number, reused
	images      []string             // top-level names of the URLs of images
	urls        map[string]*imageURL // the URLs of images that arrived in parts, by name; of a repeated name the last one
	length      int64                // of the body, -1 if not known
	reservation *fair.Reservation    // of the memory for images; nil counts nothing
	problems    *problems
}

// newParser returns a parser of a body of length bytes, or -1 if the length is unknown. images are the names of the properties
// that are URLs of images; problems are added to f.
func newParser(body io.Reader, length int64, images []string, f *problems) *parser {
	return &parser{source: newSource(body, length), length: length, images: images, problems: f}
}

// parse reads the whole body. Repeated names are added to the problems, so that they are reported along with others. The
// error says what is wrong and where, for the client.
func (p *parser) parse() (any, error) {
	v, err := p.text()
	if problem := p.drain(); problem != nil {
		return nil, problem
	}
	return v, err
}

// text reads a value and nothing after it. Problems of the whole text have no position, those at a byte do.
func (p *parser) text() (any, error) {
	switch {
	case len(p.peek(1)) == 0:
		return nil, errors.New("is empty; must be a JSON object")
	case string(p.peek(len("\ufeff"))) == "\ufeff":
		return nil, errors.New("must not begin with a byte order mark")
	}
	p.space()
	v, err := p.value()
	if err != nil {
		return nil, err
	}
	p.space()
	if len(p.peek(1)) > 0 {
		return nil, p.problem("has data after the JSON value")
	}
	return v, nil
}

// problem is an error at the next byte.
func (p *parser) problem(text string) error {
	return fmt.Errorf("%s (line %d, column %d)", text, p.line, p.column)
}

// unexpected is the error for a next byte that the grammar does not allow. want names what it does allow.
func (p *parser) unexpected(want string) error {
	if len(p.peek(1)) == 0 {
		return p.problem("is not JSON: it ends where " + want + " is expected")
	}
	return p.problem("is not JSON: " + want + " is expected")
}

// space skips the white space of RFC 8259, section 2. Between most tokens there is none, so this must be fast.
func (p *parser) space() {
	for p.next() <= ' ' {
		b := p.buffered()
		n := 0
		for n < len(b) && (b[n] == ' ' || b[n] == '\t' || b[n] == '\n' || b[n] == '\r') {
			n++
		}
		p.discard(n)
		if n < len(b) || n == 0 {
			return
		}
	}
}

// next returns the next byte without consuming it, 0 at the end. No JSON token begins with 0.
func (p *parser) next() byte {
	if p.start == p.end && len(p.peek(1)) == 0 {
		return 0
	}
	return p.buffer[p.start]
}

// consume skips c if it is the next byte, and reports whether it was. c is ASCII and not a line feed, so the position
// moves by one column.
func (p *parser) consume(c byte) bool {
	if p.next() != c {
		return false
	}
	p.start++
	p.column++
	return true
}

// value reads any value. The limits come first, so that parsing a hostile body stops early; its rest is only drained.
func (p *parser) value() (any, error) {
	if p.values++; p.values > maxValues {
		return nil, errors.New("must not have more than 1,000 values")
	}
	if len(p.path) > maxDepth {
		return nil, fmt.Errorf("must not nest deeper than %d levels", maxDepth)
	}
	switch c := p.next(); {
	case c == '{':
		return p.object()
	case c == '[':
		return p.array()
	case c == '"' && len(p.path) == 1 && slices.Contains(p.images, p.path[0]):
		return p.imageURL(p.path[0])
	case c == '"':
		return p.string()
	case c == '-' || '0' <= c && c <= '9':
		return p.number()
	default:
		return p.literal()
	}
}

var literals = []struct {
	word  string
	value any
}{{"true", true}, {"false", false}, {"null", nil}}

// literal reads true, false or null. Nothing is consumed if it is none of them, so that the error has the position of its
// first letter.
func (p *parser) literal() (any, error) {
	for _, l := range literals {
		if string(p.peek(len(l.word))) == l.word {
			p.discard(len(l.word))
			return l.value, nil
		}
	}
	return nil, p.unexpected("a value")
}

// object reads an object. Names are compared after unescaping (RFC 7493, section 2.3).
func (p *parser) object() (any, error) {
	object := map[string]any{}
	more, err := p.open('{', '}'), error(nil)
	for more && err == nil {
		if err = p.member(object); err == nil {
			more, err = p.another('}')
		}
	}
	return object, err
}

// array reads an array whose first byte has been seen. Its elements are positions in the path of a problem, counted from 0.
func (p *parser) array() (any, error) {
	array := []any{}
	more, err := p.open('[', ']'), error(nil)
	for more && err == nil {
		var v any
		if v, err = p.valueAt(strconv.Itoa(len(array))); err == nil {
			array = append(array, v)
			more, err = p.another(']')
		}
	}
	return array, err
}

// open begins an object or array, and reports whether it has an element.
func (p *parser) open(opening, closing byte) (more bool) {
	p.consume(opening)
	p.space()
	return !p.consume(closing)
}

// another ends an element of an object or array, and reports whether one more follows.
func (p *parser) another(closing byte) (more bool, err error) {
	p.space()
	if p.consume(closing) {
		return false, nil
	}
	if !p.consume(',') {
		return false, p.unexpected(fmt.Sprintf(`"," or "%c"`, closing))
	}
	p.space()
	return true, nil
}

// member reads a name and its value into the object. If a name is repeated, the last value is kept, and the repetition is
// a problem.
func (p *parser) member(object map[string]any) error {
	if p.next() != '"' {
		return p.unexpected("a name in double quotes")
	}
	name, err := p.string()
	if err != nil {
		return err
	}
	p.space()
	if !p.consume(':') {
		return p.unexpected(`":"`)
	}
	p.space()
	if _, repeated := object[name]; repeated {
		p.problems.add(fieldName(append(p.path, name)), "is given twice")
	}
	object[name], err = p.valueAt(name)
	return err
}

// valueAt reads a value whose name or index in the current one is step.
func (p *parser) valueAt(step string) (any, error) {
	p.path = append(p.path, step)
	defer func() { p.path = p.path[:len(p.path)-1] }()
	return p.value()
}

const digits = "0123456789"

// number reads a number (RFC 8259, section 6). Its text is cut like that of a string: openapi.yaml allows no number that
// long.
func (p *parser) number() (any, error) {
	text := cutText{kept: p.unescaped[:0]}
	// one consumes the next byte if it is in set.
	one := func(set string) bool {
		c := p.next()
		if c == 0 || strings.IndexByte(set, c) < 0 {
			return false
		}
		text.write([]byte{c})
		return p.consume(c)
	}
	// many consumes digits, and reports whether there was one.
	many := func() (found bool) {
		for one(digits) {
			found = true
		}
		return found
	}
	one("-")
	if !one("0") && !many() || one(".") && !many() {
		return nil, p.unexpected("a digit")
	}
	if one("eE") {
		one("+-")
		if !many() {
			return nil, p.unexpected("a digit")
		}
	}
	p.unescaped = text.kept
	return json.Number(text.String()), nil
}

package edge

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

const (
	maxDepth  = 32    // levels of arrays and objects
	maxValues = 1_000 // in one body
)

// parseJSON reads one JSON text (RFC 8259) as strictly as I-JSON (RFC 7493) asks: UTF-8, no byte order mark, no lone
// surrogates, nothing after the value. Repeated names are noted as faults, so that they are told along with others. Strings
// without escapes are slices of s: an inline image is not copied. Values are those of encoding/json with UseNumber.
// The error says what is wrong and where, for the caller's eyes.
func parseJSON(s string, f *faults) (any, error) {
	switch {
	case s == "":
		return nil, fmt.Errorf("is empty; must be a JSON object")
	case strings.HasPrefix(s, "\ufeff"):
		return nil, fmt.Errorf("must not begin with a byte order mark")
	case !utf8.ValidString(s):
		return nil, fmt.Errorf("must be UTF-8")
	}
	p := parser{s: s, faults: f}
	p.space()
	v, err := p.value()
	if err != nil {
		return nil, err
	}
	p.space()
	if p.i < len(s) {
		return nil, p.fault("has data after the JSON value")
	}
	return v, nil
}

type parser struct {
	s      string
	i      int      // offset of what comes next
	path   []string // names and indices that lead here
	values int
	faults *faults
}

// fault is an error at the present place.
func (p *parser) fault(text string) error {
	before := p.s[:p.i]
	line := strings.Count(before, "\n") + 1
	column := utf8.RuneCountInString(before[strings.LastIndexByte(before, '\n')+1:]) + 1
	return fmt.Errorf("%s (line %d, column %d)", text, line, column)
}

func (p *parser) unexpected(want string) error {
	if p.i >= len(p.s) {
		return p.fault("is not JSON: it ends where " + want + " is expected")
	}
	return p.fault("is not JSON: " + want + " is expected")
}

func (p *parser) space() {
	for p.i < len(p.s) {
		switch p.s[p.i] {
		case ' ', '\t', '\n', '\r':
			p.i++
		default:
			return
		}
	}
}

// next takes c and the space after it where c comes next.
func (p *parser) next(c byte) bool {
	if p.i < len(p.s) && p.s[p.i] == c {
		p.i++
		p.space()
		return true
	}
	return false
}

func (p *parser) value() (any, error) {
	if p.values++; p.values > maxValues {
		return nil, fmt.Errorf("must not have more than 1,000 values")
	}
	if len(p.path) > maxDepth {
		return nil, fmt.Errorf("must not nest deeper than %d levels", maxDepth)
	}
	switch rest := p.s[p.i:]; {
	case rest == "":
		return nil, p.unexpected("a value")
	case p.next('{'):
		return p.object()
	case p.next('['):
		return p.array()
	case rest[0] == '"':
		return p.string()
	case rest[0] == '-' || digit(rest[0]):
		return p.number()
	default:
		return p.literal(rest)
	}
}

func (p *parser) literal(rest string) (any, error) {
	for word, v := range map[string]any{"true": true, "false": false, "null": nil} {
		if strings.HasPrefix(rest, word) {
			p.i += len(word)
			return v, nil
		}
	}
	return nil, p.unexpected("a value")
}

func (p *parser) object() (any, error) {
	object := map[string]any{}
	if p.next('}') {
		return object, nil
	}
	for {
		if err := p.member(object); err != nil {
			return nil, err
		}
		p.space()
		switch {
		case p.next(','):
		case p.closes('}'):
			return object, nil
		default:
			return nil, p.unexpected(`"," or "}"`)
		}
	}
}

// closes takes c where it comes next.
func (p *parser) closes(c byte) bool {
	if p.i < len(p.s) && p.s[p.i] == c {
		p.i++
		return true
	}
	return false
}

func (p *parser) member(object map[string]any) error {
	if p.i >= len(p.s) || p.s[p.i] != '"' {
		return p.unexpected("a name in double quotes")
	}
	name, err := p.string()
	if err != nil {
		return err
	}
	p.space()
	if !p.next(':') {
		return p.unexpected(`":"`)
	}
	p.path = append(p.path, name)
	defer func() { p.path = p.path[:len(p.path)-1] }()
	if _, twice := object[name]; twice {
		p.faults.add(fieldName(p.path), "is given twice")
	}
	object[name], err = p.value()
	return err
}

func (p *parser) array() (any, error) {
	array := []any{}
	if p.next(']') {
		return array, nil
	}
	for {
		p.path = append(p.path, strconv.Itoa(len(array)))
		v, err := p.value()
		if err != nil {
			return nil, err
		}
		p.path = p.path[:len(p.path)-1]
		array = append(array, v)
		p.space()
		switch {
		case p.next(','):
		case p.closes(']'):
			return array, nil
		default:
			return nil, p.unexpected(`"," or "]"`)
		}
	}
}

func digit(c byte) bool { return '0' <= c && c <= '9' }

// digits takes the digits that come next and tells whether there was one.
func (p *parser) digits() bool {
	start := p.i
	for p.i < len(p.s) && digit(p.s[p.i]) {
		p.i++
	}
	return p.i > start
}

func (p *parser) number() (any, error) {
	start := p.i
	p.closes('-')
	if !p.closes('0') && !p.digits() {
		return nil, p.unexpected("a digit")
	}
	if p.closes('.') && !p.digits() {
		return nil, p.unexpected("a digit")
	}
	if p.closes('e') || p.closes('E') {
		if !p.closes('+') {
			p.closes('-')
		}
		if !p.digits() {
			return nil, p.unexpected("a digit")
		}
	}
	return json.Number(p.s[start:p.i]), nil
}

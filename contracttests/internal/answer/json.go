package answer

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"
)

// maxDepth limits the nesting of an answer; the contract needs four levels. The limit protects the suite, whose decoder is
// recursive.
const maxDepth = 64

// ParseJSON reads exactly one JSON text (RFC 8259) and refuses what readers treat differently: a byte order mark, invalid
// UTF-8, equal names in an object (section 4), lone surrogates (section 8.2), text after the value. Numbers become
// json.Number, as they were written. The error is one sentence that says where and what.
func ParseJSON(body []byte) (any, error) {
	switch {
	case len(bytes.TrimSpace(body)) == 0:
		return nil, errors.New("the body is empty; expected JSON")
	case bytes.HasPrefix(body, []byte("\xef\xbb\xbf")):
		return nil, errors.New("the body begins with a byte order mark (RFC 8259, section 8.1)")
	case !utf8.Valid(body):
		return nil, errors.New("the body is not valid UTF-8 (RFC 8259, section 8.1)")
	}
	// Lone surrogates are found first, because the decoder replaces them silently.
	if escape := loneSurrogate(body); escape != "" {
		return nil, fmt.Errorf("the body has %s, half of a surrogate pair (RFC 8259, section 8.2)", escape)
	}
	d := &decoder{json.NewDecoder(bytes.NewReader(body))}
	d.UseNumber()
	value, err := d.value("", 0)
	if err != nil {
		return nil, err
	}
	// Anything after the value would be read as a second answer by streaming clients.
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("unexpected text after the JSON value, from byte %d", d.InputOffset())
	}
	return value, nil
}

// decoder reads values token by token, because encoding/json accepts equal names in an object and keeps the last.
type decoder struct{ *json.Decoder }

// value reads the next value; at is its JSON pointer.
func (d *decoder) value(at string, depth int) (any, error) {
	if depth > maxDepth {
		return nil, fmt.Errorf("the body nests deeper than %d levels", maxDepth)
	}
	token, err := d.Token()
	if err != nil {
		return nil, fmt.Errorf("the body is not JSON: %w", err)
	}
	switch token {
	case json.Delim('{'):
		return d.object(at, depth)
	case json.Delim('['):
		return d.array(at, depth)
	}
	return token, nil
}

// object reads the members after "{" and refuses a name that is given twice.
func (d *decoder) object(at string, depth int) (any, error) {
	object := map[string]any{}
	for d.More() {
		token, err := d.Token()
		if err != nil {
			return nil, fmt.Errorf("the body is not JSON: %w", err)
		}
		name, _ := token.(string) // the decoder accepts only strings here
		if _, repeated := object[name]; repeated {
			return nil, fmt.Errorf("%s is given twice in the same object", at+"/"+name)
		}
		if object[name], err = d.value(at+"/"+name, depth+1); err != nil {
			return nil, err
		}
	}
	return object, d.end()
}

// array reads the elements after "[". An empty array is not nil, so that it differs from null.
func (d *decoder) array(at string, depth int) (any, error) {
	array := []any{}
	for d.More() {
		value, err := d.value(at+"/"+strconv.Itoa(len(array)), depth+1)
		if err != nil {
			return nil, err
		}
		array = append(array, value)
	}
	return array, d.end()
}

// end reads the closing bracket, which the decoder has matched with the opening one.
func (d *decoder) end() error {
	if _, err := d.Token(); err != nil {
		return fmt.Errorf("the body is not JSON: %w", err)
	}
	return nil
}

// Escapes in the source text: the decoder replaces lone surrogates silently, so they must be found before.
var (
	anyEscape     = regexp.MustCompile(`\\(?:u[0-9A-Fa-f]{4}|.)`)
	highSurrogate = regexp.MustCompile(`^\\u[dD][89abAB]`)
	lowSurrogate  = regexp.MustCompile(`^\\u[dD][c-fC-F]`)
)

// loneSurrogate returns the first escape that is half of a surrogate pair, or "".
func loneSurrogate(body []byte) string {
	if !bytes.Contains(bytes.ToLower(body), []byte(`\ud`)) {
		return ""
	}
	text, open, end := string(body), "", 0
	for _, m := range anyEscape.FindAllStringIndex(text, -1) {
		escape := text[m[0]:m[1]]
		adjoins := open != "" && m[0] == end
		switch {
		case lowSurrogate.MatchString(escape) && adjoins:
			open = ""
			continue
		case open != "":
			return open
		case lowSurrogate.MatchString(escape):
			return escape
		case highSurrogate.MatchString(escape):
			open, end = escape, m[1]
		}
	}
	return open
}

// withFloats turns numbers into float64, which schema validation requires. checkLiterals looks at the numbers as they were
// written.
func withFloats(value any) any {
	switch v := value.(type) {
	case json.Number:
		f, err := v.Float64()
		if err != nil {
			return strings.Clone(v.String()) // out of range: a string fails the schema as the number would
		}
		return f
	case map[string]any:
		object := make(map[string]any, len(v))
		for name, member := range v {
			object[name] = withFloats(member)
		}
		return object
	case []any:
		array := make([]any, len(v))
		for i, member := range v {
			array[i] = withFloats(member)
		}
		return array
	}
	return value
}

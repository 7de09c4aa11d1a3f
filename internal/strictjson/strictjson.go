// Package strictjson decodes JSON that people or other processes of the project write: settings (Settings), messages (Object).
// Bodies of API requests are stricter still and belong to package request. Start with Settings.
package strictjson

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"
	"unicode/utf8"
)

// Settings is Object for files that people write: no name may be given twice, since the second value would silently replace the
// first.
func Settings(text []byte, into any) error {
	if err := Object(text, into); err != nil {
		return err
	}
	if name := repeated(json.NewDecoder(bytes.NewReader(text))); name != "" {
		return fmt.Errorf("%q is given twice", name)
	}
	return nil
}

// Object decodes a text that is one JSON object with known fields and nothing after it. Errors say what is wrong and where,
// without the names of Go types.
func Object(text []byte, into any) error {
	if string(bytes.TrimSpace(text)) == "null" { // encoding/json would change nothing
		return errors.New("unexpected JSON null; expected an object")
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(into); err != nil {
		if syntax, ok := errors.AsType[*json.SyntaxError](err); ok {
			return explainSyntax(text, int(syntax.Offset)-1)
		}
		return Explain(err)
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return errors.New("unexpected text after the JSON object")
	}
	return nil
}

// repeated reads the next value and returns the first name that one of its objects has twice, or "". The text must be valid
// JSON. Letter case makes no difference, because encoding/json ignores it.
func repeated(d *json.Decoder) (name string) {
	token, _ := d.Token()
	open, isOpen := token.(json.Delim)
	if !isOpen {
		return ""
	}
	seen := map[string]bool{}
	for d.More() {
		if open == '{' {
			token, _ = d.Token()
			name, _ := token.(string)
			folded := strings.ToLower(name)
			if seen[folded] {
				return name
			}
			seen[folded] = true
		}
		if name := repeated(d); name != "" {
			return name
		}
	}
	_, _ = d.Token() // the closing delimiter
	return ""
}

// Explain returns an error of encoding/json with a message for readers who know JSON but not Go. It does not wrap err.
func Explain(err error) error {
	mistyped, ok := errors.AsType[*json.UnmarshalTypeError](err)
	switch {
	case ok && mistyped.Field == "":
		return fmt.Errorf("unexpected JSON %s; expected an object", mistyped.Value)
	case ok:
		return fmt.Errorf("unexpected JSON %s at %q%s", mistyped.Value, mistyped.Field, expected(mistyped.Type))
	case errors.Is(err, io.EOF):
		return errors.New("the text is empty; expected a JSON object")
	case errors.Is(err, io.ErrUnexpectedEOF):
		return errors.New("the JSON object is incomplete")
	}
	return errors.New(strings.TrimPrefix(err.Error(), "json: "))
}

// explainSyntax returns the error for the character at an offset of a text that is not JSON.
func explainSyntax(text []byte, offset int) error {
	offset = min(max(offset, 0), len(text)-1)
	before := text[:offset]
	line, lineStart := 1+bytes.Count(before, []byte("\n")), 1+bytes.LastIndexByte(before, '\n')
	hint := ""
	if !bytes.HasPrefix(bytes.TrimSpace(text), []byte("{")) {
		hint = "; expected a JSON object"
	}
	character, _ := utf8.DecodeRune(text[offset:])
	return fmt.Errorf("invalid JSON at line %d, column %d: unexpected %q%s", line, 1+utf8.RuneCount(before[lineStart:]), character, hint)
}

// expected returns what JSON a Go type is decoded from, as the end of a sentence; "" for types that decode themselves.
func expected(t reflect.Type) string {
	switch t.Kind() {
	case reflect.String:
		return "; expected a string"
	case reflect.Bool:
		return "; expected true or false"
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64,
		reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return "; expected a whole number"
	case reflect.Float32, reflect.Float64:
		return "; expected a number"
	case reflect.Slice, reflect.Array:
		return "; expected an array"
	case reflect.Struct, reflect.Map:
		return "; expected an object"
	default:
		return ""
	}
}

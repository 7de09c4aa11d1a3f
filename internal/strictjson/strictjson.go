// Package strictjson decodes JSON that people or other processes of the project write: settings (Settings), messages (Object).
// Bodies of API requests are stricter still and belong to package request. Start with Settings.
package strictjson

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
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
		return fmt.Errorf("unexpected JSON %s at %q", mistyped.Value, mistyped.Field)
	case errors.Is(err, io.EOF):
		return errors.New("the text is empty; expected a JSON object")
	case errors.Is(err, io.ErrUnexpectedEOF):
		return errors.New("the JSON object is incomplete")
	}
	return errors.New(strings.TrimPrefix(err.Error(), "json: "))
}

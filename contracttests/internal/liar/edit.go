package liar

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"maps"
	"net/http"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

type (
	// object is a JSON object; its numbers are json.Number.
	object = map[string]any
	// change edits an answer in place.
	change func(c *call, a *reply)
)

// parse returns the object that a body begins with, or nil. What follows it, and repeated fields, are ignored:
// conditions look at malformed bodies too.
func parse(body []byte) object {
	d := json.NewDecoder(bytes.NewReader(body))
	d.UseNumber()
	var o object
	if d.Decode(&o) != nil {
		return nil
	}
	return o
}

// encode writes JSON as the honest server does: without escapes for HTML.
func encode(v any) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		panic(err) // whatever was decoded can be encoded
	}
	return b.Bytes()
}

// edited returns the body with its object changed, or the very same bytes if nothing changed.
func edited(body []byte, f func(o object)) []byte {
	o := parse(body)
	if o == nil {
		return body
	}
	if f(o); reflect.DeepEqual(o, parse(body)) {
		return body
	}
	return encode(o)
}

// number is a field as an integer, 0 if it is not one.
func number(o object, name string) int64 {
	n, _ := o[name].(json.Number)
	v, _ := n.Int64()
	return v
}

// confidence returns the confidence of a result or a place, 0 if it is not a number.
func confidence(o object) float64 {
	n, _ := o["confidence"].(json.Number)
	v, _ := n.Float64()
	return v
}

func jsonNumber(n int64) json.Number { return json.Number(strconv.FormatInt(n, 10)) }

// edit changes the object in the body.
func edit(f func(o object)) change {
	return func(_ *call, a *reply) { a.edit(f) }
}

// set sets a field of the body, whether it was there or not.
func set(name string, value any) change {
	return edit(func(o object) { o[name] = value })
}

// add adds to a number, if the field is there.
func add(name string, n int64) change {
	return edit(func(o object) {
		if _, ok := o[name]; ok {
			o[name] = number(o, name) + n
		}
	})
}

// drop removes fields of the body.
func drop(names ...string) change {
	return edit(func(o object) {
		maps.DeleteFunc(o, func(name string, _ any) bool { return slices.Contains(names, name) })
	})
}

// inside edits an object inside the body, such as details or rateLimit.
func inside(name string, f func(o object)) change {
	return edit(func(o object) {
		if inner, ok := o[name].(object); ok {
			f(inner)
		}
	})
}

// addToWindow adds to a number of the rateLimit of a status record.
func addToWindow(field string, n int64) change {
	return inside("rateLimit", func(r object) { r[field] = number(r, field) + n })
}

// header sets a header; "" removes it.
func header(name, value string) change {
	return func(_ *call, a *reply) {
		if a.header.Del(name); value != "" {
			a.header.Set(name, value)
		}
	}
}

// raw changes the bytes of the body.
func raw(f func(body string) string) change {
	return func(_ *call, a *reply) { a.body = []byte(f(string(a.body))) }
}

// recode changes the status and nothing else.
func recode(status int) change {
	return func(_ *call, a *reply) { a.status = status }
}

// text changes the text of a result. A change that would cut a character in two is left out.
func text(f func(string) string) change {
	return edit(func(o object) {
		if s, ok := o["text"].(string); ok {
			if s = f(s); utf8.ValidString(s) {
				o["text"] = s
			}
		}
	})
}

// document changes the document of a result if its format was asked for; "" stands for every format.
func document(format string, f func(string) string) lie {
	return on(isResult, func(c *call, a *reply) {
		if format != "" && c.field("format") != format {
			return
		}
		a.edit(func(o object) {
			if s, ok := o["document"].(string); ok {
				o["document"] = f(s)
			}
		})
	})
}

// edits changes each edit of an enhanced result.
func edits(f func(edit object)) lie {
	return on(isResult, edit(func(o object) {
		all, _ := o["edits"].([]any)
		for _, e := range all {
			if e, ok := e.(object); ok {
				f(e)
			}
		}
	}))
}

// compress compresses the body with gzip without setting Content-Encoding.
func compress(_ *call, a *reply) {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, _ = w.Write(a.body) // a buffer never fails
	_ = w.Close()
	a.body = b.Bytes()
}

// replacing returns strings with every old replaced.
func replacing(old, replacement string) func(string) string {
	return func(s string) string { return strings.ReplaceAll(s, old, replacement) }
}

// matching returns strings with every match of a regular expression replaced; $1 in the replacement is the first group.
func matching(pattern, replacement string) func(string) string {
	p := regexp.MustCompile(pattern)
	return func(s string) string { return p.ReplaceAllString(s, replacement) }
}

// within edits the object at the path, if there is one.
func within(path []string, f func(o object)) change {
	return edit(func(o object) {
		for _, name := range path {
			inner, ok := o[name].(object)
			if !ok {
				return
			}
			o = inner
		}
		f(o)
	})
}

// dateBehind sets Date an hour back.
func dateBehind(_ *call, a *reply) {
	a.header.Set("Date", time.Now().Add(-time.Hour).UTC().Format(http.TimeFormat))
}

// serverError makes an answer a 500 without a reason.
func serverError(_ *call, a *reply) {
	a.header.Del("WWW-Authenticate")
	a.status, a.body = http.StatusInternalServerError, encode(object{"success": false, "error": "The service could not complete the request.", "code": "SERVER_ERROR", "message": "internal error"})
}

// invalid returns a change that makes an answer a 400 about a field.
func invalid(field, why string) change {
	return func(_ *call, a *reply) {
		a.header.Del("WWW-Authenticate")
		a.status, a.body = http.StatusBadRequest, encode(object{"success": false, "error": "The request is not valid.", "code": "INVALID_REQUEST", "message": field + ": " + why, "details": object{field: why}})
	}
}

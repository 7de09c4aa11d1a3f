package request

import (
	"fmt"
	"strings"
)

// Limits of what an answer repeats of a request. A request can have 1,000 invalid fields with long names; an answer that
// listed them all would be no more useful, and could be larger than the request.
const (
	maxProblems = 32 // fields named in one answer
	maxName     = 64 // bytes of a field's name
)

// problems collects what is wrong with one request, by field. The zero value is ready.
type problems struct {
	byField map[string]string
	more    int             // fields beyond maxProblems
	unknown map[string]bool // pointers of the objects whose unknown fields are added
}

// add adds a problem of a field, whose name fieldName has made. Several problems of one field are joined; the same one
// twice is reported once, because schema and parser may both find it.
func (f *problems) add(field, text string) {
	if f.byField == nil {
		f.byField = map[string]string{}
	}
	known, ok := f.byField[field]
	switch {
	case ok && strings.Contains(known, text):
	case ok:
		f.byField[field] = known + "; " + text
	case len(f.byField) >= maxProblems:
		f.more++
	default:
		f.byField[field] = text
	}
}

// details returns the problems by field, nil if there are none. Fields beyond maxProblems are only counted, under "body".
// Nothing may be added after it.
func (f *problems) details() map[string]string {
	if f.more > 0 {
		f.byField["body"] = strings.TrimPrefix(fmt.Sprintf("%s; has %d more problems", f.byField["body"], f.more), "; ")
	}
	return f.byField
}

// err returns the problems as an *Invalid, nil if there are none.
func (f *problems) err() error {
	if details := f.details(); details != nil {
		return &Invalid{Details: details}
	}
	return nil
}

// pointerEscapes is for names in a JSON pointer (RFC 6901, section 3).
var pointerEscapes = strings.NewReplacer("~", "~0", "/", "~1")

// fieldName names a value of the body by the path to it: "body", the name of a top-level field, or a JSON pointer.
func fieldName(path []string) string {
	if len(path) == 0 {
		return "body"
	}
	if len(path) == 1 && path[0] != "" && path[0][0] != '/' {
		return Shorten(path[0])
	}
	var b strings.Builder
	for _, token := range path {
		b.WriteByte('/')
		b.WriteString(Shorten(pointerEscapes.Replace(token)))
	}
	return b.String()
}

// Shorten cuts a text from the client, such as a name or a path, to a length that an answer or a log can repeat.
func Shorten(name string) string {
	if len(name) <= maxName {
		return name
	}
	return strings.ToValidUTF8(name[:maxName], "") + "..."
}

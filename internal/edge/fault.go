package edge

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
)

const (
	maxFaults = 32 // named in one answer
	maxName   = 64 // bytes of a field name in an answer
)

// faults collects what is wrong with one request by field. The zero value is ready.
type faults struct {
	byField map[string]string
	more    int             // faults beyond maxFaults
	unknown map[string]bool // pointers of the objects whose unknown fields are noted
}

// add notes a fault of the field: a field name, a JSON pointer (RFC 6901), a header or parameter name, or "body".
func (f *faults) add(field, text string) {
	if f.byField == nil {
		f.byField = map[string]string{}
	}
	known, ok := f.byField[field]
	switch {
	case ok && strings.Contains(known, text):
	case ok:
		f.byField[field] = known + "; " + text
	case len(f.byField) >= maxFaults:
		f.more++
	default:
		f.byField[field] = text
	}
}

// err is nil where there are no faults.
func (f *faults) err() error {
	if len(f.byField) == 0 {
		return nil
	}
	if f.more > 0 {
		f.byField["body"] = strings.TrimPrefix(fmt.Sprintf("%s; has %d more faults", f.byField["body"], f.more), "; ")
	}
	return Invalid(f.byField)
}

// addSchema notes what the validator found, in our words. name is the name of what was validated, or "" for a body,
// whose faults are named by their path.
func (f *faults) addSchema(name string, err error) {
	if err == nil {
		return
	}
	var several openapi3.MultiError
	var one *openapi3.SchemaError
	switch {
	case errors.As(err, &several):
		for _, err := range several {
			f.addSchema(name, err)
		}
	case errors.As(err, &one) && one.SchemaField == "properties":
		f.addUnknown(one)
	case errors.As(err, &one) && name == "":
		f.add(fieldName(one.JSONPointer()), sentence(one))
	case errors.As(err, &one):
		f.add(name, sentence(one))
	default:
		f.add("body", notAllowed)
	}
}

// addUnknown notes every field of the object that its schema does not have. The validator reports each of them, and
// the object with each, but names the field in prose only.
func (f *faults) addUnknown(e *openapi3.SchemaError) {
	pointer := fmt.Sprintf("%q", e.JSONPointer())
	if f.unknown[pointer] {
		return
	}
	if f.unknown == nil {
		f.unknown = map[string]bool{}
	}
	f.unknown[pointer] = true
	object, _ := e.Value.(map[string]any)
	known := slices.Sorted(maps.Keys(e.Schema.Properties))
	for _, name := range slices.Sorted(maps.Keys(object)) {
		if !slices.Contains(known, name) {
			f.add(fieldName(append(e.JSONPointer(), name)), unknownField(name, known))
		}
	}
}

func unknownField(name string, known []string) string {
	for _, k := range known {
		if len(name) <= maxName && plain(k) == plain(name) {
			return fmt.Sprintf("is not a field of this request; write %s", k)
		}
	}
	return "is not a field of this request; known: " + strings.Join(known, ", ")
}

// plain is the name without what people get wrong in names: case, underscores and hyphens.
func plain(name string) string { return strings.ToLower(separators.Replace(name)) }

var separators = strings.NewReplacer("_", "", "-", "")

// notAllowed is the sentence of a rule that has none of its own.
const notAllowed = "is not what the contract allows; see /openapi.yaml"

// sentence says what is wrong with the value and what would be right.
func sentence(e *openapi3.SchemaError) string {
	s := e.Schema
	switch rule, _ := s.Extensions["x-rule"].(string); {
	case e.SchemaField == "required":
		return missing(s, e.JSONPointer())
	case s.Type != nil && !s.Type.Permits(kind(e.Value)):
		return fmt.Sprintf("must be %s, not %s", article(s.Type.Slice()[0]), article(kind(e.Value)))
	case rule != "":
		return rule
	case s.Format == imageFormat:
		text, _ := e.Value.(string)
		return imageURLFault(text)
	case e.SchemaField == "enum":
		return "must be one of " + list(s.Enum)
	default:
		return notAllowed
	}
}

// missing is the sentence of a required property that is not there; the title of its schema says what it is.
func missing(object *openapi3.Schema, path []string) string {
	p := object.Properties[path[len(path)-1]]
	if p == nil || p.Value.Title == "" {
		return "is required"
	}
	return "is required: the " + p.Value.Title
}

// kind is the name of the JSON type of the value.
func kind(v any) string {
	switch v.(type) {
	case nil:
		return "null"
	case bool:
		return openapi3.TypeBoolean
	case string:
		return openapi3.TypeString
	case json.Number, float64:
		return openapi3.TypeNumber
	case []any:
		return openapi3.TypeArray
	default:
		return openapi3.TypeObject
	}
}

func article(kind string) string {
	switch kind {
	case "null":
		return kind
	case openapi3.TypeArray, openapi3.TypeObject, openapi3.TypeInteger:
		return "an " + kind
	default:
		return "a " + kind
	}
}

func list(values []any) string {
	names := make([]string, 0, len(values))
	for _, v := range values {
		names = append(names, fmt.Sprint(v))
	}
	return strings.Join(names, ", ")
}

var pointerEscapes = strings.NewReplacer("~", "~0", "/", "~1")

// fieldName names the place in a body: the top-level field where that is plain, and otherwise a JSON pointer.
func fieldName(path []string) string {
	if len(path) == 0 {
		return "body"
	}
	if len(path) == 1 && path[0] != "" && path[0][0] != '/' {
		return short(path[0])
	}
	var b strings.Builder
	for _, token := range path {
		b.WriteByte('/')
		b.WriteString(short(pointerEscapes.Replace(token)))
	}
	return b.String()
}

// short cuts a name that is too long to be repeated to the caller.
func short(name string) string {
	if len(name) <= maxName {
		return name
	}
	return strings.ToValidUTF8(name[:maxName], "") + "..."
}

// visit holds the value against the schema.
func visit(s *openapi3.Schema, value any) error {
	return s.VisitJSON(value, openapi3.MultiErrors(), openapi3.EnableFormatValidation())
}

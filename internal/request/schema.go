package request

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
)

// visit checks the value against the schema and returns all of its problems.
func visit(s *openapi3.Schema, value any) error {
	return s.VisitJSON(value, openapi3.MultiErrors(), openapi3.EnableFormatValidation())
}

// addSchema adds what visit found, in our words: those of the validator name types of Go and parts of the schema. name is
// that of a parameter, or "" for a body, whose problems are named by their path.
func (f *problems) addSchema(name string, err error) {
	if err == nil {
		return
	}
	var several openapi3.MultiError
	var one *openapi3.SchemaError
	switch {
	case errors.As(err, &several): // of the body, or of one of its properties
		for _, err := range several {
			f.addSchema(name, err)
		}
	case errors.As(err, &one) && one.SchemaField == "properties":
		f.addUnknown(one)
	case errors.As(err, &one):
		f.add(cmp.Or(name, fieldName(one.JSONPointer())), sentence(one))
	default:
		f.add("body", notAllowed)
	}
}

// addUnknown adds every field of the object that its schema does not have. The validator reports the object once for each
// of them, and names the field in prose only.
func (f *problems) addUnknown(e *openapi3.SchemaError) {
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

// unknownField is the sentence for a name that the object does not have. It suggests the known name that the client meant,
// or lists them all.
func unknownField(name string, known []string) string {
	for _, k := range known {
		if len(name) <= maxName && normalize(k) == normalize(name) {
			return fmt.Sprintf("is not a field of this request; write %s", k)
		}
	}
	return "is not a field of this request; known: " + strings.Join(known, ", ")
}

// normalize removes from a name what people often get wrong: case, underscores and hyphens.
func normalize(name string) string { return strings.ToLower(separators.Replace(name)) }

var separators = strings.NewReplacer("_", "", "-", "")

// notAllowed is the reason for a rule that has no sentence of its own. A test makes sure that no rule of openapi.yaml
// needs it.
const notAllowed = "is not allowed by the contract; see /openapi.yaml"

// sentence says what is wrong with the value and what would be right. A rule of openapi.yaml whose text people cannot
// read, such as a pattern, has a sentence as x-rule.
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
		// The schema says less about URLs than imageURL does, and both find the problem.
		text, _ := e.Value.(string)
		return cmp.Or(imageURLProblem(text), notAllowed)
	case e.SchemaField == "enum":
		return "must be one of " + list(s.Enum)
	default:
		return notAllowed
	}
}

// missing is the sentence for a required property that is absent; the title of its schema says what it is.
func missing(object *openapi3.Schema, path []string) string {
	p := object.Properties[path[len(path)-1]]
	if p == nil || p.Value.Title == "" {
		return "is required"
	}
	return "is required; give the " + p.Value.Title
}

// kind returns the JSON type of a value as the parser makes it, in the words of OpenAPI.
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

// article puts a or an before the name of a type.
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

// list joins the values of an enum for a sentence.
func list(values []any) string {
	names := make([]string, 0, len(values))
	for _, v := range values {
		names = append(names, fmt.Sprint(v))
	}
	return strings.Join(names, ", ")
}

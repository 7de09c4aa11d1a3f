package edge

import (
	"fmt"
	"strings"

	"go.yaml.in/yaml/v3"
)

// document is what the page at /docs shows of openapi.yaml, in the order in which it stands there; that order is why
// it is not read with the library that validates.
type document struct {
	Info struct{ Title, Version, Description string }
	Tags []struct{ Name, Description string }
	// Paths are operations by method by path.
	Paths      ordered[ordered[docOperation]]
	Components struct {
		Schemas    ordered[docSchema]
		Responses  ordered[docResponse]
		Parameters ordered[docParam]
		Headers    ordered[docParam]
	}
}

type docOperation struct {
	OperationID          string `yaml:"operationId"`
	Tags                 []string
	Summary, Description string
	Parameters           []docParam
	RequestBody          *struct {
		Description string
		Content     ordered[docMedia]
	} `yaml:"requestBody"`
	Responses ordered[docResponse]
}

// docParam is a parameter or a header.
type docParam struct {
	Ref         string `yaml:"$ref"`
	Name, In    string
	Description string
	Required    bool
	Schema      docSchema
	Example     yaml.Node
}

type docResponse struct {
	Ref         string `yaml:"$ref"`
	Description string
	Headers     ordered[docParam]
	Content     ordered[docMedia]
}

type docMedia struct {
	Schema   docSchema
	Examples ordered[struct {
		Summary string
		Value   yaml.Node
	}]
}

type docSchema struct {
	Ref                              string `yaml:"$ref"`
	Type, Format, Title, Description string
	Enum                             []string
	Default, Minimum, Maximum        string
	Required                         []string
	Properties                       ordered[docSchema]
	Items                            *docSchema
}

// ordered is a mapping in the order of the document.
type ordered[T any] []entry[T]

type entry[T any] struct {
	Name  string
	Value T
}

// UnmarshalYAML reads a mapping.
func (o *ordered[T]) UnmarshalYAML(n *yaml.Node) error {
	if n.Kind != yaml.MappingNode {
		return fmt.Errorf("line %d: a mapping is expected", n.Line)
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		e := entry[T]{Name: n.Content[i].Value}
		if err := n.Content[i+1].Decode(&e.Value); err != nil {
			return err
		}
		*o = append(*o, e)
	}
	return nil
}

// at is the value of the name, or an error that breaks the page.
func (o ordered[T]) at(name string) (T, error) {
	for _, e := range o {
		if e.Name == name {
			return e.Value, nil
		}
	}
	var none T
	return none, fmt.Errorf("the document refers to %q, which it does not have", name)
}

// refName is the last token of a reference.
func refName(ref string) string { return ref[strings.LastIndexByte(ref, '/')+1:] }

func (d document) schema(s docSchema) (docSchema, error) {
	if s.Ref == "" {
		return s, nil
	}
	return d.Components.Schemas.at(refName(s.Ref))
}

func (d document) response(r docResponse) (docResponse, error) {
	if r.Ref == "" {
		return r, nil
	}
	return d.Components.Responses.at(refName(r.Ref))
}

func (d document) param(p docParam) (docParam, error) {
	if p.Ref == "" {
		return p, nil
	}
	return d.Components.Parameters.at(refName(p.Ref))
}

// AnswerHeaders is every header of an answer once, under its name.
func (d document) AnswerHeaders() (headers ordered[docParam], err error) {
	for _, response := range d.Components.Responses {
		for _, h := range response.Value.Headers {
			if _, err := headers.at(h.Name); err == nil {
				continue
			}
			value, err := d.Components.Headers.at(refName(h.Value.Ref))
			if err != nil {
				return nil, err
			}
			headers = append(headers, entry[docParam]{h.Name, value})
		}
	}
	return headers, nil
}

// limits says in a few words what values the schema takes.
func limits(s docSchema) string {
	var words []string
	switch {
	case len(s.Enum) == 1 && s.Type == "integer":
		words = append(words, "always "+s.Enum[0])
	case len(s.Enum) > 1:
		words = append(words, "one of "+strings.Join(s.Enum, ", "))
	case s.Minimum != "" && s.Maximum != "":
		words = append(words, s.Minimum+" to "+s.Maximum)
	case s.Minimum != "":
		words = append(words, "at least "+s.Minimum)
	}
	if s.Default != "" {
		words = append(words, "default "+s.Default)
	}
	return strings.Join(words, "; ")
}

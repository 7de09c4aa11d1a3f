package apidocs

import (
	"fmt"
	"strings"

	"go.yaml.in/yaml/v3"
)

// specification has the parts of openapi.yaml that the page shows, in the order of the file. kin-openapi, which validates
// requests, keeps its parts in maps and would lose that order.
type specification struct {
	Info       struct{ Title, Version, Description string }
	Servers    []struct{ URL string }
	Paths      ordered[ordered[operation]] // by path, then by method
	Components struct {
		Schemas    ordered[schema]
		Responses  ordered[response]
		Parameters ordered[param]
		Headers    ordered[param]
		Security   ordered[struct{ Description string }] `yaml:"securitySchemes"`
	}
	Scenarios []struct{ By, Name, About string } `yaml:"x-mock-scenarios"`
}

// operation is a method of a path.
type operation struct {
	OperationID          string `yaml:"operationId"`
	Tags                 []string
	Summary, Description string
	Parameters           []param
	RequestBody          *struct {
		Description string
		Content     ordered[media]
	} `yaml:"requestBody"`
	Responses ordered[response]
}

// param is a parameter of a request or a header of a response.
type param struct {
	Ref         string `yaml:"$ref"`
	Name, In    string
	Description string
	Required    bool
	Schema      schema
	Example     yaml.Node
}

// response is an answer of an operation, inline or as a component.
type response struct {
	Ref         string `yaml:"$ref"`
	Description string
	Headers     ordered[param]
	Content     ordered[media]
}

// media is a body in one content type, with examples.
type media struct {
	Schema   schema
	Examples ordered[struct {
		Summary string
		Value   yaml.Node
	}]
}

// schema has those keywords of openapi.yaml that the page shows. Numbers stay as text, as their author wrote them.
type schema struct {
	Ref                              string `yaml:"$ref"`
	Type, Format, Title, Description string
	Enum                             []string
	Default, Minimum, Maximum        string
	Required                         []string
	Properties                       ordered[schema]
	Items                            *schema
}

// ordered is a mapping that keeps the order of the file.
type ordered[T any] []entry[T]

type entry[T any] struct {
	Name  string
	Value T
}

// UnmarshalYAML implements yaml.Unmarshaler.
func (o *ordered[T]) UnmarshalYAML(n *yaml.Node) error {
	if n.Kind != yaml.MappingNode {
		return fmt.Errorf("line %d: expected a mapping", n.Line)
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

// find returns the value of a name, and whether the mapping has it.
func (o ordered[T]) find(name string) (value T, ok bool) {
	for _, e := range o {
		if e.Name == name {
			return e.Value, true
		}
	}
	return value, false
}

// resolve returns inline, or the component that ref points to if there is a ref. A dangling ref fails the page.
func resolve[T any](inline T, ref string, components ordered[T]) (T, error) {
	if ref == "" {
		return inline, nil
	}
	found, ok := components.find(refName(ref))
	if !ok {
		return found, fmt.Errorf("openapi.yaml refers to %s, which it does not define", ref)
	}
	return found, nil
}

// refName returns the last token of a reference: "Box" for "#/components/schemas/Box".
func refName(ref string) string { return ref[strings.LastIndexByte(ref, '/')+1:] }

func (d specification) schema(s schema) (schema, error) {
	return resolve(s, s.Ref, d.Components.Schemas)
}

func (d specification) response(r response) (response, error) {
	return resolve(r, r.Ref, d.Components.Responses)
}

func (d specification) param(p param) (param, error) {
	return resolve(p, p.Ref, d.Components.Parameters)
}

// basePath returns the path that all operations are under, such as /api/v1.
func (d specification) basePath() string { return d.Servers[0].URL }

// ResponseHeaders returns every header of a response once, by name. It is exported for the template.
func (d specification) ResponseHeaders() (headers ordered[param], err error) {
	for _, r := range d.Components.Responses {
		for _, h := range r.Value.Headers {
			if _, ok := headers.find(h.Name); ok {
				continue
			}
			value, err := resolve(h.Value, h.Value.Ref, d.Components.Headers)
			if err != nil {
				return nil, err
			}
			headers = append(headers, entry[param]{h.Name, value})
		}
	}
	return headers, nil
}

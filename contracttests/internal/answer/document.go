package answer

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/getkin/kin-openapi/openapi3"
	"go.yaml.in/yaml/v3"
)

// ParseDocument reads an OpenAPI document of any server. The error says in one line what is wrong with it.
func ParseDocument(text []byte) (*openapi3.T, error) {
	c, err := parseContract(text)
	if err != nil {
		return nil, err
	}
	return c.doc, nil
}

// parseContract is ParseDocument, prepared for lookups.
func parseContract(text []byte) (c *Contract, err error) {
	// The library panics over some documents that are not valid.
	defer func() {
		if p := recover(); p != nil {
			c, err = nil, errors.New("it is not an OpenAPI document: its structure is not that of OpenAPI 3")
		}
	}()
	var value any
	if err := yaml.Unmarshal(text, &value); err != nil { // JSON is YAML
		return nil, errors.New("it is neither YAML nor JSON")
	}
	if at := firstNull(value, ""); at != "" {
		return nil, fmt.Errorf("it is not an OpenAPI document: %s is null", at)
	}
	doc, err := openapi3.NewLoader().LoadFromData(text)
	switch {
	case err != nil:
		return nil, fmt.Errorf("it is not an OpenAPI document: %w", err)
	case doc.Info == nil || doc.Components == nil || doc.Paths == nil:
		return nil, errors.New("it is not an OpenAPI document with info, paths and components")
	}
	return Prepare(doc), nil // panics if an answer or a header has no content
}

// withNulls are the members of OpenAPI documents that may hold any value (OpenAPI 3.0.3, section 4.7).
var withNulls = []string{"example", "examples", "default", "enum"}

// firstNull returns the JSON pointer of the first forbidden null in a document, or "".
func firstNull(value any, at string) string {
	switch v := value.(type) {
	case nil:
		return at + "/"
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			if slices.Contains(withNulls, name) {
				continue
			}
			if v[name] == nil {
				return at + "/" + name
			}
			if found := firstNull(v[name], at+"/"+name); found != "" {
				return found
			}
		}
	case []any:
		for i, e := range v {
			if found := firstNull(e, fmt.Sprintf("%s/%d", at, i)); found != "" {
				return found
			}
		}
	}
	return ""
}

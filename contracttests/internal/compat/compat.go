// Package compat compares two versions of the contract: whether a client or a suite made for the older one still works with
// servers of the newer one. Start with Lost.
package compat

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
)

// Lost lists what users of the older contract lose with the newer one, one sentence for each place; nil if the newer one
// only adds. An addition is an optional field, parameter or header, a component, a path or an operation; for requests a
// value of an enumeration too. Anything else that differs is a loss, except prose, examples and extensions (x-...).
//
// A schema of an answer that closes itself (additionalProperties: false) in the older contract counts as open.
func Lost(older, newer *openapi3.T) ([]string, error) {
	a, err := tree(older)
	if err != nil {
		return nil, err
	}
	b, err := tree(newer)
	if err != nil {
		return nil, err
	}
	c := comparison{sent: map[string]bool{}}
	c.collectSent(a, a["paths"], false)
	c.object("", a, b, false)
	slices.Sort(c.lost)
	return c.lost, nil
}

// tree is the document as plain JSON, with its references as they are written.
func tree(doc *openapi3.T) (map[string]any, error) {
	text, err := json.Marshal(doc)
	if err != nil {
		return nil, fmt.Errorf("write the contract as JSON: %w", err)
	}
	var object map[string]any
	if err := json.Unmarshal(text, &object); err != nil {
		return nil, fmt.Errorf("read the contract as JSON: %w", err)
	}
	return object, nil
}

// comparison collects what a newer document takes away from clients of an older one.
type comparison struct {
	sent map[string]bool // references to schemas that clients send
	lost []string
}

// collectSent follows the references of request bodies.
func (c *comparison) collectSent(doc map[string]any, value any, isSent bool) {
	switch v := value.(type) {
	case map[string]any:
		if ref, _ := v["$ref"].(string); isSent && ref != "" && !c.sent[ref] {
			c.sent[ref] = true
			c.collectSent(doc, resolve(doc, ref), true)
		}
		for name, member := range v {
			c.collectSent(doc, member, isSent || name == "requestBody")
		}
	case []any:
		for _, member := range v {
			c.collectSent(doc, member, isSent)
		}
	}
}

// resolve finds what a local reference such as #/components/schemas/Box points at, nil if there is nothing.
func resolve(doc map[string]any, ref string) any {
	var at any = doc
	for name := range strings.SplitSeq(strings.TrimPrefix(ref, "#/"), "/") {
		object, _ := at.(map[string]any)
		at = object[name]
	}
	return at
}

// prose are members that no program depends on.
var prose = []string{"description", "summary", "title", "example", "examples", "info", "tags", "externalDocs"}

// grows are the members whose objects may gain members.
var grows = []string{"paths", "properties", "headers", "schemas", "parameters", "securitySchemes", "responses", "requestBodies", "components"}

// isProse reports whether the member at this pointer is prose. A field of a schema may have the same name.
func isProse(at, name string) bool {
	return !strings.HasSuffix(at, "/properties") && (slices.Contains(prose, name) || strings.HasPrefix(name, "x-"))
}

// mayGrow reports whether the object at this pointer may gain members. The statuses of an operation may not: clients branch on
// them.
func mayGrow(at string) bool {
	parts := strings.Split(at, "/")
	isPath := len(parts) == 3 && parts[1] == "paths" // gains an operation
	isStatuses := parts[len(parts)-1] == "responses" && parts[1] == "paths"
	return isPath || !isStatuses && slices.Contains(grows, parts[len(parts)-1])
}

func (c *comparison) lose(format string, args ...any) {
	c.lost = append(c.lost, fmt.Sprintf(format, args...))
}

// object compares two objects; at is their pointer without its leading "#".
func (c *comparison) object(at string, older, newer map[string]any, isSent bool) {
	isSent = isSent || c.sent["#"+at] || strings.HasSuffix(at, "/requestBody")
	for _, name := range slices.Sorted(maps.Keys(older)) {
		if isProse(at, name) || !isSent && name == "additionalProperties" && older[name] == false {
			continue
		}
		value, kept := newer[name]
		if !kept {
			c.lose("%s/%s is gone", at, name)
			continue
		}
		c.value(at+"/"+strings.ReplaceAll(name, "/", "~1"), older[name], value, isSent)
	}
	for _, name := range slices.Sorted(maps.Keys(newer)) {
		if _, known := older[name]; !known && !isProse(at, name) && !mayGrow(at) {
			c.lose("%s/%s is new, and restricts what was allowed", at, name)
		}
	}
}

// value compares what two documents say at one place. isSent is set for what clients send: there, values of an enum must stay,
// and nothing may become required. In answers, what was required must stay required.
func (c *comparison) value(at string, older, newer any, isSent bool) {
	a, isObject := older.(map[string]any)
	b, stays := newer.(map[string]any)
	switch {
	case isObject && stays:
		c.object(at, a, b, isSent)
	case strings.HasSuffix(at, "/parameters"):
		c.parameters(at, list(older), list(newer))
	case strings.HasSuffix(at, "/enum") && isSent, strings.HasSuffix(at, "/required") && !isSent:
		c.contain(at, list(older), list(newer))
	case strings.HasSuffix(at, "/required"):
		c.contain(at, list(newer), list(older))
	case !reflect.DeepEqual(older, newer):
		c.lose("%s has changed from %v to %v", at, older, newer)
	}
}

// list returns an array, nil if the value is not one.
func list(value any) []any {
	all, _ := value.([]any)
	return all
}

// contain requires every value of some to be in all.
func (c *comparison) contain(at string, some, all []any) {
	for _, value := range some {
		if !slices.ContainsFunc(all, func(v any) bool { return reflect.DeepEqual(v, value) }) {
			c.lose("%s: %v is in one version only", at, value)
		}
	}
}

// parameters requires the older parameters to stay as they are, and new ones to be written in place and optional.
func (c *comparison) parameters(at string, older, newer []any) {
	c.contain(at, older, newer)
	for _, p := range newer {
		object, _ := p.(map[string]any)
		isOld := slices.ContainsFunc(older, func(v any) bool { return reflect.DeepEqual(v, p) })
		if _, isReference := object["$ref"]; !isOld && (isReference || object["required"] == true) {
			c.lose("%s: a new parameter is not known to be optional: %v", at, p)
		}
	}
}

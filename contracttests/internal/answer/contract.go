// Package answer checks individual answers against the contract: documented status, content type, headers, strict JSON, schema,
// dates, and no internal details of the server. Every answer of a run passes through it, whichever case asked for it. What an
// answer must be in its context, such as 402 for an empty account, is decided in package expect.
//
// Start with Contract.Check.
package answer

import (
	"bytes"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/getkin/kin-openapi/openapi3"

	"uncial/gen"
)

// Contract is the specification document, prepared for lookups. It is immutable and safe for concurrent use. It is the one
// that the suite was built with, not the one that the server serves.
type Contract struct {
	doc     *openapi3.T
	all     []Operation     // by id
	common  []string        // the headers that every documented answer must carry
	headers map[string]bool // every documented header
}

// Load parses the embedded contract, once per process.
var Load = sync.OnceValues(func() (*Contract, error) {
	doc, err := gen.GetSpec()
	if err != nil {
		return nil, fmt.Errorf("read the embedded contract: %w", err)
	}
	return Prepare(doc), nil
})

// Prepare collects the operations of a contract and the headers that every documented answer requires; answers outside the
// operations need the same ones.
func Prepare(doc *openapi3.T) *Contract {
	c := &Contract{doc: doc, headers: map[string]bool{}}
	for path, item := range doc.Paths.Map() {
		for method, op := range item.Operations() {
			c.all = append(c.all, Operation{ID: op.OperationID, Method: method, Path: path, op: op})
		}
	}
	slices.SortFunc(c.all, func(a, b Operation) int { return strings.Compare(a.ID, b.ID) })
	first := true
	for _, op := range c.all {
		for _, status := range op.Statuses() {
			var required []string
			for name, h := range op.response(status).Headers {
				c.headers[name] = true
				if h.Value.Required {
					required = append(required, name)
				}
			}
			// The first answer starts the intersection.
			if first {
				c.common, first = required, false
			}
			c.common = slices.DeleteFunc(c.common, func(n string) bool { return !slices.Contains(required, n) })
		}
	}
	slices.Sort(c.common)
	return c
}

// Document returns the contract itself. It must not be changed.
func (c *Contract) Document() *openapi3.T { return c.doc }

// Served returns the contract in a document that a server serves, nil if that is not a valid OpenAPI document.
func Served(document []byte) *Contract {
	if bytes.Equal(document, gen.Document) {
		own, _ := Load() // nil if it fails
		return own
	}
	served, _ := parseContract(document) // nil if it fails
	return served
}

// IsVersionOf reports whether two contracts have the same version.
func (c *Contract) IsVersionOf(o *Contract) bool { return c.doc.Info.Version == o.doc.Info.Version }

// Operation is one operation of the contract. ID is its operationId: "extract" or "status", as in the names of cases.
type Operation struct {
	ID     string // operationId
	Method string
	Path   string // relative to the base path, as in "/extract"
	op     *openapi3.Operation
}

// Operations are all operations, by id.
func (c *Contract) Operations() []Operation { return slices.Clone(c.all) }

// Operation finds the operation of a method and a path relative to the base path, and reports whether there is one.
func (c *Contract) Operation(method, path string) (Operation, bool) {
	i := slices.IndexFunc(c.all, func(o Operation) bool { return o.Method == method && o.Path == path })
	if i < 0 {
		return Operation{}, false
	}
	return c.all[i], true
}

// Headers are the names of all documented headers, sorted.
func (c *Contract) Headers() []string { return slices.Sorted(maps.Keys(c.headers)) }

// Methods are the documented methods of a path relative to the base path, sorted; nil if the path is not documented.
func (c *Contract) Methods(path string) []string {
	var methods []string
	for _, o := range c.all {
		if o.Path == path {
			methods = append(methods, o.Method)
		}
	}
	slices.Sort(methods)
	return methods
}

// RequestSchema returns the schema of the JSON body, nil if the operation takes none. Package generate makes invalid requests
// from it.
func (o Operation) RequestSchema() *openapi3.Schema {
	if o.op.RequestBody == nil {
		return nil
	}
	return o.op.RequestBody.Value.Content.Get("application/json").Schema.Value
}

// Statuses are the documented statuses, in order.
func (o Operation) Statuses() []int {
	var all []int
	for code := range o.op.Responses.Map() {
		if status, err := strconv.Atoi(code); err == nil {
			all = append(all, status)
		}
	}
	slices.Sort(all)
	return all
}

// response returns the documented response for the status, or nil.
func (o Operation) response(status int) *openapi3.Response {
	if ref := o.op.Responses.Status(status); ref != nil {
		return ref.Value
	}
	return nil
}

// elsewhere describes answers outside the operations: a 404 or a 405 in the envelope of an invalid request. The headers
// that all answers have are required, the others optional.
func (c *Contract) elsewhere() *openapi3.Response {
	headers := openapi3.Headers{}
	ref := c.doc.Components.Responses["InvalidRequest"]
	if ref == nil {
		return nil
	}
	full := ref.Value
	for name, ref := range full.Headers {
		h := *ref.Value
		h.Required = slices.Contains(c.common, name)
		headers[name] = &openapi3.HeaderRef{Value: &h}
	}
	return &openapi3.Response{Headers: headers, Content: full.Content}
}

// schemaOf returns the schema of the body of an answer, or nil if it has none.
func (c *Contract) schemaOf(a Answer) *openapi3.Schema {
	want := c.expected(a)
	if want == nil {
		return nil
	}
	if media := want.Content.Get("application/json"); media != nil && media.Schema != nil {
		return media.Schema.Value
	}
	return nil
}

// expected returns what the contract documents for the status of an answer, or nil.
func (c *Contract) expected(a Answer) *openapi3.Response {
	if a.Refusal != 0 {
		if a.Status != a.Refusal {
			return nil
		}
		return c.elsewhere()
	}
	op, ok := c.Operation(a.Method, a.Path)
	if ok {
		return op.response(a.Status)
	}
	exists := len(c.Methods(a.Path)) > 0
	if exists && a.Status == http.StatusMethodNotAllowed || !exists && a.Status == http.StatusNotFound {
		return c.elsewhere()
	}
	return nil
}

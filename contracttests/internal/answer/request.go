package answer

import (
	"fmt"
	"mime"
	"net/http"
	"regexp"
	"strings"
)

// Request is one request as it was sent.
type Request struct {
	Method string
	Path   string // relative to the base path
	Query  string // raw
	Header http.Header
	Body   []byte
}

// credentials is a bearer token (RFC 6750, section 2.1). The name of the scheme has any letter case.
var credentials = regexp.MustCompile(`^[Bb][Ee][Aa][Rr][Ee][Rr] +[A-Za-z0-9._~+/-]+=*$`)

// CheckRequest compares a request with the contract and returns one sentence for each problem. Whether the key is valid, the
// language supported and the image there only the server knows.
func (c *Contract) CheckRequest(r Request) (problems []string) {
	op, ok := c.Operation(r.Method, r.Path)
	if !ok {
		if methods := c.Methods(r.Path); len(methods) > 0 {
			return []string{fmt.Sprintf("%s does not support %s, only %s", r.Path, r.Method, strings.Join(methods, ", "))}
		}
		return []string{"there is nothing at " + r.Path}
	}
	if values := r.Header.Values("Authorization"); len(values) != 1 || !credentials.MatchString(values[0]) {
		problems = append(problems, "the header Authorization must be one bearer token")
	}
	problems = append(problems, op.checkParameters(r)...)
	schema := op.RequestSchema()
	if schema == nil {
		if len(r.Body) > 0 {
			problems = append(problems, fmt.Sprintf("%s takes no body", op.ID))
		}
		return problems
	}
	media, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil || media != "application/json" {
		problems = append(problems, fmt.Sprintf("the header Content-Type must be application/json, not %q", r.Header.Get("Content-Type")))
	}
	value, err := ParseJSON(r.Body)
	if err != nil {
		return append(problems, err.Error())
	}
	return append(problems, checkSchema(schema, value)...)
}

// checkParameters requires each header that the operation documents in its form, at most once, and no query: no operation
// has one.
func (o Operation) checkParameters(r Request) (problems []string) {
	for _, p := range o.op.Parameters {
		if p.Value.In != "header" {
			continue
		}
		switch values := r.Header.Values(p.Value.Name); {
		case len(values) > 1:
			problems = append(problems, fmt.Sprintf("the header %s occurs %d times", p.Value.Name, len(values)))
		case len(values) == 1:
			if err := checkHeaderValue(p.Value.Schema.Value, values[0]); err != "" {
				problems = append(problems, fmt.Sprintf("the header %s: %s", p.Value.Name, err))
			}
		}
	}
	if r.Query != "" {
		problems = append(problems, fmt.Sprintf("%s takes no query", o.ID))
	}
	return problems
}

// Package request turns the bytes of an HTTP request into a valid request for the generated handlers, or into a list of
// everything that is wrong with it, one reason per field. The rules come from openapi.yaml: query and header parameters,
// content type, strict JSON, the schema of the body, and the URLs of images.
//
// Bodies stream. The image in a data: URL is decoded while it arrives, into one buffer; neither the body nor the base64 text
// is ever held. The generated handler then gets a small object in which a short name replaces the data: URL, and
// InlineImage returns the image of that name.
//
// The JSON reader is our own (json.go, string.go, source.go). The decoders of encoding/json and of jsontext in
// github.com/go-json-experiment/json (as of 20 August 2026) return a string only as a whole, in a buffer that grows with it: an
// image of 20 MiB would be in memory as 28 MiB of text next to its bytes. They also stop at the first problem, while this one
// goes on after a repeated name, so that a client learns of all problems at once.
//
// Authentication, rate limits and errors are not here but in internal/edge; fetching an image by its address is in
// impl/fetch. Start with Operation.Check.
package request

import (
	"bytes"
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"net/url"
	"slices"

	"github.com/getkin/kin-openapi/openapi3"

	"uncial/internal/fair"
)

// MaxBody is the size of the largest body, in bytes: an image of 20 MiB in base64 (27,962,028 characters) and the rest of
// the request. It is a whole number of MiB because the error says so.
const MaxBody = 28 << 20

// imageFormat is the format in openapi.yaml of the properties that are URLs of images. The validator does not check it;
// imageURL does.
const imageFormat = "uri"

// Operation checks the requests of one operation of the contract. It is immutable.
type Operation struct {
	params openapi3.Parameters
	body   *openapi3.Schema // nil if the operation has no body
	images []string         // properties of the body that are URLs of images
}

// NewOperation returns the checker of an operation, whose body, if it has one, must be declared as application/json.
func NewOperation(op *openapi3.Operation) *Operation {
	o := &Operation{params: op.Parameters}
	if op.RequestBody == nil {
		return o
	}
	o.body = op.RequestBody.Value.Content.Get("application/json").Schema.Value
	for name, property := range o.body.Properties {
		if property.Value.Format == imageFormat {
			o.images = append(o.images, name)
		}
	}
	return o
}

// Invalid says what is wrong with a request and what is expected, by field name, JSON pointer (RFC 6901), header or parameter
// name, or "body".
type Invalid struct{ Details map[string]string }

func (e *Invalid) Error() string { return "the request is not valid" }

// Check reads the request, which uses the memory of the reservation in its context. It returns the request for the generated
// handler, which is r or a copy of it, with a validBody. Errors: *Invalid; fair.ErrFull if a valid request has an image for
// which the account has no memory left.
func (o *Operation) Check(w http.ResponseWriter, r *http.Request) (valid *http.Request, err error) {
	var f problems
	o.checkQuery(r.URL.RawQuery, &f)
	o.checkHeaders(r.Header, &f)
	if o.body == nil {
		checkNoBody(r.Body, &f)
		return r, f.err()
	}
	object, images, full := o.checkBody(w, r, &f)
	if err := f.err(); err != nil {
		return nil, err
	}
	if full {
		return nil, fair.ErrFull
	}
	if len(images) > 0 {
		r = r.WithContext(WithImages(r.Context(), images))
	}
	r.Body, r.ContentLength = &validBody{object: object}, -1
	return r, nil
}

// validBody is the body of a valid request. The generated handler takes the object from it (runtime.BindJSONBody of
// oapi-codegen), so that the body is not decoded a second time. Other readers get the object as JSON.
type validBody struct {
	object map[string]any
	text   io.Reader // nil until something reads
}

var _ io.ReadCloser = (*validBody)(nil)

// ValidatedValue is the method that runtime.BindJSONBody looks for.
func (b *validBody) ValidatedValue() any { return b.object }

// Read reads the object as JSON, which is encoded at the first call.
func (b *validBody) Read(p []byte) (int, error) {
	if b.text == nil {
		text, err := json.Marshal(b.object)
		if err != nil {
			return 0, err
		}
		b.text = bytes.NewReader(text)
	}
	return b.text.Read(p)
}

// Close does nothing; the server closes the body that it received.
func (b *validBody) Close() error { return nil }

// checkQuery refuses every parameter that is not documented. A client that puts a field of the body there would otherwise
// believe that it has an effect.
func (o *Operation) checkQuery(raw string, f *problems) {
	if raw == "" {
		return
	}
	query, err := url.ParseQuery(raw)
	if err != nil {
		f.add("query", "is malformed; this operation takes no query parameters")
	}
	for _, name := range slices.Sorted(maps.Keys(query)) {
		if o.params.GetByInAndName(openapi3.ParameterInQuery, name) == nil {
			f.add(fieldName([]string{name}), "is not a query parameter of this operation; it takes none")
		}
	}
}

// checkHeaders checks the documented header parameters. All other headers are allowed: proxies add them.
func (o *Operation) checkHeaders(h http.Header, f *problems) {
	for _, ref := range o.params {
		p := ref.Value
		values := h.Values(p.Name)
		switch {
		case p.In != openapi3.ParameterInHeader || len(values) == 0:
		case len(values) > 1:
			f.add(p.Name, "is given twice")
		default:
			f.addSchema(p.Name, visit(p.Schema.Value, values[0]))
		}
	}
}

// checkNoBody reads at most one byte, so that a body that must not be there costs nothing. An error is not a problem: without
// a byte there is no body.
func checkNoBody(body io.Reader, f *problems) {
	if n, _ := io.ReadFull(body, make([]byte, 1)); n > 0 {
		f.add("body", "must be absent; this operation takes no body")
	}
}

// checkBody reads the body and returns its object, in which names replace the data: URLs, and the images by name. A body that
// its headers already rule out is not read. full means that an image did not fit in memory; the request is checked all the
// same, so that the client learns what is wrong with it.
func (o *Operation) checkBody(w http.ResponseWriter, r *http.Request, f *problems) (object map[string]any, images map[string][]byte, full bool) {
	if !checkContentHeaders(r.Header, f) {
		return nil, nil, false
	}
	if r.ContentLength > MaxBody {
		f.add("body", tooLarge)
		return nil, nil, false
	}
	p := newParser(http.MaxBytesReader(w, r.Body, MaxBody), r.ContentLength, o.images, f)
	p.reservation = fair.ReservationFrom(r.Context())
	value, err := p.parse()
	if err != nil {
		f.add("body", err.Error())
		return nil, nil, false
	}
	f.addSchema("", visit(o.body, value))
	object, _ = value.(map[string]any)
	for _, field := range o.images {
		text, isString := object[field].(string)
		if !isString { // or the last value of a repeated name is not one
			continue
		}
		u := p.urls[field]
		problem := ""
		if u == nil {
			problem = webURLProblem(text)
		} else {
			problem = u.problem()
		}
		switch {
		case problem != "":
			f.add(field, problem)
		case u != nil && u.data != nil && u.data.full:
			full = true
		case u != nil && u.data != nil:
			name := u.name()
			if images == nil {
				images = map[string][]byte{}
			}
			object[field], images[name] = name, u.data.image
		}
	}
	return object, images, full
}

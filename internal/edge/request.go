package edge

import (
	"errors"
	"io"
	"maps"
	"mime"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
)

const (
	maxRead = 32 << 10 // bytes at a time
	maxBody = 28 << 20 // bytes: an image of 20 MiB in base64, and what is around it
)

// check holds the request against the contract and returns its body, nil where the operation has none. The error is an
// *Error that names all faults at once.
func (o *operation) check(w http.ResponseWriter, r *http.Request) (map[string]any, error) {
	var f faults
	o.checkQuery(r.URL.RawQuery, &f)
	o.checkHeaders(r.Header, &f)
	var body map[string]any
	if o.body == nil {
		checkNoBody(r.Body, &f)
	} else {
		body = o.checkBody(w, r, &f)
	}
	return body, f.err()
}

func (o *operation) checkQuery(raw string, f *faults) {
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

func (o *operation) checkHeaders(h http.Header, f *faults) {
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

// checkNoBody reads no more than one byte.
func checkNoBody(body io.Reader, f *faults) {
	if n, _ := io.ReadFull(body, make([]byte, 1)); n > 0 {
		f.add("body", "must be absent; this operation takes none")
	}
}

// checkBody reads the body, as long as its headers promise one that can be read, and holds it against the schema.
func (o *operation) checkBody(w http.ResponseWriter, r *http.Request, f *faults) map[string]any {
	if !checkContentHeaders(r.Header, f) {
		return nil
	}
	text, fault := readBody(w, r)
	if fault != "" {
		f.add("body", fault)
		return nil
	}
	value, err := parseJSON(text, f)
	if err != nil {
		f.add("body", err.Error())
		return nil
	}
	f.addSchema("", visit(o.body, value))
	object, _ := value.(map[string]any)
	o.checkImages(object, f)
	return object
}

// checkImages holds the URLs of images against their rule. The validator could, but would have to be told of it anew for each
// value.
func (o *operation) checkImages(object map[string]any, f *faults) {
	for _, name := range o.images {
		text, ok := object[name].(string)
		if !ok {
			continue
		}
		if fault := imageURLFault(text); fault != "" {
			f.add(name, fault)
		}
	}
}

func checkContentHeaders(h http.Header, f *faults) (ok bool) {
	ok = true
	if fault := contentTypeFault(h.Values("Content-Type")); fault != "" {
		f.add("Content-Type", fault)
		ok = false
	}
	if codings := h.Values("Content-Encoding"); slices.ContainsFunc(codings, func(c string) bool { return !strings.EqualFold(c, "identity") }) {
		f.add("Content-Encoding", "must be absent or identity; send the body uncompressed")
		ok = false
	}
	return ok
}

func contentTypeFault(values []string) string {
	switch {
	case len(values) == 0:
		return "is missing; must be application/json"
	case len(values) > 1:
		return "is given twice; must be application/json"
	case values[0] == "application/json": // the usual case, without parsing anything
		return ""
	}
	mediaType, params, err := mime.ParseMediaType(values[0])
	if err != nil || mediaType != "application/json" {
		return "must be application/json"
	}
	for name, value := range params {
		if name != "charset" || !strings.EqualFold(value, "utf-8") {
			return "must be application/json, with no parameter but charset=utf-8"
		}
	}
	return ""
}

// readBody is the body of at most maxBody bytes as a string, or what is wrong with it. It grows once where the length
// is known, so that a large body is held once and never copied.
func readBody(w http.ResponseWriter, r *http.Request) (text, fault string) {
	const tooLarge = "must be at most 28 MiB"
	if r.ContentLength > maxBody {
		return "", tooLarge
	}
	var b strings.Builder
	b.Grow(int(max(r.ContentLength, 0)))
	buffer := int64(maxRead)
	if r.ContentLength >= 0 { // it is -1 where the body comes in chunks
		buffer = min(buffer, r.ContentLength+1)
	}
	_, err := io.CopyBuffer(&b, http.MaxBytesReader(w, r.Body, maxBody), make([]byte, buffer))
	switch {
	case err == nil:
		return b.String(), ""
	case errors.As(err, new(*http.MaxBytesError)):
		return "", tooLarge
	case errors.Is(err, os.ErrDeadlineExceeded):
		return "", "did not arrive in time"
	default:
		return "", "ended early, or is not framed as HTTP asks"
	}
}

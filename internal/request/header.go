package request

import (
	"mime"
	"net/http"
	"slices"
	"strings"
)

// checkContentHeaders reports whether the headers allow the body to be read as JSON, and adds what is wrong.
func checkContentHeaders(h http.Header, f *problems) (readable bool) {
	readable = true
	if problem := contentTypeProblem(h.Values("Content-Type")); problem != "" {
		f.add("Content-Type", problem)
		readable = false
	}
	// A compressed body could be far larger than its length says.
	if slices.ContainsFunc(h.Values("Content-Encoding"), func(c string) bool { return !strings.EqualFold(c, "identity") }) {
		f.add("Content-Encoding", "must be absent or identity; send the body uncompressed")
		readable = false
	}
	return readable
}

// contentTypeProblem says what is wrong with the Content-Type headers, "" if they are one application/json (RFC 8259). A
// charset other than UTF-8 would mean that the body is not what the parser takes it for.
func contentTypeProblem(values []string) string {
	switch {
	case len(values) == 0:
		return "is missing; must be application/json"
	case len(values) > 1:
		return "is given twice; must be application/json"
	case values[0] == "application/json": // what clients send; parsing costs more than the rest of the headers
		return ""
	}
	mediaType, params, err := mime.ParseMediaType(values[0])
	if err != nil || mediaType != "application/json" {
		return "must be application/json"
	}
	for name, value := range params {
		if name != "charset" || !strings.EqualFold(value, "utf-8") {
			return "must be application/json, with no parameter except charset=utf-8"
		}
	}
	return ""
}

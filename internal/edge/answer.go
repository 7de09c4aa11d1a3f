package edge

import (
	"bytes"
	"errors"
	"net/http"
	"strconv"
	"strings"
)

// answerWriter is the ResponseWriter of the generated handlers. They write the status before the body, so that no
// Content-Length could be sent, and escape <, > and &, of which hOCR, ALTO and PAGE-XML are full. answerWriter delays the
// status and undoes the escapes.
type answerWriter struct {
	http.ResponseWriter
	status int // 0 until WriteHeader
}

// WriteHeader keeps the status until the body is known.
func (a *answerWriter) WriteHeader(status int) { a.status = status }

// Write sends the answer. Generated handlers write a JSON body with one call.
func (a *answerWriter) Write(body []byte) (int, error) {
	if a.Header().Get("Content-Type") != "application/json" {
		a.ResponseWriter.WriteHeader(a.status)
		return a.ResponseWriter.Write(body)
	}
	text := unescapeHTML(body)
	a.Header().Set("Content-Length", strconv.Itoa(len(text)))
	a.ResponseWriter.WriteHeader(a.status)
	if _, err := a.ResponseWriter.Write(text); err != nil {
		return 0, err
	}
	return len(body), nil
}

// Unwrap lets http.ResponseController and exchangeOf reach the ResponseWriter inside.
func (a *answerWriter) Unwrap() http.ResponseWriter { return a.ResponseWriter }

// finish sends the header of an answer without a body. It returns an error if the server returned nil for an answer.
func (a *answerWriter) finish() error {
	switch {
	case exchangeOf(a).status != 0:
		return nil
	case a.status == 0:
		return errors.New("the operation returned no answer")
	default:
		a.ResponseWriter.WriteHeader(a.status)
		return nil
	}
}

// htmlEscapes undoes the escaping of encoding/json for HTML. The pair of backslashes keeps a backslash that is part of a
// text from being read as the start of an escape.
var htmlEscapes = strings.NewReplacer(`\\`, `\\`, `\u003c`, "<", `\u003e`, ">", `\u0026`, "&")

func unescapeHTML(text []byte) []byte {
	if !bytes.Contains(text, []byte(`\u00`)) {
		return text
	}
	return []byte(htmlEscapes.Replace(string(text)))
}

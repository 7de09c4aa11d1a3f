// Package har writes HTTP archives (HAR 1.2, http://www.softwareishard.com/blog/har-12-spec/) that browsers and other tools
// open. API keys are removed from everything it writes. It knows nothing of the contract; package contracttests archives the
// exchanges of a run, and package proxy those that pass through it.
//
// Start with Writer.
package har

import (
	"cmp"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"sync"
	"time"
	"unicode/utf8"
)

// Exchange is a request and its answer.
type Exchange struct {
	Started time.Time
	Took    time.Duration

	Method        string
	URL           string
	RequestHeader http.Header
	RequestBody   []byte
	RequestSize   int64 // of the whole body, if RequestBody is only its beginning

	Status       int    // 0 if there was no answer
	AnswerProto  string // "" for HTTP/1.1
	AnswerHeader http.Header
	AnswerBody   []byte
	AnswerSize   int64 // of the whole body, if AnswerBody is only its beginning

	// Secrets are the API keys that must not be written, besides everything that looks like one.
	Secrets []string
	// Comment is shown with the exchange, such as why there is no answer.
	Comment string
}

// usualProto is the version of HTTP that the archive states if none is known.
const usualProto = "HTTP/1.1"

// maxBody limits the part of each body that is archived, in bytes. Inline images are larger, and tools that show archives hold
// them in memory.
const maxBody = 256 << 10

// Writer writes an archive while its exchanges happen, so that its memory does not grow with them. It is safe for concurrent
// use.
type Writer struct {
	mu      sync.Mutex
	out     io.Writer
	err     error // the first of out
	entries int
	pages   []page
}

// NewWriter begins an archive, for which creator and version name the program. Close returns the errors of out, and must be
// called for the archive to be valid JSON.
func NewWriter(out io.Writer, creator, version string) *Writer {
	w := &Writer{out: out, pages: []page{}}
	w.print(`{"log":{"version":"1.2","creator":`)
	w.encode(map[string]string{"name": creator, "version": version})
	w.print(`,"entries":[`)
	return w
}

// Page begins a group of exchanges with a title; those that are added until the next call belong to it.
func (w *Writer) Page(title string, started time.Time) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.pages = append(w.pages, page{started.UTC().Format(timeForm), fmt.Sprintf("page_%d", len(w.pages)+1), title, struct{}{}})
}

// Add writes an exchange. Errors are reported by Close.
func (w *Writer) Add(x Exchange) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.entries > 0 {
		w.print(",")
	}
	w.print("\n")
	w.entries++
	e := x.entry()
	if n := len(w.pages); n > 0 {
		e.Page = w.pages[n-1].ID
	}
	w.encode(e)
}

// Close ends the archive, and returns the first error of the underlying writer.
func (w *Writer) Close() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.print("\n],\"pages\":")
	w.encode(w.pages)
	w.print("}}\n")
	return w.err
}

func (w *Writer) print(s string) {
	if w.err == nil {
		_, w.err = io.WriteString(w.out, s)
	}
}

func (w *Writer) encode(v any) {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err) // the types below have no value without a JSON form
	}
	w.print(string(text))
}

// timeForm is ISO 8601 with milliseconds, as archives have it.
const timeForm = "2006-01-02T15:04:05.000Z07:00"

type (
	page struct {
		Started string   `json:"startedDateTime"`
		ID      string   `json:"id"`
		Title   string   `json:"title"`
		Timings struct{} `json:"pageTimings"`
	}
	entry struct {
		Page    string   `json:"pageref,omitempty"`
		Started string   `json:"startedDateTime"`
		Time    float64  `json:"time"` // milliseconds
		Request request  `json:"request"`
		Answer  answer   `json:"response"`
		Cache   struct{} `json:"cache"`
		Timings timings  `json:"timings"`
		Comment string   `json:"comment,omitempty"`
	}
	// timings has only what is known: how long the whole exchange took. -1 stands for unknown.
	timings struct {
		Send    float64 `json:"send"`
		Wait    float64 `json:"wait"`
		Receive float64 `json:"receive"`
	}
	pair struct {
		Name  string `json:"name"`
		Value string `json:"value"`
	}
	request struct {
		Method      string    `json:"method"`
		URL         string    `json:"url"`
		Proto       string    `json:"httpVersion"`
		Cookies     []pair    `json:"cookies"` // always empty: the API has none, and others may be secret
		Headers     []pair    `json:"headers"`
		Query       []pair    `json:"queryString"`
		Body        *postData `json:"postData,omitempty"`
		HeadersSize int       `json:"headersSize"`
		BodySize    int64     `json:"bodySize"`
	}
	postData struct {
		MediaType string `json:"mimeType"`
		Params    []pair `json:"params"`
		Text      string `json:"text"`
		Comment   string `json:"comment,omitempty"`
	}
	answer struct {
		Status      int     `json:"status"`
		Text        string  `json:"statusText"`
		Proto       string  `json:"httpVersion"`
		Cookies     []pair  `json:"cookies"`
		Headers     []pair  `json:"headers"`
		Content     content `json:"content"`
		Redirect    string  `json:"redirectURL"`
		HeadersSize int     `json:"headersSize"`
		BodySize    int64   `json:"bodySize"`
	}
	content struct {
		Size      int64  `json:"size"`
		MediaType string `json:"mimeType"`
		Text      string `json:"text,omitempty"`
		Encoding  string `json:"encoding,omitempty"` // "base64" if the body is not text
		Comment   string `json:"comment,omitempty"`
	}
)

// entry is the exchange in the form of an archive, without keys.
func (x Exchange) entry() entry {
	clean := remover(x.Secrets)
	ms := float64(x.Took.Microseconds()) / 1000
	e := entry{
		Started: x.Started.UTC().Format(timeForm), Time: ms, Timings: timings{0, ms, 0}, Comment: clean.text(x.Comment),
		Request: request{
			Method: x.Method, URL: clean.text(x.URL), Proto: usualProto, Cookies: []pair{}, Headers: clean.headers(x.RequestHeader),
			Query: clean.query(x.URL), HeadersSize: -1, BodySize: max(int64(len(x.RequestBody)), x.RequestSize),
		},
		Answer: answer{
			Status: x.Status, Text: http.StatusText(x.Status), Proto: cmp.Or(x.AnswerProto, usualProto), Cookies: []pair{}, Headers: clean.headers(x.AnswerHeader),
			Redirect: clean.text(x.AnswerHeader.Get("Location")), HeadersSize: -1, BodySize: max(int64(len(x.AnswerBody)), x.AnswerSize),
		},
	}
	if len(x.RequestBody) > 0 {
		text, encoding, comment := clean.body(x.RequestBody, e.Request.BodySize)
		if encoding != "" { // postData has no encoding
			comment = "in base64; " + comment
		}
		e.Request.Body = &postData{x.RequestHeader.Get("Content-Type"), []pair{}, text, comment}
	}
	c := content{Size: e.Answer.BodySize, MediaType: x.AnswerHeader.Get("Content-Type")}
	c.Text, c.Encoding, c.Comment = clean.body(x.AnswerBody, e.Answer.BodySize)
	e.Answer.Content = c
	return e
}

// body returns the archived part of a body. Bodies that are not text are encoded in base64.
func (r remover) body(body []byte, size int64) (text, encoding, comment string) {
	kept := body[:min(len(body), maxBody)]
	if int64(len(kept)) < size {
		comment = fmt.Sprintf("the first %d of %d bytes", len(kept), size)
		kept = wholeCharacters(kept)
	}
	if utf8.Valid(kept) {
		return r.text(string(kept)), "", comment
	}
	return base64.StdEncoding.EncodeToString([]byte(r.text(string(kept)))), "base64", comment
}

// wholeCharacters drops a character at the end that the limit has split.
func wholeCharacters(text []byte) []byte {
	for n := range min(utf8.UTFMax, len(text)) {
		if whole := text[:len(text)-n]; utf8.Valid(whole) {
			return whole
		}
	}
	return text
}

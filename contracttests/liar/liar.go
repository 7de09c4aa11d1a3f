// Package liar stands between a client and an honest server of the contract and tells one lie at a time, so that a
// contract suite can show that it catches every one. A lie is a defect that a real server could have: a charge that
// goes astray, a header that is missing, a window that slides, a document whose words are not those of the text.
//
// Lies about keys know the honest server's keys by the names that the mock gives them: expired, revoked, ok.
package liar

import (
	"bytes"
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"reflect"
	"slices"
	"strings"
)

// Defect is one lie.
type Defect struct {
	// Name is unique and says what is wrong, in words with hyphens.
	Name string
	// Area is what the lie is about: schema, protocol, errors, requests, auth, ledger, limits, idempotency or formats.
	Area string
	// Explanation says in one sentence what the server does that it must not do.
	Explanation string
	// CaughtBy is the case that must fail on the defect: the one that is about the promise it breaks.
	CaughtBy string

	lie lie
}

// lie turns an honest server into one that lies. It is called once for each liar, so that what it remembers is its own.
type lie func(honest server) server

// server answers calls.
type server func(c *call) *reply

// call is a request with its body read.
type call struct {
	request *http.Request
	body    []byte
}

// reply is an answer.
type reply struct {
	status int
	header http.Header
	body   []byte
}

// Defects are all lies that the package knows.
func Defects() []Defect {
	all := slices.Concat(schemaLies(), protocolLies(), errorLies(), requestLies(), authLies(), ledgerLies(), limitLies(), idempotencyLies(), formatLies(), subtleLies(), furtherLies(), heldOutLies())
	for i := range all {
		all[i].CaughtBy = caughtBy[all[i].Name]
	}
	return all
}

// New is the honest server with the defect. An httputil.ReverseProxy makes an honest server of an address.
func New(honest http.Handler, d Defect) http.Handler {
	lying := d.lie(func(c *call) *reply {
		rec := httptest.NewRecorder()
		honest.ServeHTTP(rec, c.again())
		return &reply{rec.Code, rec.Header(), rec.Body.Bytes()}
	})
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.URL.Path, "/__mock/") {
			honest.ServeHTTP(w, r) // a test's own hands are not lied to
			return
		}
		var body bytes.Buffer
		body.Grow(bytes.MinRead + int(min(max(r.ContentLength, 0), 32<<20))) // it would grow there by many copies
		if _, err := body.ReadFrom(r.Body); err != nil {
			return // the client is gone
		}
		a := lying(&call{r, body.Bytes()})
		a.header.Del("Content-Length")
		maps.Copy(w.Header(), a.header)
		w.WriteHeader(a.status)
		_, _ = w.Write(a.body) // the client is gone
	})
}

// again is the request, ready to be sent once more.
func (c *call) again() *http.Request {
	r := c.request.Clone(c.request.Context())
	r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(c.body)), int64(len(c.body))
	r.TransferEncoding = nil
	return r
}

// with is the call with another body.
func (c *call) with(body []byte) *call {
	return &call{c.request.Clone(c.request.Context()), body}
}

func (c *call) api() bool { return strings.HasPrefix(c.request.URL.Path, "/api/v1/") }

func (c *call) extracts() bool {
	return c.request.Method == http.MethodPost && c.request.URL.Path == "/api/v1/extract"
}

func (c *call) asksStatus() bool {
	return c.request.Method == http.MethodGet && c.request.URL.Path == "/api/v1/status"
}

// key is the bearer token.
func (c *call) key() string {
	_, token, _ := strings.Cut(c.request.Header.Get("Authorization"), " ")
	return token
}

// asks is the object in the body of the request, nil where there is none.
func (c *call) asks() map[string]any { return object(c.body) }

func (c *call) asksFor(field string) string {
	s, _ := c.asks()[field].(string)
	return s
}

func (c *call) idempotencyKey() string { return c.request.Header.Get("Idempotency-Key") }

func object(body []byte) map[string]any {
	d := json.NewDecoder(bytes.NewReader(body))
	d.UseNumber()
	var o map[string]any
	if d.Decode(&o) != nil {
		return nil
	}
	return o
}

// edit changes the object in the body, where there is one. What is not changed stays byte for byte.
func (a *reply) edit(change func(o map[string]any)) { a.body = edited(a.body, change) }

func edited(body []byte, change func(o map[string]any)) []byte {
	o := object(body)
	if o == nil {
		return body
	}
	change(o)
	if reflect.DeepEqual(o, object(body)) {
		return body
	}
	return encode(o)
}

func encode(v any) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		panic(err) // what was decoded can be encoded
	}
	return b.Bytes()
}

// number is a member as an integer, 0 where it is none.
func number(o map[string]any, name string) int64 {
	n, _ := o[name].(json.Number)
	v, _ := n.Int64()
	return v
}

func (a *reply) replace(old, replacement string) {
	a.body = bytes.ReplaceAll(a.body, []byte(old), []byte(replacement))
}

// when is a condition for a lie.
type when func(c *call, a *reply) bool

// always holds for all answers of the API.
func always(c *call, _ *reply) bool { return c.api() }

func status(codes ...int) when {
	return func(c *call, a *reply) bool { return c.api() && slices.Contains(codes, a.status) }
}

func extracted(c *call, a *reply) bool { return c.extracts() && a.status == http.StatusOK }

func told(c *call, a *reply) bool { return c.asksStatus() && a.status == http.StatusOK }

func failed(c *call, a *reply) bool { return c.api() && a.status >= 400 }

// after changes the answers for which the condition holds.
func after(holds when, change func(c *call, a *reply)) lie {
	return func(honest server) server {
		return func(c *call) *reply {
			a := honest(c)
			if holds(c, a) {
				change(c, a)
			}
			return a
		}
	}
}

// fields changes the object of the answers for which the condition holds.
func fields(holds when, change func(o map[string]any)) lie {
	return after(holds, func(_ *call, a *reply) { a.edit(change) })
}

func set(holds when, name string, value any) lie {
	return fields(holds, func(o map[string]any) { o[name] = value })
}

func remove(holds when, names ...string) lie {
	return fields(holds, func(o map[string]any) {
		for _, n := range names {
			delete(o, n)
		}
	})
}

// header sets a header of the answers for which the condition holds; "" takes it out.
func header(holds when, name, value string) lie {
	return after(holds, func(_ *call, a *reply) {
		if a.header.Del(name); value != "" {
			a.header.Set(name, value)
		}
	})
}

// text changes the body of the answers for which the condition holds.
func text(holds when, change func(body string) string) lie {
	return after(holds, func(_ *call, a *reply) { a.body = []byte(change(string(a.body))) })
}

// recode changes the status of answers.
func recode(holds when, code int) lie {
	return after(holds, func(_ *call, a *reply) { a.status = code })
}

// before changes requests on their way to the honest server.
func before(change func(c *call)) lie {
	return func(honest server) server {
		return func(c *call) *reply {
			if !c.api() {
				return honest(c)
			}
			other := c.with(c.body)
			change(other)
			return honest(other)
		}
	}
}

package liar

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// The two operations of the contract.
const (
	extractPath = "/api/v1/extract"
	statusPath  = "/api/v1/status"
)

// Keys of the honest server, each in an account that no run uses.
const (
	okKey      = "ocr_test_ok_liar"
	emptyKey   = "ocr_test_empty_liar"
	archiveKey = "ocr_test_archive_liar" // has points and requests for everything
	failingKey = "ocr_test_err_liar"
)

// call is a request whose body has been read.
type call struct {
	request  *http.Request
	body     []byte
	overlaps bool // an extraction of the same name was running when this one came; set by overlapping
}

// httpRequest is the call as a request that can be sent once.
func (c *call) httpRequest() *http.Request {
	r := c.request.Clone(c.request.Context())
	r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(c.body)), int64(len(c.body))
	r.TransferEncoding = nil
	return r
}

// withBody returns a copy of the call with another body.
func (c *call) withBody(body []byte) *call {
	return &call{request: c.request.Clone(c.request.Context()), body: body}
}

// withKey returns a copy of the call with another API key.
func (c *call) withKey(key string) *call {
	other := c.withBody(c.body)
	other.request.Header.Set("Authorization", "Bearer "+key)
	return other
}

// unkeyed returns a copy of the call without an Idempotency-Key.
func (c *call) unkeyed() *call {
	other := c.withBody(c.body)
	other.request.Header.Del("Idempotency-Key")
	return other
}

// isAPI reports whether the call is to the API rather than to the document, the health checks or a control route.
func (c *call) isAPI() bool { return strings.HasPrefix(c.request.URL.Path, "/api/v1/") }

func (c *call) isExtract() bool {
	return c.request.Method == http.MethodPost && c.request.URL.Path == extractPath
}

func (c *call) isStatus() bool {
	return c.request.Method == http.MethodGet && c.request.URL.Path == statusPath
}

func (c *call) authorization() string { return c.request.Header.Get("Authorization") }

// key is the bearer token, or "".
func (c *call) key() string {
	_, token, _ := strings.Cut(c.authorization(), " ")
	return token
}

func (c *call) idempotencyKey() string { return c.request.Header.Get("Idempotency-Key") }

// fields is the JSON object in the body, or nil.
func (c *call) fields() object { return parse(c.body) }

// field is a string of the body, or "" if the field is not one.
func (c *call) field(name string) string {
	s, _ := c.fields()[name].(string)
	return s
}

// ask sends another request of the same account to the honest server.
func (c *call) ask(honest server, method, path string, body []byte) *reply {
	other := c.withBody(body)
	other.request.Method, other.request.URL.Path, other.request.URL.RawQuery = method, path, ""
	other.request.Header = http.Header{"Authorization": c.request.Header["Authorization"], "Content-Type": {"application/json"}}
	if method == http.MethodGet {
		other.request.Header.Del("Content-Type")
	}
	return honest(other)
}

// status is the honest answer to GET /status for the account of the call.
func (c *call) status(honest server) *reply {
	return c.ask(honest, http.MethodGet, statusPath, nil)
}

// pointsLeft returns the number of points left in the account of the call.
func (c *call) pointsLeft(honest server) int64 {
	return number(c.status(honest).object(), "pointsRemaining")
}

// malformed returns the honest answer to an extraction without any field: it counts, and gets a 429 once the window is used up.
func (c *call) malformed(honest server) *reply {
	return c.ask(honest, http.MethodPost, extractPath, []byte(`{}`))
}

// now is the time on the clock of the call's account, zero if the honest server has no control routes.
func (c *call) now(honest server) time.Time {
	other := c.withBody([]byte(`{"advance":"0s"}`))
	other.request.Method, other.request.URL.Path = http.MethodPost, "/__mock/clock"
	other.request.URL.RawQuery = url.Values{"key": {c.key()}}.Encode()
	other.request.Header = http.Header{"Content-Type": {"application/json"}}
	var state struct{ Now time.Time }
	if json.Unmarshal(honest(other).body, &state) != nil {
		return time.Time{}
	}
	return state.Now
}

type reply struct {
	status int
	header http.Header
	body   []byte
}

// object is the JSON object in the body, or nil.
func (a *reply) object() object { return parse(a.body) }

func (a *reply) clone() *reply { return &reply{a.status, a.header.Clone(), a.body} }

// become copies status and body from another answer, but keeps its own headers, so that request id and window stay correct.
func (a *reply) become(b *reply) { a.status, a.body = b.status, b.body }

// takeWindow copies the rate-limit headers of another answer.
func (a *reply) takeWindow(b *reply) {
	for _, name := range []string{"RateLimit", "RateLimit-Policy"} {
		a.header.Del(name)
		if v := b.header.Get(name); v != "" {
			a.header.Set(name, v)
		}
	}
}

// edit changes the object in the body, if there is one. If nothing changes, the body stays the same byte for byte.
func (a *reply) edit(change func(o object)) { a.body = edited(a.body, change) }

// replace changes the bytes of the body, whether it is JSON or not.
func (a *reply) replace(old, replacement string) {
	a.body = bytes.ReplaceAll(a.body, []byte(old), []byte(replacement))
}

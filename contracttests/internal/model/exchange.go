package model

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"strconv"
	"strings"
	"sync/atomic"
	"time"
)

// maxAnswer limits the body of an answer, in bytes: a document of ten pages has a few megabytes.
const maxAnswer = 16 << 20

// ErrIdleClosed says that a connection ended on which requests had been answered before, and without a byte of this answer.
// Servers close idle connections at any time, so this is not their problem. The request may or may not have arrived.
var ErrIdleClosed = errors.New("the server closed an idle connection when the request was sent")

var errTooLong = fmt.Errorf("the answer is longer than %d MiB", maxAnswer>>20)

// Exchange is a request and its answer.
type Exchange struct {
	Status int
	Header http.Header
	Body   []byte
	// JSON is the object in the body, with numbers as json.Number; nil if there is none.
	JSON map[string]any
	// Sent is the time before the first byte left, Received the time after the last byte came.
	Sent, Received time.Time
	// Unreachable says that no connection could be made.
	Unreachable bool

	Request *Request
	Target  Target
}

// IsReplayed reports whether the answer says that it is the stored one of an earlier request.
func (x *Exchange) IsReplayed() bool { return x.Header.Get("Idempotency-Replayed") != "" }

// Exchange sends the request and reads the whole answer. The exchange is never nil; the error says why there is no
// complete answer.
func (t Target) Exchange(ctx context.Context, r *Request) (*Exchange, error) {
	x, err := t.exchange(ctx, r)
	if t.watch != nil {
		t.watch(x, err)
	}
	return x, err
}

// exchange sends the request once and reads the whole answer. An exchange that failed is returned too: it says what was sent,
// and when.
func (t Target) exchange(ctx context.Context, r *Request) (*Exchange, error) {
	ctx, cancel := context.WithTimeout(ctx, t.Timeout)
	defer cancel()
	x := &Exchange{Request: r, Target: t, Sent: time.Now()}
	req, err := r.http(ctx, t.BaseURL)
	if err != nil {
		return x, err
	}
	var reused, begun atomic.Bool
	req = req.WithContext(httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		GotConn:              func(c httptrace.GotConnInfo) { reused.Store(c.Reused) },
		GotFirstResponseByte: func() { begun.Store(true) },
	}))
	res, err := t.roundTrip(ctx, r, req)
	if err == nil {
		defer func() { _ = res.Body.Close() }() // it was only read
		x.Status, x.Header = res.StatusCode, res.Header
		err = x.read(res)
		x.Received = time.Now()
	}
	x.Unreachable = IsUnreachable(err)
	var refused *url.Error
	switch {
	case err == nil || errors.Is(err, errTooLong):
		return x, err
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return x, fmt.Errorf("no complete answer within %s", t.Timeout)
	case reused.Load() && !begun.Load() && ctx.Err() == nil:
		return x, fmt.Errorf("%w: %w", ErrIdleClosed, err)
	case errors.As(err, &refused):
		return x, fmt.Errorf("no answer: %w", refused.Err)
	case ctx.Err() != nil || x.Status == 0:
		return x, fmt.Errorf("no answer: %w", err)
	}
	return x, fmt.Errorf("the answer ended before its body was complete: %w", err)
}

// IsUnreachable reports whether an error means that no connection could be made.
func IsUnreachable(err error) bool {
	failed, ok := errors.AsType[*net.OpError](err)
	return ok && failed.Op == "dial"
}

// roundTrip sends a request in the version of HTTP that it asks for.
func (t Target) roundTrip(ctx context.Context, r *Request, req *http.Request) (*http.Response, error) {
	text := r.Text
	if r.OldHTTP {
		var err error
		if text, err = asOld(req); err != nil {
			return nil, err
		}
	}
	if text != "" {
		if res, ok, err := t.roundTripText(ctx, req, text); ok {
			return res, err
		}
	}
	return t.Client.Do(req) //nolint:gosec // the address is that of the server that the user checks
}

// read reads the body, and decompresses it if the request offered gzip.
func (x *Exchange) read(res *http.Response) (err error) {
	if x.Body, err = readLimited(res.Body); err != nil {
		return err
	}
	if !OffersGzip(x.Request.Header) || !IsGzip(res.Header) {
		return nil
	}
	r, err := gzip.NewReader(bytes.NewReader(x.Body))
	if err != nil {
		return err
	}
	x.Header.Del("Content-Encoding")
	x.Body, err = readLimited(r)
	return err
}

// IsGzip reports whether an answer says that it is compressed with gzip, by either name.
func IsGzip(h http.Header) bool {
	coding := h.Get("Content-Encoding")
	return strings.EqualFold(coding, "gzip") || strings.EqualFold(coding, "x-gzip")
}

// OffersGzip reports whether a request accepts answers in gzip: by its name or its other name x-gzip, or else by "*", unless
// with the weight 0 (RFC 9110, sections 8.4.1.3 and 12.5.3).
func OffersGzip(h http.Header) bool {
	byName, byStar := -1.0, -1.0
	for offer := range strings.SplitSeq(strings.Join(h.Values("Accept-Encoding"), ","), ",") {
		coding, rest, _ := strings.Cut(offer, ";")
		weight := 1.0
		if name, value, _ := strings.Cut(strings.TrimSpace(rest), "="); strings.EqualFold(name, "q") {
			weight, _ = strconv.ParseFloat(value, 64) // an invalid weight counts as 0
		}
		switch strings.ToLower(strings.TrimSpace(coding)) {
		case "gzip", "x-gzip":
			byName = max(byName, weight)
		case "*":
			byStar = weight
		}
	}
	return byName > 0 || byName < 0 && byStar > 0
}

// readLimited reads at most maxAnswer bytes, so that a server cannot exhaust our memory.
func readLimited(r io.Reader) ([]byte, error) {
	body, err := io.ReadAll(io.LimitReader(r, maxAnswer+1))
	if len(body) > maxAnswer {
		return nil, errTooLong
	}
	return body, err
}

// Int returns an integer member of the answer.
func (x *Exchange) Int(name string) (int64, bool) { return Int(x.JSON, name) }

// Text returns a string member of the answer, or "".
func (x *Exchange) Text(name string) string {
	s, _ := x.JSON[name].(string)
	return s
}

// Object returns an object member of the answer, or nil.
func (x *Exchange) Object(name string) map[string]any {
	o, _ := x.JSON[name].(map[string]any)
	return o
}

// Int returns an integer member of an object.
func Int(o map[string]any, name string) (int64, bool) {
	n, _ := o[name].(json.Number)
	v, err := n.Int64()
	return v, err == nil
}

// http builds the request for net/http. Header names keep their letter case.
func (r *Request) http(ctx context.Context, base string) (*http.Request, error) {
	var body io.Reader
	if r.Body != nil {
		body = bytes.NewReader(r.Body)
	}
	if r.Chunked {
		body = struct{ io.Reader }{body} // hides the length
	}
	req, err := http.NewRequestWithContext(ctx, r.Method, r.url(base), body)
	if err != nil {
		return nil, err
	}
	maps.Copy(req.Header, r.headers())
	req.Close = r.Close
	if req.URL.Scheme == "https" { // HTTP/2 has no such headers (RFC 9113, section 8.2.2)
		for _, name := range []string{"Connection", "Upgrade", "Http2-Settings"} {
			req.Header.Del(name)
		}
	}
	for _, c := range r.Auth {
		req.Header.Add("Authorization", c.Value)
	}
	return req, nil
}

// URL returns the address that the request is sent to.
func (x *Exchange) URL() string { return x.Request.url(x.Target.BaseURL) }

// SentHeader returns the header of the request that the suite has set.
func (x *Exchange) SentHeader() http.Header {
	h := x.Request.headers()
	for _, c := range x.Request.Auth {
		h.Add("Authorization", c.Value)
	}
	return h
}

// url joins without escaping, because some cases send unusual paths.
func (r *Request) url(base string) string {
	switch {
	case r.Absolute != "":
		return r.Absolute
	case r.Query != "":
		return base + r.Path + "?" + r.Query
	}
	return base + r.Path
}

// headers are all headers except Authorization.
func (r *Request) headers() http.Header {
	h := http.Header{"User-Agent": {"uncial-contract"}}
	if r.Body != nil {
		h.Set("Content-Type", "application/json")
	}
	for name, values := range r.Header {
		h[name] = values
		if len(values) == 0 {
			h.Del(name)
		}
	}
	return h
}

// Member reads a member of the body into a value. A member that is missing leaves the value as it is.
func (x *Exchange) Member(name string, into any) error {
	member, ok := x.JSON[name]
	if !ok {
		return nil
	}
	text, err := json.Marshal(member)
	if err != nil {
		return err
	}
	return json.Unmarshal(text, into)
}

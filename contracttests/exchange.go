package contracttests

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// maxAnswer bounds the body of an answer: a document of ten pages has a few megabytes.
const maxAnswer = 16 << 20

var errTooLong = fmt.Errorf("the answer is longer than %d MiB", maxAnswer>>20)

// readAnswer reads a body whole, unless it is too long.
func readAnswer(r io.Reader) ([]byte, error) {
	body, err := io.ReadAll(io.LimitReader(r, maxAnswer+1))
	if len(body) > maxAnswer {
		return nil, errTooLong
	}
	return body, err
}

// credential is a value of the Authorization header. shell is how a shell writes it with the key in $UNCIAL_KEY, so that
// a report never shows a key.
type credential struct{ value, shell string }

func bearer(key string) credential { return credential{"Bearer " + key, "Bearer $UNCIAL_KEY"} }

// request is one request and what the suite knows of it.
type request struct {
	method   string // default: POST
	path     string // relative to the base URL; default: /extract
	query    string // raw, without "?"
	absolute string // the whole address, where it is not under the base URL
	auth     []credential
	header   http.Header // beside Authorization; nil sends Content-Type: application/json with a body
	body     []byte
	chunked  bool

	account *account // whose key it carries; nil where the key opens nothing
	faults  []string // what is wrong with its shape, as details must name it; alternatives are separated by "|"
	job     *job     // what it asks for; nil where it cannot be read from the body
	rush    bool     // sent although the window is used up
	free    bool     // the model of the account is not to be applied: concurrent requests
}

func (r *request) isExtraction() bool { return r.method == http.MethodPost && r.path == "/extract" }

func (r *request) isStatus() bool { return r.method == http.MethodGet && r.path == "/status" }

// Exchange is one request and its answer as they went over the wire.
type Exchange struct {
	Status int
	Header http.Header
	Body   []byte
	// JSON is the object in the body, nil where there is none.
	JSON map[string]any
	// Sent and Received are when the first byte left and the last one came.
	Sent, Received time.Time

	request *request
	target  Target
}

// exchange sends the request and reads the answer whole.
func (t Target) exchange(ctx context.Context, r *request) (*Exchange, error) {
	ctx, cancel := context.WithTimeout(ctx, t.Timeout)
	defer cancel()
	x := &Exchange{request: r, target: t, Sent: time.Now()}
	req, err := r.http(ctx, t.BaseURL)
	if err != nil {
		return x, err
	}
	res, err := t.Client.Do(req)
	if err != nil {
		return x, noAnswer(ctx, err, t.Timeout)
	}
	defer func() { _ = res.Body.Close() }() // it was only read
	return x, x.read(ctx, res, t.Timeout)
}

func (x *Exchange) read(ctx context.Context, res *http.Response, timeout time.Duration) error {
	body, err := readAnswer(res.Body)
	x.Received = time.Now()
	x.Status, x.Header, x.Body = res.StatusCode, res.Header, body
	if err == nil && x.request.header.Get("Accept-Encoding") == "gzip" && res.Header.Get("Content-Encoding") == "gzip" {
		err = x.decompress()
	}
	if errors.Is(err, errTooLong) {
		return err
	}
	if err != nil && ctx.Err() == nil {
		return fmt.Errorf("the answer ended before its body was whole: %w", err)
	}
	if err != nil {
		return noAnswer(ctx, err, timeout)
	}
	return nil
}

// decompress undoes the coding that the request offered to read.
func (x *Exchange) decompress() error {
	r, err := gzip.NewReader(bytes.NewReader(x.Body))
	if err != nil {
		return err
	}
	x.Header.Del("Content-Encoding")
	x.Body, err = readAnswer(r)
	return err
}

// noAnswer words what a client saw instead of an answer.
func noAnswer(ctx context.Context, err error, timeout time.Duration) error {
	if ue, ok := errors.AsType[*url.Error](err); ok {
		err = ue.Err
	}
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return fmt.Errorf("there was no whole answer within %s", timeout)
	}
	return fmt.Errorf("there was no answer: %w", err)
}

func (r *request) http(ctx context.Context, base string) (*http.Request, error) {
	var body io.Reader
	if r.body != nil {
		body = bytes.NewReader(r.body)
	}
	if r.chunked {
		body = struct{ io.Reader }{body} // hides the length
	}
	req, err := http.NewRequestWithContext(ctx, r.method, r.address(base), body)
	if err != nil {
		return nil, err
	}
	maps.Copy(req.Header, r.headers())
	for _, c := range r.auth {
		req.Header.Add("Authorization", c.value)
	}
	return req, nil
}

func (r *request) address(base string) string {
	switch {
	case r.absolute != "":
		return r.absolute
	case r.query != "":
		return base + r.path + "?" + r.query
	}
	return base + r.path
}

func (r *request) headers() http.Header {
	h := http.Header{"User-Agent": {"uncial-contract"}}
	if r.body != nil {
		h.Set("Content-Type", "application/json")
	}
	for name, values := range r.header {
		if len(values) == 0 {
			h.Del(name)
			continue
		}
		h[name] = values
	}
	return h
}

// Curl is a command line that repeats the request, with the key in $UNCIAL_KEY.
func (x *Exchange) Curl() string {
	r := x.request
	var b strings.Builder
	b.WriteString("curl -isS")
	if r.method == http.MethodHead {
		b.WriteString(" --head")
	} else if r.method != http.MethodGet || r.body != nil {
		b.WriteString(" -X " + r.method)
	}
	for _, c := range r.auth {
		fmt.Fprintf(&b, ` -H "Authorization: %s"`, c.shell)
	}
	headers := r.headers()
	headers.Del("User-Agent")
	for _, name := range slices.Sorted(maps.Keys(headers)) {
		for _, v := range headers[name] {
			b.WriteString(" -H " + quote(header(name, v)))
		}
	}
	if r.chunked {
		b.WriteString(" -H 'Transfer-Encoding: chunked'")
	}
	remark := ""
	if len(r.body) > maxShown {
		b.WriteString(" --data-binary @body.json")
		remark = fmt.Sprintf(" # body.json: %d bytes that begin with %s", len(r.body), quote(string(r.body[:80])))
	} else if r.body != nil {
		b.WriteString(" --data-binary " + quote(string(r.body)))
	}
	line := b.String() + " " + quote(r.address(x.target.BaseURL)) + remark
	for _, key := range x.target.secrets() { // whatever is left of them stands in single quotes
		line = strings.ReplaceAll(line, key, `'"$UNCIAL_KEY"'`)
	}
	return line
}

// maxShown is the longest body that stands in a command line: the suite's own images fit.
const maxShown = 16 << 10

// header is the line as curl wants it: a header without a value is written with a semicolon.
func header(name, value string) string {
	if value == "" {
		return name + ";"
	}
	return name + ": " + value
}

// quote is the text for a POSIX shell; bytes that do not print are escaped the way bash and zsh read.
func quote(s string) string {
	if utf8.ValidString(s) && !strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsPrint(r) }) {
		return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
	}
	var b strings.Builder
	b.WriteString("$'")
	for i := range len(s) {
		switch c := s[i]; {
		case c == '\'' || c == '\\':
			b.WriteString(`\` + string(c))
		case c < ' ' || c >= 0x7f:
			b.WriteString(`\x` + strconv.FormatInt(0x100+int64(c), 16)[1:])
		default:
			b.WriteByte(c)
		}
	}
	return b.String() + "'"
}

// String is the exchange in one line.
func (x *Exchange) String() string {
	return fmt.Sprintf("%s %s -> %d %s", x.request.method, x.request.path, x.Status, shorten(string(x.Body), 300))
}

func shorten(s string, n int) string {
	s = strings.ToValidUTF8(strings.TrimSpace(s), "?")
	if r := []rune(s); len(r) > n {
		return string(r[:n]) + "..."
	}
	return s
}

package proxy

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

	"uncial/contracttests/internal/answer"
	"uncial/contracttests/internal/expect"
	"uncial/contracttests/internal/har"
	"uncial/contracttests/internal/model"
)

// checkAll checks exchanges in the order in which they ended, until the queue is closed.
func (p *Proxy) checkAll() {
	for x := range p.queue {
		p.archive(x)
		p.check(x)
		x.release()
	}
}

// check checks one exchange against the contract.
func (p *Proxy) check(x *exchange) {
	kind := p.kind(x)
	switch {
	case x.gone && (x.err != nil || x.received.err != nil || x.status == 0):
		p.counts.hungUp++
		return
	case errors.Is(x.sent.err, errNotKept), errors.Is(x.received.err, errNotKept):
		p.counts.unchecked++
		return
	}
	x.request.Body = x.sent.kept
	invalid := p.contract.CheckRequest(x.request)
	var problems []string
	switch {
	case x.err != nil:
		problems = []string{"no answer: " + reason(x.err)}
	case x.received.err != nil:
		problems = []string{"the answer ended before its body was complete: " + reason(x.received.err)}
	default:
		problems = p.checkAnswer(x, invalid)
	}
	p.counts.add(kind)
	if !p.options.AllowInvalidRequests {
		p.report(x, kind, "request", invalid)
	}
	p.report(x, kind, "answer", problems)
}

// kind groups exchanges in the report, as in "extract/200".
func (p *Proxy) kind(x *exchange) string {
	name := "elsewhere"
	if op, ok := p.contract.Operation(x.request.Method, x.request.Path); ok {
		name = op.ID
	}
	if x.status == 0 {
		return name + "/no-answer"
	}
	return fmt.Sprintf("%s/%d", name, x.status)
}

// report passes violations of one side on.
func (p *Proxy) report(x *exchange, kind, side string, problems []string) {
	for _, problem := range problems {
		v := Violation{
			At: x.started.UTC(), Kind: kind, Side: side, Method: x.request.Method, Path: basePath + x.request.Path, Status: x.status,
			RequestID: p.presentable(x, x.header.Get("X-Request-Id")), Problem: p.presentable(x, problem),
		}
		p.counts.addViolation(v)
		if p.options.Violation != nil {
			p.options.Violation(v)
		}
	}
}

// checkAnswer checks a complete answer against the contract, its request, and earlier exchanges.
func (p *Proxy) checkAnswer(x *exchange, invalid []string) (problems []string) {
	header, body, err := x.uncompressed()
	if err != nil {
		return []string{"the body cannot be decompressed: " + err.Error()}
	}
	if len(invalid) > 0 && x.status == http.StatusOK {
		problem := "a 200 to an invalid request"
		if p.options.AllowInvalidRequests { // otherwise they are reported as violations of the request
			problem += ": " + strings.Join(invalid, "; ")
		}
		problems = append(problems, problem)
	}
	members, alone := p.contract.Check(answer.Answer{
		Method: x.request.Method, Path: x.request.Path, Status: x.status, Header: header, Body: body, Served: p.served,
		URL: x.request.Path + "?" + x.request.Query + " " + x.url, Request: x.request.Body, Origin: x.request.Header.Get("Origin"), Secrets: answer.NewSecrets(x.secrets()),
	})
	problems = append(problems, alone...)
	if members == nil {
		return problems // the rules below read the members of an object
	}
	y := x.model(members, header, body)
	problems = append(problems, expect.CheckRetryAfter(y)...)
	switch {
	case y.Request.IsStatus() && x.status == http.StatusOK:
		problems = append(problems, checkRecord(y)...)
	case y.Request.IsExtraction() && x.status == http.StatusOK && y.Request.Job != nil:
		problems = append(problems, new(expect.Readings).CheckResult(y)...)
	}
	return append(problems, p.memory.compare(x, members)...)
}

// checkRecord requires the numbers of a status record to agree with each other and with the headers.
func checkRecord(y *model.Exchange) (problems []string) {
	used, hasUsed := y.Int("pointsUsed")
	left, hasLeft := y.Int("pointsRemaining")
	if total, ok := y.Int("pointsTotal"); ok && hasUsed && hasLeft && used+left != total {
		problems = append(problems, fmt.Sprintf("pointsUsed and pointsRemaining add up to %d, but pointsTotal is %d", used+left, total))
	}
	requests, _, limit, ok := model.HeaderWindow(y)
	if !ok {
		return problems
	}
	window := y.Object("rateLimit")
	for _, n := range []struct {
		name string
		in   map[string]any
		want int64
	}{{"rateLimitRemaining", y.JSON, requests}, {"remaining", window, requests}, {"limit", window, limit}} {
		if got, ok := model.Int(n.in, n.name); ok && got != n.want {
			problems = append(problems, fmt.Sprintf("%s is %d, but the headers RateLimit and RateLimit-Policy say %d", n.name, got, n.want))
		}
	}
	return problems
}

// uncompressed is the answer as the client reads it. A coding that the client did not offer stays, and is an error.
func (x *exchange) uncompressed() (http.Header, []byte, error) {
	if !model.OffersGzip(x.request.Header) || !model.IsGzip(x.header) || len(x.received.kept) == 0 {
		return x.header, x.received.kept, nil
	}
	header := x.header.Clone()
	header.Del("Content-Encoding")
	r, err := gzip.NewReader(bytes.NewReader(x.received.kept))
	if err != nil {
		return nil, nil, err
	}
	body, err := io.ReadAll(io.LimitReader(r, maxUncompressed))
	return header, body, err
}

// maxUncompressed limits an answer after decompression, in bytes, against answers that grow without end.
const maxUncompressed = 64 << 20

// model describes the exchange to the rules of the suite. Nothing is known about the server, so it may leave optional fields
// out, its times may be those of fixtures, and any page may be empty.
func (x *exchange) model(members map[string]any, header http.Header, body []byte) *model.Exchange {
	y := &model.Exchange{
		Status: x.status, Header: header, Body: body, JSON: members, Sent: x.started, Received: x.started.Add(x.took),
		Request: &model.Request{Method: x.request.Method, Path: x.request.Path, Header: x.request.Header, Body: x.request.Body},
		Target:  model.Target{Minimal: true, Simulated: true},
	}
	var asked struct {
		Language, Format string
		Enhance          *bool
	}
	if json.Unmarshal(x.request.Body, &asked) == nil {
		y.Request.Job = &model.Job{Image: model.ImageFaint, Language: asked.Language, Format: asked.Format, Enhance: asked.Enhance}
	}
	return y
}

// minKey is the shortest token that is taken for a key, in characters. Shorter ones, as tests of errors send, occur
// everywhere by chance.
const minKey = 12

// secrets are the keys of the exchange.
func (x *exchange) secrets() (all []string) {
	for _, value := range x.request.Header.Values("Authorization") {
		_, token, _ := strings.Cut(value, " ")
		if token = strings.TrimSpace(token); len(token) >= minKey {
			all = append(all, token)
		}
	}
	return all
}

// maxProblem is the longest problem that is reported, in characters.
const maxProblem = 500

// presentable is a problem as it may be shown: on one line, not too long, without keys.
func (p *Proxy) presentable(x *exchange, problem string) string {
	return model.Target{Keys: map[string][]string{"request": x.secrets()}}.Presentable(har.RemoveKeys(problem), maxProblem)
}

// archive adds the exchange to the archive, if there is one.
func (p *Proxy) archive(x *exchange) {
	if p.options.Archive == nil {
		return
	}
	e := har.Exchange{
		Started: x.started, Took: x.took, Method: x.request.Method, URL: x.url, RequestHeader: x.request.Header,
		RequestBody: x.sent.kept, RequestSize: x.sent.size,
		Status: x.status, AnswerProto: x.proto, AnswerHeader: x.header, AnswerBody: x.received.kept, AnswerSize: x.received.size,
		Secrets: x.secrets(),
	}
	if err := errors.Join(x.err, x.received.err); err != nil {
		e.Comment = reason(err)
	}
	p.options.Archive.Add(e)
}

// reason is an error of the network without the addresses of the proxy's own connection.
func reason(err error) string {
	for _, known := range []struct{ mark, text string }{
		{"connection refused", "connection refused"},
		{"connection reset", "connection reset"},
		{"no such host", "no such host"},
		{"timeout awaiting response headers", "no answer within " + headerTimeout.String()},
		{"unexpected EOF", "connection closed"},
		{"EOF", "connection closed"},
	} {
		if strings.Contains(err.Error(), known.mark) {
			return known.text
		}
	}
	return err.Error()
}

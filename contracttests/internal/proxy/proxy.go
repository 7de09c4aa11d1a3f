// Package proxy sits between clients and a server, passes their traffic through unchanged, and checks each request and each
// answer against the contract. It sends nothing of its own except one request for the server's contract.
//
// proxy.go passes traffic on, check.go finds violations, memory.go remembers earlier exchanges, and report.go counts. The rules
// for individual requests and answers are those of the suite, in packages answer and expect. What the suite checks with
// accounts of its own, such as whether the points are right, cannot be judged here: other clients may use the same accounts.
//
// Start with New and Proxy.ServeHTTP.
package proxy

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync"
	"time"

	"uncial/contracttests/internal/answer"
	"uncial/contracttests/internal/har"
)

// basePath is where clients find the API on the proxy, as on every server of the contract.
const basePath = "/api/v1"

// Options configure a proxy.
type Options struct {
	// To is the address of the API that the traffic is for; its path ends in /api/v1. Required.
	To string
	// AllowInvalidRequests says that invalid requests are not violations as long as the server refuses them.
	AllowInvalidRequests bool
	// Violation is called for each violation, by one goroutine at a time. Default: nil.
	Violation func(Violation)
	// Archive receives all exchanges of the API. Default: nil.
	Archive *har.Writer
}

// Proxy is the handler. Close must be called after the last request.
type Proxy struct {
	options  Options
	root     *url.URL // of the server, without basePath
	contract *answer.Contract
	served   *answer.Contract // what the server serves as its contract, nil if it serves none
	reverse  *httputil.ReverseProxy
	client   *http.Transport
	budget   budget
	passing  sync.WaitGroup
	queue    chan *exchange // passed on, to be checked
	checked  sync.WaitGroup
	memory   memory // owned by the checking goroutine
	counts   counts
}

var _ http.Handler = (*Proxy)(nil)

const (
	// queued is the maximum number of exchanges that wait for their check. Further ones delay the next request of their
	// connection, which bounds the memory without delaying an answer.
	queued = 64
	// idle is the maximum number of idle connections to the server, for concurrent clients.
	idle = 256
	// headerTimeout is the time that the server has to begin its answer: longer than any server takes to read a page.
	headerTimeout = 10 * time.Minute
)

// New makes a proxy and asks the server which version of the contract it claims. The error says what is wrong with the
// address; a server that is down is not an error yet.
func New(ctx context.Context, o Options) (*Proxy, error) {
	u, err := url.Parse(strings.TrimSuffix(o.To, "/"))
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.RawQuery != "" || u.Fragment != "" || u.User != nil {
		return nil, fmt.Errorf("invalid URL %q; expected one such as https://host%s", o.To, basePath)
	}
	if !strings.HasSuffix(u.Path, basePath) {
		return nil, fmt.Errorf("the path of the URL must end in %s, as in %s%s", basePath, u, basePath)
	}
	u.Path = strings.TrimSuffix(u.Path, basePath)
	contract, err := answer.Load()
	if err != nil {
		return nil, err
	}
	p := &Proxy{
		options: o, root: u, contract: contract, queue: make(chan *exchange, queued), memory: newMemory(), counts: newCounts(),
		client: &http.Transport{
			DisableCompression: true, ForceAttemptHTTP2: true, MaxIdleConnsPerHost: idle, Proxy: http.ProxyFromEnvironment,
			ResponseHeaderTimeout: headerTimeout, ExpectContinueTimeout: time.Second, IdleConnTimeout: time.Minute,
		},
	}
	p.reverse = &httputil.ReverseProxy{
		Rewrite: p.rewrite, Transport: p.client, FlushInterval: -1, ModifyResponse: received, ErrorHandler: failed,
		ErrorLog: log.New(io.Discard, "", 0), // what it would log becomes a violation
	}
	p.served = p.servedContract(ctx)
	p.checked.Go(p.checkAll)
	return p, nil
}

// ServeHTTP passes a request on and hands the exchange over to be checked. Paths outside of the API are passed on only.
func (p *Proxy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	// The proxy must not add what the server left out.
	w.Header()["Date"], w.Header()["Content-Type"] = nil, nil
	path, ok := strings.CutPrefix(r.URL.Path, basePath)
	if !ok || !strings.HasPrefix(path, "/") {
		p.reverse.ServeHTTP(w, r)
		return
	}
	x := &exchange{started: time.Now(), request: answer.Request{Method: r.Method, Path: path, Query: r.URL.RawQuery, Header: r.Header.Clone()}}
	x.url = p.root.String() + r.URL.RequestURI()
	x.sent.budget, x.received.budget = &p.budget, &p.budget
	if r.Body != nil {
		x.sent.watch(r.Body, r.ContentLength)
		r.Body = &x.sent
	}
	p.passing.Add(1)
	defer func() {
		defer p.passing.Done()
		x.took = time.Since(x.started)
		x.gone = r.Context().Err() != nil
		x.sent.stop()
		x.received.stop()
		p.queue <- x
	}()
	p.reverse.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), exchangeKey{}, x)))
}

// Close waits for the requests that are passing and for the checks, and returns what was found. No request may come
// afterwards.
func (p *Proxy) Close() Report {
	p.passing.Wait()
	close(p.queue)
	p.checked.Wait()
	p.client.CloseIdleConnections()
	return p.counts.report()
}

// rewrite sends a request to the server as it came: httputil would remove parameters that it cannot parse and the headers of
// other proxies.
func (p *Proxy) rewrite(r *httputil.ProxyRequest) {
	r.SetURL(p.root)
	r.Out.URL.RawQuery = r.In.URL.RawQuery
	for _, name := range []string{"Forwarded", "X-Forwarded-For", "X-Forwarded-Host", "X-Forwarded-Proto"} {
		if values, ok := r.In.Header[name]; ok {
			r.Out.Header[name] = values
		}
	}
}

// received begins to copy an answer.
func received(res *http.Response) error {
	x := exchangeFrom(res.Request.Context())
	if x == nil {
		return nil
	}
	x.status, x.header, x.proto = res.StatusCode, res.Header.Clone(), res.Proto
	x.received.watch(res.Body, res.ContentLength)
	res.Body = &x.received
	return nil
}

// failed ends a request that the server did not answer. If the server dropped the connection, the client's is dropped too. If
// the server could not be reached, the client gets a 502, which names the proxy so that nobody looks for the problem in the
// client.
func failed(w http.ResponseWriter, r *http.Request, err error) {
	if x := exchangeFrom(r.Context()); x != nil {
		x.err = err
	}
	if dial := (*net.OpError)(nil); !errors.As(err, &dial) || dial.Op != "dial" {
		panic(http.ErrAbortHandler)
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(http.StatusBadGateway)
	_, _ = io.WriteString(w, `{"success":false,"error":"The server did not answer.","code":"SERVER_ERROR",`+
		`"message":"uncial-contract proxy: no answer from the server; the proxy's report says why"}`+"\n")
}

// servedContract is what the server serves as its contract, nil if it serves none or cannot be reached.
func (p *Proxy) servedContract(ctx context.Context) *answer.Contract {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, p.root.String()+"/openapi.yaml", nil)
	if err != nil {
		return nil
	}
	res, err := p.client.RoundTrip(r)
	if err != nil {
		return nil
	}
	defer func() { _ = res.Body.Close() }()
	text, err := io.ReadAll(io.LimitReader(res.Body, maxContract))
	if err != nil || res.StatusCode != http.StatusOK {
		return nil
	}
	return answer.Served(text)
}

// maxContract is the longest contract that is read, in bytes.
const maxContract = 4 << 20

// exchangeKey is the key of the exchange in the context of a request.
type exchangeKey struct{}

func exchangeFrom(ctx context.Context) *exchange {
	x, _ := ctx.Value(exchangeKey{}).(*exchange)
	return x
}

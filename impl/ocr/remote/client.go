package remote

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"uncial/impl/ocr"
	"uncial/impl/ocr/pipe"
	"uncial/impl/tracing"
	"uncial/internal/document"
	"uncial/internal/fair"
)

// Options of a Client.
type Options struct {
	Logger  *slog.Logger  // default: none
	Refresh time.Duration // interval at which the addresses and loads of the engines are refreshed; default: 5 s
	Shun    time.Duration // time for which an engine that failed is used only if there is no other; default: 5 s
	Timeout time.Duration // for an image whose caller does not set a deadline; default: 3 minutes
	// Lookup resolves a host name; default: the system's resolver.
	Lookup func(ctx context.Context, host string) ([]netip.Addr, error)
}

// withDefaults returns the options with the default for each that is absent or out of range.
func (o Options) withDefaults() Options {
	o.Logger = cmp.Or(o.Logger, slog.New(slog.DiscardHandler))
	o.Refresh = cmp.Or(max(o.Refresh, 0), 5*time.Second)
	o.Shun = cmp.Or(max(o.Shun, 0), 5*time.Second)
	o.Timeout = cmp.Or(max(o.Timeout, 0), 3*time.Minute)
	if o.Lookup == nil {
		o.Lookup = func(ctx context.Context, host string) ([]netip.Addr, error) {
			return net.DefaultResolver.LookupNetIP(ctx, "ip", host)
		}
	}
	return o
}

const (
	refreshTimeout   = 3 * time.Second  // for one refresh of all engines
	languagesTimeout = 5 * time.Second  // for an engine to list its languages
	languagesMaxAge  = 30 * time.Second // after which the languages are fetched again
	maxInfo          = 1 << 20          // maximum bytes of an answer other than a document
	maxAttempts      = 2                // maximum number of engines that get the same image
)

// Client is a Recognizer that uses the engines behind one host name. It is safe for concurrent use.
//
// With a headless service in Kubernetes, or several addresses in DNS, the name has one address per engine. The client itself
// chooses among them by load, because a load balancer would not know how many images wait on each engine.
type Client struct {
	base      *url.URL
	port      uint16
	opts      Options
	http      *http.Client
	engines   engines
	semaphore *fair.Semaphore
	cancel    context.CancelFunc
	loop      sync.WaitGroup

	mu    sync.Mutex // guards tags and until
	tags  []string   // the latest answer to Languages
	until time.Time  // when tags must be fetched again

	requests, died, repeated atomic.Uint64
}

var _ ocr.Recognizer = (*Client)(nil)

var (
	errNoEngine = errors.New("the engine's host name has no address")
	errNotReady = errors.New("no engine answers with a ready worker")
)

// Dial returns a client for the engines at a URL such as http://engine:8090. The engines need not run yet: an error means that
// the URL is invalid. ctx limits only the first refresh, not the lifetime of the client, which ends with Close.
func Dial(ctx context.Context, baseURL string, opts Options) (*Client, error) {
	base, port, err := parseURL(baseURL)
	if err != nil {
		return nil, err
	}
	running, cancel := context.WithCancel(context.Background())
	c := &Client{base: base, port: port, opts: opts.withDefaults(), http: newHTTPClient(base.Hostname()), cancel: cancel}
	c.engines.now = time.Now
	c.semaphore = fair.NewSemaphore(c.engines.places)
	c.refresh(ctx)
	c.loop.Go(func() { c.keepRefreshing(running) })
	return c, nil
}

// Close stops the background work. It does not wait for images that are being read.
func (c *Client) Close() error {
	c.cancel()
	c.loop.Wait()
	c.http.CloseIdleConnections()
	return nil
}

// keepRefreshing refreshes the addresses and loads at intervals of Options.Refresh until ctx ends.
func (c *Client) keepRefreshing(ctx context.Context) {
	tick := time.NewTicker(c.opts.Refresh)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			c.refresh(ctx)
		case <-ctx.Done():
			return
		}
	}
}

// refresh resolves the host name and asks each engine for its load. If the name cannot be resolved, it keeps the known engines,
// because resolvers fail more often than addresses change.
func (c *Client) refresh(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, refreshTimeout)
	defer cancel()
	if addrs, err := c.resolve(ctx); err != nil {
		c.opts.Logger.Warn("cannot resolve the engine's host name", "error", err)
	} else if c.engines.set(addrs) {
		c.opts.Logger.Info("engine addresses changed", "addresses", addrs)
	}
	// An engine that answers is no longer avoided.
	c.engines.each(ctx, func(ctx context.Context, e *engine) {
		var load ocr.Load
		if err := c.get(ctx, e, "/load", &load); err != nil {
			c.engines.avoid(e, c.opts.Shun)
			return
		}
		c.engines.report(e, load, 0)
		c.engines.avoid(e, 0)
	})
}

// resolve returns the addresses of the host name, each with the port of the base URL, sorted and without duplicates. The base
// URL may also have an address instead of a host name.
func (c *Client) resolve(ctx context.Context) ([]netip.AddrPort, error) {
	addrs := []netip.Addr{}
	if addr, err := netip.ParseAddr(c.base.Hostname()); err == nil {
		addrs = append(addrs, addr)
	} else if addrs, err = c.opts.Lookup(ctx, c.base.Hostname()); err != nil {
		return nil, err
	}
	var ports []netip.AddrPort
	for _, addr := range addrs {
		ports = append(ports, netip.AddrPortFrom(addr.Unmap(), c.port))
	}
	slices.SortFunc(ports, netip.AddrPort.Compare)
	return slices.Compact(ports), nil
}

// newRequest returns a request to one engine. It goes to the engine's address, with the host name of the base URL in the Host
// header, as certificates and proxies require.
func (c *Client) newRequest(ctx context.Context, e *engine, method, path string, body io.Reader) (*http.Request, error) {
	u := *c.base
	u.Host = e.addr.String()
	u.Path = strings.TrimSuffix(u.Path, "/")
	r, err := http.NewRequestWithContext(ctx, method, u.String()+path, body) //nolint:gosec // the operator chose the host
	if err != nil {
		return nil, err
	}
	r.Host = c.base.Host
	return r, nil
}

// get sends a GET request to an engine and decodes the JSON answer.
func (c *Client) get(ctx context.Context, e *engine, path string, into any) error {
	r, err := c.newRequest(ctx, e, http.MethodGet, path, nil)
	if err != nil {
		return err
	}
	status, _, text, err := c.do(r, maxInfo)
	if err != nil {
		return err
	}
	if status != http.StatusOK {
		return fmt.Errorf("the engine answered with status %d", status)
	}
	return json.Unmarshal(text, into)
}

// do sends a request and reads at most limit bytes of the answer, which count in the reservation of the request. The error is
// fair.ErrFull if the reservation has no memory left.
func (c *Client) do(r *http.Request, limit int) (status int, header http.Header, body []byte, err error) {
	res, err := c.http.Do(r) //nolint:gosec // the operator chose the host
	if err != nil {
		return 0, nil, nil, err
	}
	defer func() { _ = res.Body.Close() }()
	expected := limit
	if n := res.ContentLength; n >= 0 && n < int64(limit) {
		expected = int(n) + 1 // one byte more, so that reading EOF does not need a larger buffer
	}
	reservation := fair.ReservationFrom(r.Context())
	body, err = reservation.ReadAll(io.LimitReader(res.Body, int64(limit)), expected)
	if err != nil {
		reservation.Shrink(cap(body))
	}
	return res.StatusCode, res.Header, body, err
}

// Semaphore limits the images that this client sends at a time to those for which the engines have room, and divides the places
// among accounts. Recognize does not enter it: the engines have their own semaphores.
func (c *Client) Semaphore() *fair.Semaphore { return c.semaphore }

// Recognize reads an image on the engine with the lowest load. If that engine dies or is full, it tries one other. An
// image that cannot be read or takes too long is not retried, because it would fail on any engine. Errors: those of
// ocr.Recognizer, errNoEngine, *diedError.
func (c *Client) Recognize(ctx context.Context, req ocr.Request) (*document.Document, error) {
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case len(req.Image) == 0:
		return nil, &ocr.ImageError{Reason: "the image is empty; send a JPEG, PNG, TIFF, BMP or WebP file"}
	}
	// The deadline is also sent to the engine, so both give up at the same time.
	bounded, cancel := c.withTimeout(ctx)
	defer cancel()
	var previous *engine
	for attempt := 1; ; attempt++ {
		e := c.engines.acquire(previous)
		if e == nil {
			return nil, errNoEngine
		}
		c.requests.Add(1)
		doc, err := c.send(bounded, e, req)
		c.engines.release(e)
		died := (*diedError)(nil)
		// If the caller has left or its time is up, return that error: it may have caused the engine's error.
		switch {
		case err == nil:
			return doc, nil
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case bounded.Err() != nil:
			return nil, context.Cause(bounded)
		case errors.As(err, &died):
			c.died.Add(1)
			c.engines.avoid(e, c.opts.Shun)
			c.opts.Logger.Warn("engine died", "address", e.addr, "error", err)
		case !errors.Is(err, ocr.ErrBusy) || !c.engines.hasRoom(e):
			return nil, err
		}
		if attempt == maxAttempts {
			return nil, err
		}
		c.repeated.Add(1)
		previous = e
	}
}

// withTimeout gives ctx a deadline if it has none, so that an engine that hangs cannot block a caller forever.
func (c *Client) withTimeout(ctx context.Context) (context.Context, context.CancelFunc) {
	if _, set := ctx.Deadline(); set {
		return ctx, func() {}
	}
	return context.WithTimeoutCause(ctx, c.opts.Timeout, ocr.ErrTimeout)
}

// diedError means that an engine did not answer completely. The image may be retried once, on another engine.
type diedError struct{ cause error }

// Error includes the cause, which may name an address: it is for the log.
func (e *diedError) Error() string { return "the engine gave no answer: " + e.cause.Error() }
func (e *diedError) Unwrap() error { return e.cause }

// send sends the image to one engine and returns its document, or its error as one of package ocr. It checks the document as
// strictly as that of a worker, because an engine decodes untrusted images too.
func (c *Client) send(ctx context.Context, e *engine, req ocr.Request) (*document.Document, error) {
	query := url.Values{"language": {req.Language}}
	if req.Enhance {
		query.Set("enhance", "true")
	}
	if req.Picture {
		query.Set("picture", "true")
	}
	if req.Preview {
		query.Set("preview", "true")
	}
	r, err := c.newRequest(ctx, e, http.MethodPost, "/recognize?"+query.Encode(), bytes.NewReader(req.Image))
	if err != nil {
		return nil, err
	}
	setDeadline(r.Header, ctx)
	setAccount(r.Header, ctx)
	tracing.Inject(ctx, r.Header)
	r.Header.Set("Content-Type", "application/octet-stream")
	r.Header.Set("Expect", "100-continue") // so that a busy engine can refuse before the image is sent
	to := pipe.Request{Language: req.Language, Enhance: req.Enhance, Preview: req.Preview, Picture: req.Picture}
	status, header, text, err := c.do(r, pipe.AnswerLimit(to)+1)
	if errors.Is(err, fair.ErrFull) {
		return nil, err
	}
	if err != nil {
		return nil, &diedError{err}
	}
	// The reported load no longer includes this request, although the caller releases it only later.
	if load, ok := getLoad(header); ok {
		c.engines.report(e, load, 1)
	}
	if status == http.StatusOK {
		doc, err := pipe.DecodeDocument(text, to)
		fair.ReservationFrom(ctx).Shrink(cap(text) - pipe.ImageBytes(doc)) // the images stay in memory
		return doc, err
	}
	var f failure
	if err := json.Unmarshal(text, &f); err != nil {
		return nil, fmt.Errorf("the engine answered with status %d", status)
	}
	return nil, f.toError()
}

// Ready returns nil if at least one engine has a ready worker. It asks all engines at once instead of using the loads from the
// last refresh, which may be seconds old.
func (c *Client) Ready(ctx context.Context) error {
	var ready atomic.Bool
	c.engines.each(ctx, func(ctx context.Context, e *engine) {
		var load ocr.Load
		if err := c.get(ctx, e, "/load", &load); err == nil && load.Ready > 0 {
			ready.Store(true)
		}
	})
	if !ready.Load() {
		return errNotReady
	}
	return nil
}

// Stats holds the current state of the engines as this client sees it, and counters since the client was created. Package app
// exports them as metrics.
type Stats struct {
	Engines  int    // known addresses
	Avoided  int    // engines that failed within the last Options.Shun
	Running  int    // requests that are waiting for an answer
	Requests uint64 // requests that were sent
	Died     uint64 // requests that got no answer
	Repeated uint64 // images that were sent to a second engine
}

// Stats returns the client's state and counters.
func (c *Client) Stats() Stats {
	s := c.engines.stats()
	s.Requests, s.Died, s.Repeated = c.requests.Load(), c.died.Load(), c.repeated.Load()
	return s
}

// Languages returns the languages of one of the engines; all engines should have the same models. It caches the answer for
// languagesMaxAge, and longer if no engine answers after that, so that requests do not fail while engines restart.
func (c *Client) Languages(ctx context.Context) ([]string, error) {
	// mu is not held during a request to an engine, so that callers who can use the cached answer do not wait.
	c.mu.Lock()
	tags, fresh := slices.Clone(c.tags), time.Now().Before(c.until)
	c.mu.Unlock()
	if fresh {
		return tags, nil
	}
	ctx, cancel := context.WithTimeout(ctx, languagesTimeout)
	defer cancel()
	err := errNoEngine
	var previous *engine
	for range maxAttempts {
		e := c.engines.acquire(previous)
		if e == nil {
			break
		}
		var answer languages
		err = c.get(ctx, e, "/languages", &answer)
		c.engines.release(e)
		if err == nil {
			c.mu.Lock()
			defer c.mu.Unlock()
			c.tags, c.until = answer.Languages, time.Now().Add(languagesMaxAge)
			return slices.Clone(answer.Languages), nil
		}
		previous = e
	}
	if len(tags) > 0 {
		return tags, nil
	}
	return nil, fmt.Errorf("ask the engine for its languages: %w", err)
}

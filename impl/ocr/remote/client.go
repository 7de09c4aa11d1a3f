package remote

import (
	"bytes"
	"context"
	"crypto/tls"
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
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"uncial/impl/ocr"
	"uncial/impl/ocr/pipe"
	"uncial/internal/document"
)

// Options of a Client.
type Options struct {
	Logger  *slog.Logger  // default: none
	Refresh time.Duration // how often the host is resolved again and the load asked for; default: 5 s
	Shun    time.Duration // how long an address that failed is the last choice; default: 5 s
	Timeout time.Duration // for one image whose caller sets no deadline; default: 3 minutes
	// Lookup resolves a host name; default: the system's resolver.
	Lookup func(ctx context.Context, host string) ([]netip.Addr, error)
}

func (o Options) withDefaults() Options {
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	if o.Refresh <= 0 {
		o.Refresh = 5 * time.Second
	}
	if o.Shun <= 0 {
		o.Shun = 5 * time.Second
	}
	if o.Timeout <= 0 {
		o.Timeout = 3 * time.Minute
	}
	if o.Lookup == nil {
		o.Lookup = func(ctx context.Context, host string) ([]netip.Addr, error) {
			return net.DefaultResolver.LookupNetIP(ctx, "ip", host)
		}
	}
	return o
}

// Client is a Recognizer. It is safe for concurrent use.
type Client struct {
	base    *url.URL
	port    uint16
	opts    Options
	http    *http.Client
	engines engines
	cancel  context.CancelFunc
	loop    sync.WaitGroup

	mu    sync.Mutex
	tags  []string // of the last answer to Languages
	until time.Time

	requests, died, repeated atomic.Uint64
}

var _ ocr.Recognizer = (*Client)(nil)

// Dial prepares for the engines at a URL such as http://engine:8090. They need not be there yet: its errors are only
// those of the URL. ctx bounds the first look for them.
func Dial(ctx context.Context, baseURL string, opts Options) (*Client, error) {
	base, err := url.Parse(baseURL)
	if err != nil || base.Hostname() == "" || (base.Scheme != "http" && base.Scheme != "https") {
		return nil, fmt.Errorf("%q is no URL of an engine; want one such as http://engine:8090", baseURL)
	}
	port := base.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[base.Scheme]
	}
	number, err := strconv.ParseUint(port, 10, 16)
	if err != nil {
		return nil, fmt.Errorf("%q: want a port from 1 to 65535", baseURL)
	}
	running, cancel := context.WithCancel(context.Background())
	c := &Client{base: base, port: uint16(number), opts: opts.withDefaults(), cancel: cancel}
	c.engines.now = time.Now
	c.http = &http.Client{
		Transport: &http.Transport{
			DialContext:           dialer().DialContext,
			TLSClientConfig:       &tls.Config{ServerName: base.Hostname(), MinVersion: tls.VersionTLS12},
			TLSHandshakeTimeout:   5 * time.Second,
			ExpectContinueTimeout: 5 * time.Second,
			MaxIdleConnsPerHost:   64,
			IdleConnTimeout:       time.Minute,
			DisableCompression:    true,
		},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	c.refresh(ctx)
	c.loop.Go(func() { c.keepFresh(running) })
	return c, nil
}

// silence is how long an engine's machine may acknowledge nothing before it counts as dead, however long it reads.
const silence = 15 * time.Second

// dialer makes connections that notice the death of the other machine, which sends no reset when its power fails.
func dialer() *net.Dialer {
	return &net.Dialer{
		Timeout:         3 * time.Second,
		KeepAliveConfig: net.KeepAliveConfig{Enable: true, Idle: silence / 3, Interval: silence / 3, Count: 2},
		Control: func(_, _ string, c syscall.RawConn) error { // for data that is under way, which keep-alives do not watch
			var err error
			if e := c.Control(func(fd uintptr) {
				err = unix.SetsockoptInt(int(fd), unix.IPPROTO_TCP, unix.TCP_USER_TIMEOUT, int(silence/time.Millisecond))
			}); e != nil {
				return e
			}
			return err
		},
	}
}

// Close ends what runs in the background. Images that are being read are not waited for.
func (c *Client) Close() error {
	c.cancel()
	c.loop.Wait()
	c.http.CloseIdleConnections()
	return nil
}

func (c *Client) keepFresh(ctx context.Context) {
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

// refresh looks for the engines, and asks each for its load.
func (c *Client) refresh(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, 3*time.Second)
	defer cancel()
	if addrs, err := c.resolve(ctx); err != nil {
		c.opts.Logger.Warn("the engine's host cannot be resolved", "error", err)
	} else if c.engines.set(addrs) {
		c.opts.Logger.Info("engines", "addresses", addrs)
	}
	c.engines.each(ctx, func(ctx context.Context, e *engine) {
		var load ocr.Load
		if err := c.get(ctx, e, "/load", &load); err != nil {
			c.engines.shun(e, c.opts.Shun)
			return
		}
		c.engines.report(e, load, 0)
		c.engines.trust(e)
	})
}

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

// request is one to an engine. The host stays that of the URL; the address decides where it goes.
func (c *Client) request(ctx context.Context, e *engine, method, path string, body io.Reader) (*http.Request, error) {
	u := *c.base
	u.Host = e.addr.String()
	u.Path = strings.TrimSuffix(u.Path, "/")
	r, err := http.NewRequestWithContext(ctx, method, u.String()+path, body) //nolint:gosec // the operator named the host
	if err != nil {
		return nil, err
	}
	r.Host = c.base.Host
	return r, nil
}

// get reads a small answer.
func (c *Client) get(ctx context.Context, e *engine, path string, into any) error {
	r, err := c.request(ctx, e, http.MethodGet, path, nil)
	if err != nil {
		return err
	}
	res, err := c.http.Do(r) //nolint:gosec // the operator named the host
	if err != nil {
		return err
	}
	defer func() { _ = res.Body.Close() }()
	text, err := io.ReadAll(io.LimitReader(res.Body, 1<<20))
	if err != nil {
		return err
	}
	if res.StatusCode != http.StatusOK {
		return fmt.Errorf("the engine answered with status %d", res.StatusCode)
	}
	return json.Unmarshal(text, into)
}

var (
	// errNoEngine says that the host has no address.
	errNoEngine = errors.New("no engine is known")
	errNotReady = errors.New("no engine answers with a worker that can read")
)

// Recognize has an image read by the engine that is under the least pressure, and once more by another where that one
// dies. What the image is to blame for, and what took too long, is not tried again.
func (c *Client) Recognize(ctx context.Context, req ocr.Request) (*document.Document, error) {
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case len(req.Image) == 0:
		return nil, &ocr.ImageError{Reason: "the image is empty; want a JPEG, PNG, TIFF, BMP or WebP file"}
	}
	bounded, cancel := c.bound(ctx)
	defer cancel()
	var first *engine
	for attempt := 1; ; attempt++ {
		e := c.engines.acquire(first)
		if e == nil {
			return nil, errNoEngine
		}
		c.requests.Add(1)
		doc, err := c.ask(bounded, e, req)
		c.engines.release(e)
		died := (*diedError)(nil)
		switch {
		case err == nil:
			return doc, nil
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case bounded.Err() != nil:
			return nil, context.Cause(bounded)
		case errors.As(err, &died):
			c.died.Add(1)
			c.engines.shun(e, c.opts.Shun)
			c.opts.Logger.Warn("an engine died", "address", e.addr, "error", err)
		case !errors.Is(err, ocr.ErrBusy) || !c.engines.room(e):
			return nil, err
		}
		if attempt == 2 {
			return nil, err
		}
		c.repeated.Add(1)
		first = e
	}
}

// bound gives ctx a deadline where it has none.
func (c *Client) bound(ctx context.Context) (context.Context, context.CancelFunc) {
	if _, set := ctx.Deadline(); set {
		return ctx, func() {}
	}
	return context.WithTimeoutCause(ctx, c.opts.Timeout, ocr.ErrTimeout)
}

// diedError is a failure before there was an answer.
type diedError struct{ cause error }

func (e *diedError) Error() string { return "the engine gave no answer: " + e.cause.Error() }
func (e *diedError) Unwrap() error { return e.cause }

// ask sends the image to one engine.
func (c *Client) ask(ctx context.Context, e *engine, req ocr.Request) (*document.Document, error) {
	query := url.Values{"language": {req.Language}}
	if req.Enhance {
		query.Set("enhance", "true")
	}
	r, err := c.request(ctx, e, http.MethodPost, "/recognize?"+query.Encode(), bytes.NewReader(req.Image))
	if err != nil {
		return nil, err
	}
	setDeadline(r.Header, ctx)
	r.Header.Set("Content-Type", "application/octet-stream")
	r.Header.Set("Expect", "100-continue") // a busy engine refuses before it is sent the image
	res, err := c.http.Do(r)               //nolint:gosec // the operator named the host
	if err != nil {
		return nil, &diedError{err}
	}
	defer func() { _ = res.Body.Close() }()
	text, err := io.ReadAll(io.LimitReader(res.Body, pipe.MaxAnswer+1))
	if err != nil {
		return nil, &diedError{err}
	}
	if load, ok := getLoad(res.Header); ok {
		c.engines.report(e, load, 1)
	}
	if res.StatusCode == http.StatusOK {
		return pipe.DecodeDocument(text)
	}
	var f failure
	if err := json.Unmarshal(text, &f); err != nil {
		return nil, fmt.Errorf("the engine answered with status %d", res.StatusCode)
	}
	return nil, f.restore()
}

// Ready says whether one of the engines can read. It asks them all at once, within ctx.
func (c *Client) Ready(ctx context.Context) error {
	var able atomic.Bool
	c.engines.each(ctx, func(ctx context.Context, e *engine) {
		var load ocr.Load
		if err := c.get(ctx, e, "/load", &load); err == nil && load.Ready > 0 {
			able.Store(true)
		}
	})
	if !able.Load() {
		return errNotReady
	}
	return nil
}

// Stats are the engines of one moment, and counters since the start.
type Stats struct {
	Engines  int    // addresses known
	Avoided  int    // of them, those that failed a moment ago
	Running  int    // requests that wait for an answer
	Requests uint64 // sent
	Died     uint64 // that got no answer
	Repeated uint64 // images that went to a second engine
}

// Stats are the client's figures.
func (c *Client) Stats() Stats {
	s := c.engines.stats()
	s.Requests, s.Died, s.Repeated = c.requests.Load(), c.died.Load(), c.repeated.Load()
	return s
}

// Languages are those of one of the engines, asked again every half minute.
func (c *Client) Languages(ctx context.Context) ([]string, error) {
	c.mu.Lock()
	tags, fresh := slices.Clone(c.tags), time.Now().Before(c.until)
	c.mu.Unlock()
	if fresh {
		return tags, nil
	}
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	err := errNoEngine
	var first *engine
	for range 2 {
		e := c.engines.acquire(first)
		if e == nil {
			break
		}
		var answer languages
		err = c.get(ctx, e, "/languages", &answer)
		c.engines.release(e)
		if err == nil {
			c.mu.Lock()
			defer c.mu.Unlock()
			c.tags, c.until = answer.Languages, time.Now().Add(30*time.Second)
			return slices.Clone(answer.Languages), nil
		}
		first = e
	}
	if len(tags) > 0 {
		return tags, nil // what was true a while ago
	}
	return nil, fmt.Errorf("ask the engine for its languages: %w", err)
}

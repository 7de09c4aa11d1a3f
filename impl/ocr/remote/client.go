package remote

import (
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

// Defaults of Options.
const (
	// defaultRefresh is short enough that a new engine gets images soon after its start, and that a load is seldom out of date.
	defaultRefresh = 5 * time.Second
	// defaultShun equals defaultRefresh, because an engine that answers the next refresh is used again anyway.
	defaultShun = 5 * time.Second
	// defaultTimeout is longer than an engine takes with its defaults: up to a minute in its queue, and a minute for reading.
	defaultTimeout = 3 * time.Minute
)

// withDefaults returns the options with the default for each that is absent or out of range.
func (o Options) withDefaults() Options {
	o.Logger = cmp.Or(o.Logger, slog.New(slog.DiscardHandler))
	o.Refresh = cmp.Or(max(o.Refresh, 0), defaultRefresh)
	o.Shun = cmp.Or(max(o.Shun, 0), defaultShun)
	o.Timeout = cmp.Or(max(o.Timeout, 0), defaultTimeout)
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
	errNoEngine = fmt.Errorf("%w: its host name has no address", ocr.ErrUnavailable)
	errNotReady = errors.New("no engine has a ready worker")
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

// get sends a GET request to an engine and decodes the JSON answer. The error is ocr.ErrUnavailable if there is no answer.
func (c *Client) get(ctx context.Context, e *engine, path string, into any) error {
	r, err := c.newRequest(ctx, e, http.MethodGet, path, nil)
	if err != nil {
		return err
	}
	status, _, text, err := c.do(r, maxInfo)
	if err != nil {
		return fmt.Errorf("%w: %w", ocr.ErrUnavailable, err)
	}
	if status != http.StatusOK {
		return fmt.Errorf("the engine returned status %d", status)
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

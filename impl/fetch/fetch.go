// Package fetch downloads images. It protects the operator's network from callers who choose the URLs (server-side request
// forgery): it connects only to public addresses, whatever a name resolves to and wherever a redirect leads. It does not
// look into images (package decode does) or parse data: URLs (package request does). Start with Fetcher.Fetch. Which
// addresses are public is in internal/address; the permitted ports and the operator's exceptions are in guard.go, credentials
// and certificates in config.go, the egress proxy in proxy.go, IIIF in iiif.go and iiifsize.go, the turns of requests to one
// host in turns.go, and the reasons of failures in reason.go.
package fetch

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"uncial/impl/ocr"
	"uncial/internal/address"
	"uncial/internal/contract"
	"uncial/internal/contract/imagefile"
	"uncial/internal/fair"
	"uncial/internal/request"
)

// Limits of connections, and the defaults of Options. dialTimeout and tlsTimeout are half of defaultTimeout, so that one
// slow step leaves time for the others.
const (
	dialTimeout       = 10 * time.Second
	tlsTimeout        = 10 * time.Second
	idleTimeout       = 30 * time.Second
	idlePerHost       = 4        // idle connections kept, since clients read many pages from one library
	maxHeaderBytes    = 64 << 10 // of a response; servers rarely send more than 8 KiB
	readBuffer        = 64 << 10 // bytes; the default of 4 KiB costs many system calls per image
	placesPerSlot     = 4        // places of the semaphore per request that may run; fetches without a place fail with ocr.ErrBusy
	defaultPerHost    = 2        // simultaneous requests that libraries allow crawlers; many refuse more
	defaultTimeout    = 20 * time.Second
	maxRedirects      = 5
	defaultConcurrent = 32
)

// Options of a Fetcher. The zero value is meant for production.
type Options struct {
	Allow         []netip.Prefix // non-public addresses that may be reached, on any port. Default: none
	Ports         []uint16       // of public addresses, in addition to 80 and 443. Default: none
	MaxBytes      int            // of an image. Default: ocr.MaxBytes
	Timeout       time.Duration  // of one Fetch including redirects and IIIF. Default: 20 s
	MaxConcurrent int            // requests over the network at once; three times as many may wait. Default: 32
	PerHost       int            // requests to one host at a time. Default: 2
	UserAgent     string         // Default: "Uncial"

	Config Config // credentials, proxy and certificates. Default: none

	resolver *net.Resolver // nil: the name servers of the system
}

// Fetcher fetches images. It is safe for concurrent use. It caches no image and keeps no cookies, so that requests of
// different accounts cannot affect each other.
type Fetcher struct {
	options   Options
	client    *http.Client
	tooLarge  *Error          // compared by identity: after this error a smaller image of a IIIF server is tried
	semaphore *fair.Semaphore // of the fetches that run or wait
	own       network         // whether this machine's network works
}

// New returns a Fetcher. It makes no connection. The caller must call Close when no more fetches start.
func New(o Options) *Fetcher {
	o.MaxBytes = orDefault(o.MaxBytes, ocr.MaxBytes)
	o.Timeout = orDefault(o.Timeout, defaultTimeout)
	o.MaxConcurrent = orDefault(o.MaxConcurrent, defaultConcurrent)
	o.PerHost = orDefault(o.PerHost, defaultPerHost)
	o.UserAgent = cmp.Or(o.UserAgent, "Uncial")
	if o.resolver == nil {
		// Go's own resolver: that of the C library accepts "0x7f000001" and "127.1" as addresses.
		o.resolver = &net.Resolver{PreferGo: true}
	}
	f := &Fetcher{
		options:   o,
		tooLarge:  &Error{Reason: contract.FetchTooLarge, Text: imagefile.TooLarge(o.MaxBytes).Error()},
		semaphore: fair.NewSemaphore(func() int { return placesPerSlot * o.MaxConcurrent }),
	}
	secure := &tls.Config{MinVersion: tls.VersionTLS12, RootCAs: o.Config.roots}
	transport := &http.Transport{
		Proxy:                  nil,                                      // a proxy from the environment would bypass the guard
		DialContext:            f.own.observe(o.newDial(secure.Clone())), // a clone, because HTTP/2 adds itself to the original
		TLSClientConfig:        secure,
		TLSHandshakeTimeout:    tlsTimeout,
		ForceAttemptHTTP2:      true,
		DisableCompression:     true, // a compressed response could expand beyond MaxBytes
		MaxIdleConns:           o.MaxConcurrent,
		MaxIdleConnsPerHost:    idlePerHost,
		IdleConnTimeout:        idleTimeout,
		MaxResponseHeaderBytes: maxHeaderBytes,
		ReadBufferSize:         readBuffer,
	}
	f.client = &http.Client{
		CheckRedirect: f.checkRedirect,
		Transport:     newTurns(&authorizing{next: transport, credentials: o.Config.credentials}, transport, o),
	}
	return f
}

// newDial returns the function that makes all connections. The guard checks the resolved address when the connection is made.
// This also defeats DNS rebinding, where a name resolves to another address after it was checked. A reused connection was
// checked when it was made.
func (o Options) newDial(secure *tls.Config) dialFunc {
	g := newGuard(o.Allow, o.Ports)
	direct := (&net.Dialer{Timeout: dialTimeout, Resolver: o.resolver, Control: g.control}).DialContext
	if o.Config.proxy == nil {
		return direct
	}
	open := (&net.Dialer{Timeout: dialTimeout, Resolver: o.resolver}).DialContext
	return (&dialer{proxy: o.Config.proxy, guard: g, resolver: o.resolver, direct: direct, toProxy: open, secure: secure}).dial
}

// orDefault returns value if it is positive, else the default: a limit of 0 or below would refuse every image.
func orDefault[T int | time.Duration](value, otherwise T) T {
	if value > 0 {
		return value
	}
	return otherwise
}

// Close closes idle connections. Running fetches continue.
func (f *Fetcher) Close() { f.client.CloseIdleConnections() }

// Fetch returns the bytes at imageURL: an http or https URL of an image or of a IIIF info.json, or the name of an image that
// the request in ctx carries (request.InlineImage). It does not check that the bytes are an image. Errors: *Error if the URL or
// its server is the cause, *ocr.ImageError for an inline image, ocr.ErrBusy if too many fetches are waiting, ErrNetwork, ctx's
// error; all others are internal.
func (f *Fetcher) Fetch(ctx context.Context, imageURL string) ([]byte, error) {
	if image, ok := request.InlineImage(ctx, imageURL); ok {
		if len(image) > f.options.MaxBytes {
			return nil, &ocr.ImageError{Reason: f.tooLarge.Text}
		}
		return image, nil
	}
	return f.within(ctx, imageURL, f.download)
}

// Get returns the bytes at an http or https URL, whatever they are: a IIIF info.json is not resolved to its image. It has the
// limits and the errors of Fetch.
func (f *Fetcher) Get(ctx context.Context, rawURL string) ([]byte, error) {
	return f.within(ctx, rawURL, func(ctx context.Context, target *url.URL) ([]byte, error) {
		body, _, err := f.get(ctx, target)
		return body, err
	})
}

// within runs download within the time limit and in a place of the semaphore, and explains its errors.
func (f *Fetcher) within(ctx context.Context, rawURL string, download func(context.Context, *url.URL) ([]byte, error)) ([]byte, error) {
	target, err := parseURL(rawURL)
	if err != nil {
		return nil, err
	}
	bounded, cancel := context.WithTimeout(ctx, f.options.Timeout)
	defer cancel()
	bounded, leave, err := f.semaphore.Enter(bounded)
	if err != nil {
		return nil, ocr.ErrBusy
	}
	defer leave()
	image, err := download(bounded, target)
	switch {
	case err == nil:
		return image, nil
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case errors.Is(err, ocr.ErrBusy):
		return nil, ocr.ErrBusy
	case f.hidesName(err):
		return nil, failed(contract.FetchRefusedAddress, contract.NotPublic)
	case bounded.Err() != nil:
		return nil, failed(contract.FetchTimeout, "the image did not arrive within %g s", f.options.Timeout.Seconds())
	}
	return nil, f.own.explain(err)
}

// hidesName reports whether err is the failed lookup of a name that only internal networks use. Such a failure must look like
// that of an address that is not public; otherwise callers could find out which internal names exist. Operators who allow
// internal ranges see the true reason.
func (f *Fetcher) hidesName(err error) bool {
	lookup, ok := errors.AsType[*net.DNSError](err)
	return ok && !errors.Is(err, ErrNetwork) && address.IsInternalName(lookup.Name) &&
		!slices.ContainsFunc(f.options.Allow, func(p netip.Prefix) bool { return !p.Addr().IsLoopback() })
}

// Semaphore bounds the fetches that run or wait, and divides their places among accounts. Fetch enters it; a caller who is
// inside already has a place.
func (f *Fetcher) Semaphore() *fair.Semaphore { return f.semaphore }

// download fetches target. If target is a IIIF info.json, it fetches the image that the info.json describes: the largest
// size first, and smaller ones if that has too many bytes or the server refuses its size. The error is then that of the
// largest size.
func (f *Fetcher) download(ctx context.Context, target *url.URL) ([]byte, error) {
	body, from, err := f.get(ctx, target)
	if err != nil || !isJSON(body) {
		return body, err
	}
	info, err := parseInfo(body)
	if err != nil {
		return nil, err
	}
	choices, err := info.imageURLs(from)
	if err != nil {
		return nil, err
	}
	var first error
	for _, choice := range choices {
		body, _, err = f.get(ctx, choice)
		if err == nil {
			return body, nil
		}
		if first == nil {
			first = err
		}
		if !errors.Is(err, f.tooLarge) && !refusesSize(err) {
			break
		}
	}
	return nil, first
}

// parseURL parses a URL and applies checkURL to it. Errors: *Error; its text does not repeat the URL, which may
// contain a token.
func parseURL(raw string) (*url.URL, error) {
	u, err := url.Parse(raw)
	if err != nil {
		return nil, failed(contract.FetchInvalidURL, "invalid URL; expected an http, https or data: URL")
	}
	return u, checkURL(u)
}

// checkURL refuses URLs that are never fetched, before any name is resolved. The guard checks the address. A user name or
// password is refused because the URL may be logged, and its caller should not share credentials with this service.
func checkURL(u *url.URL) error {
	host := u.Hostname()
	switch {
	case u.Scheme != "http" && u.Scheme != "https":
		return failed(contract.FetchInvalidURL, "the URL scheme must be http, https or data")
	case host == "":
		return failed(contract.FetchInvalidURL, "the URL has no host")
	case u.Port() != "" && !isPort(u.Port()):
		return failed(contract.FetchInvalidURL, "the URL has no valid port")
	case u.User != nil:
		return failed(contract.FetchInvalidURL, "the URL must not contain a user name or password")
	case host == "invalid" || strings.HasSuffix(strings.ToLower(strings.TrimSuffix(host, ".")), ".invalid"):
		// Never looked up (RFC 6761, section 6.4).
		return failed(contract.FetchNoAddress, "the host name does not exist")
	case address.EndsInNumber(host):
		if _, err := netip.ParseAddr(host); err != nil {
			return failed(contract.FetchRefusedAddress, "an IPv4 address in the URL must be four decimal numbers")
		}
	}
	return nil
}

// isPort reports whether the digits are a TCP port.
func isPort(digits string) bool {
	n, err := strconv.ParseUint(digits, 10, 16)
	return err == nil && n > 0
}

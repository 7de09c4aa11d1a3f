// Package fetch turns the URL of an image into its bytes without letting the URL's author reach anything that the
// author could not reach anyway: only public addresses are connected to, whatever a name resolves to and wherever a
// redirect leads.
package fetch

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"time"

	"uncial/impl/ocr"
	"uncial/internal/contract/imagefile"
	"uncial/internal/request"
)

// Options of a Fetcher. The zero value is what production needs.
type Options struct {
	Allow         []netip.Prefix // addresses reachable on any port though they are not public. Default none
	MaxBytes      int            // size of an image. Default ocr.MaxBytes
	Timeout       time.Duration  // one Fetch as a whole, redirects and IIIF included. Default 20 s
	MaxRedirects  int            // of one request. Default 5
	MaxConcurrent int            // fetches over the network at once; eight times as many may wait. Default 32
	UserAgent     string         // Default "Uncial"

	resolver *net.Resolver  // nil for the system's name servers
	roots    *x509.CertPool // nil for the system's
}

// Fetcher fetches images. It is safe for concurrent use.
type Fetcher struct {
	options Options
	client  *http.Client
	// tooLarge is told apart from other faults because a IIIF server may have a smaller image.
	tooLarge *ocr.ImageError
	places   chan struct{} // taken by fetches that run or wait
	slots    chan struct{} // taken by fetches that run
}

// New makes a Fetcher. Close it to let go of idle connections.
func New(o Options) *Fetcher {
	o.MaxBytes = orDefault(o.MaxBytes, ocr.MaxBytes)
	o.Timeout = orDefault(o.Timeout, 20*time.Second)
	o.MaxRedirects = orDefault(o.MaxRedirects, 5)
	o.MaxConcurrent = orDefault(o.MaxConcurrent, 32)
	if o.UserAgent == "" {
		o.UserAgent = "Uncial"
	}
	if o.resolver == nil {
		// The C library's resolver takes "0x7f000001" and "127.1" for addresses.
		o.resolver = &net.Resolver{PreferGo: true}
	}
	f := &Fetcher{
		options:  o,
		tooLarge: tooLarge(o.MaxBytes),
		places:   make(chan struct{}, 9*o.MaxConcurrent),
		slots:    make(chan struct{}, o.MaxConcurrent),
	}
	// The check stands at the dial, behind the resolver, so that a name which resolves differently the second time
	// gains nothing. A connection that is used again was checked when it was made.
	dialer := &net.Dialer{Timeout: 10 * time.Second, Resolver: o.resolver, Control: newGuard(o.Allow).control}
	f.client = &http.Client{
		CheckRedirect: f.checkRedirect,
		Transport: &http.Transport{
			Proxy:                  nil, // a proxy from the environment would connect past the guard
			DialContext:            dialer.DialContext,
			TLSClientConfig:        &tls.Config{MinVersion: tls.VersionTLS12, RootCAs: o.roots},
			TLSHandshakeTimeout:    10 * time.Second,
			ForceAttemptHTTP2:      true,
			DisableCompression:     true, // nothing is unpacked here, so nothing can be a bomb
			MaxIdleConns:           o.MaxConcurrent,
			MaxIdleConnsPerHost:    4,
			IdleConnTimeout:        30 * time.Second,
			MaxResponseHeaderBytes: 64 << 10,
			ReadBufferSize:         64 << 10,
		},
	}
	return f
}

func orDefault[T int | time.Duration](value, otherwise T) T {
	if value > 0 {
		return value
	}
	return otherwise
}

// Close closes idle connections. Fetches that run are not disturbed.
func (f *Fetcher) Close() { f.client.CloseIdleConnections() }

// Fetch returns the bytes behind imageURL: an http or https URL of an image or of a IIIF info.json, or the name of an image
// that the request in ctx carries (request.InlineImage). The bytes are not checked to be an image. Errors: *ocr.ImageError for whatever the URL or its server is to blame
// for, ocr.ErrBusy when too many fetches wait, ctx's own; anything else is internal.
func (f *Fetcher) Fetch(ctx context.Context, imageURL string) ([]byte, error) {
	if image, ok := request.InlineImage(ctx, imageURL); ok {
		if len(image) > f.options.MaxBytes {
			return nil, f.tooLarge
		}
		return image, nil
	}
	target, err := parseURL(imageURL)
	if err != nil {
		return nil, err
	}
	bounded, cancel := context.WithTimeout(ctx, f.options.Timeout)
	defer cancel()
	leave, err := f.enter(bounded)
	if err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return nil, err
	}
	defer leave()
	image, err := f.image(bounded, target)
	switch {
	case err == nil:
		return image, nil
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case bounded.Err() != nil:
		return nil, blame("the image did not arrive within %g s", f.options.Timeout.Seconds())
	}
	return nil, explain(err)
}

// enter waits for a slot and returns what gives it back.
func (f *Fetcher) enter(ctx context.Context) (leave func(), err error) {
	select {
	case f.places <- struct{}{}:
	default:
		return nil, ocr.ErrBusy
	}
	select {
	case f.slots <- struct{}{}:
		return func() { <-f.slots; <-f.places }, nil
	case <-ctx.Done():
		<-f.places
		return nil, ocr.ErrBusy
	}
}

// image fetches target and, where that describes a IIIF image, the image itself.
func (f *Fetcher) image(ctx context.Context, target *url.URL) ([]byte, error) {
	body, from, err := f.get(ctx, target)
	if err != nil || !isJSON(body) {
		return body, err
	}
	described, err := parseInfo(body)
	if err != nil {
		return nil, err
	}
	choices, err := described.imageURLs(from)
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

// parseURL parses and checks an address to fetch from.
func parseURL(raw string) (*url.URL, error) {
	u, err := url.Parse(raw)
	if err != nil {
		return nil, blame("not a URL; an http, https or data: URL is needed")
	}
	return u, checkURL(u)
}

// checkURL refuses what is never fetched, before anything is resolved.
func checkURL(u *url.URL) error {
	host := u.Hostname()
	switch {
	case u.Scheme != "http" && u.Scheme != "https":
		return blame("the scheme must be http, https or data")
	case host == "":
		return blame("the URL names no host")
	case u.User != nil:
		return blame("a user name or password in the URL is not accepted")
	case endsInNumber(host):
		if _, err := netip.ParseAddr(host); err != nil {
			return blame("an IPv4 address must be written as four decimal numbers")
		}
	}
	return nil
}

// endsInNumber says whether a host is meant as an IPv4 address, in whatever spelling (WHATWG URL, section 3.5, "ends in a
// number checker").
func endsInNumber(host string) bool {
	host = strings.TrimSuffix(host, ".")
	last := strings.ToLower(host[strings.LastIndexByte(host, '.')+1:])
	if hex, ok := strings.CutPrefix(last, "0x"); ok {
		return strings.Trim(hex, "0123456789abcdef") == ""
	}
	return last != "" && strings.Trim(last, "0123456789") == ""
}

// blame is an error that the URL or its server is to blame for, in words for the caller.
func blame(format string, args ...any) error {
	return &ocr.ImageError{Reason: fmt.Sprintf(format, args...)}
}

func tooLarge(most int) *ocr.ImageError {
	return &ocr.ImageError{Reason: imagefile.TooLarge(most).Error()}
}

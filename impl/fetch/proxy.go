package fetch

import (
	"bufio"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strconv"
	"time"

	"uncial/internal/contract"
)

// proxy is an HTTP proxy through which all images from public addresses are fetched. The fetcher resolves names and checks
// addresses itself, and asks the proxy for a tunnel (CONNECT) to an address, never to a name: otherwise the proxy would resolve
// the name again, perhaps to another address.
type proxy struct {
	address string // host and port
	server  string // name in the certificate of a proxy that is reached by https, otherwise ""
	header  http.Header
}

var noDeadline time.Time

// newProxy returns the proxy at an http or https URL. The error says what is wrong with it.
func newProxy(address string) (*proxy, error) {
	u, err := url.Parse(address)
	switch {
	case err != nil || u.Host == "" || (u.Scheme != "http" && u.Scheme != "https") || u.Path != "" && u.Path != "/" || u.RawQuery != "":
		return nil, errors.New("url: expected an http or https URL, such as http://proxy.example.org:3128")
	case u.User != nil:
		return nil, errors.New("url: must not contain a user name or password; use basic with a passwordFile")
	}
	p := &proxy{header: http.Header{}, address: u.Host}
	if u.Port() == "" {
		p.address = net.JoinHostPort(u.Hostname(), map[string]string{"http": "80", "https": "443"}[u.Scheme])
	}
	if u.Scheme == "https" {
		p.server = u.Hostname()
	}
	return p, nil
}

// dialer makes the connections of a fetcher that has a proxy.
type dialer struct {
	proxy    *proxy
	guard    *guard
	resolver *net.Resolver
	direct   dialFunc    // guarded, for addresses that the operator allows: they are inside the network
	toProxy  dialFunc    // not guarded; connects to the proxy only
	secure   *tls.Config // for a proxy that is reached by https
}

// dial connects to an address with a port. It resolves a name, and tries the permitted ones of its addresses in turn. Errors:
// *Error if none is permitted, those of the connection.
func (d *dialer) dial(ctx context.Context, network, to string) (net.Conn, error) {
	host, digits, err := net.SplitHostPort(to)
	if err != nil {
		return nil, err
	}
	port, err := strconv.ParseUint(digits, 10, 16)
	if err != nil {
		return nil, failed(contract.FetchInvalidURL, "the URL has no valid port")
	}
	addresses, err := d.resolver.LookupNetIP(ctx, "ip", host)
	if err != nil {
		return nil, &net.OpError{Op: "dial", Net: network, Err: err}
	}
	var first error
	for _, address := range addresses {
		conn, err := d.dialOne(ctx, network, netip.AddrPortFrom(address, uint16(port)))
		if err == nil {
			return conn, nil
		}
		if first == nil {
			first = err
		}
	}
	return nil, first
}

// dialOne connects to one address, through the proxy unless it is inside the network.
func (d *dialer) dialOne(ctx context.Context, network string, to netip.AddrPort) (net.Conn, error) {
	if err := d.guard.check(to); err != nil {
		return nil, err
	}
	if d.guard.isException(to.Addr()) {
		return d.direct(ctx, network, to.String())
	}
	ctx, cancel := context.WithTimeout(ctx, dialTimeout)
	defer cancel()
	conn, err := d.toProxy(ctx, "tcp", d.proxy.address)
	if err != nil {
		return nil, fmt.Errorf("%w: connect to the proxy: %w", ErrNetwork, err)
	}
	tunnel, err := d.open(ctx, conn, netip.AddrPortFrom(to.Addr().Unmap(), to.Port()).String())
	if err != nil {
		_ = conn.Close()
		return nil, err
	}
	return tunnel, nil
}

// open asks the proxy for a tunnel (RFC 9110, section 9.3.6). Any answer other than a 2xx ends the attempt; redirects are not
// followed.
func (d *dialer) open(ctx context.Context, conn net.Conn, to string) (net.Conn, error) {
	if deadline, ok := ctx.Deadline(); ok {
		_ = conn.SetDeadline(deadline) // a connection that cannot have one fails at the next step
	}
	stop := context.AfterFunc(ctx, func() { _ = conn.Close() })
	defer stop()
	if d.proxy.server != "" {
		config := d.secure.Clone()
		config.ServerName = d.proxy.server
		secure := tls.Client(conn, config)
		if err := secure.HandshakeContext(ctx); err != nil {
			return nil, fmt.Errorf("%w: TLS of the proxy: %w", ErrNetwork, err)
		}
		conn = secure
	}
	request := &http.Request{Method: http.MethodConnect, URL: &url.URL{Opaque: to}, Host: to, Header: d.proxy.header.Clone()}
	if err := request.Write(conn); err != nil {
		return nil, fmt.Errorf("%w: write to the proxy: %w", ErrNetwork, err)
	}
	reader := bufio.NewReader(io.LimitReader(conn, maxHeaderBytes))
	response, err := http.ReadResponse(reader, request) //nolint:bodyclose // its body is the tunnel itself
	if err != nil {
		return nil, fmt.Errorf("%w: read from the proxy: %w", ErrNetwork, err)
	}
	if err := refusalOfProxy(response.StatusCode); err != nil {
		return nil, err
	}
	// The server speaks only after a request, so bytes after the header do not come from it.
	if reader.Buffered() > 0 {
		return nil, fmt.Errorf("%w: the proxy sent data before it was asked for any", ErrNetwork)
	}
	if !stop() {
		return nil, ctx.Err()
	}
	return conn, conn.SetDeadline(noDeadline)
}

// refusalOfProxy returns the error for the status of a proxy, nil if it opened a tunnel.
func refusalOfProxy(status int) error {
	switch {
	case status >= 200 && status < 300:
		return nil
	case status == http.StatusForbidden:
		return failed(contract.FetchForbidden, "the network of this service does not permit connections to this server")
	case status == http.StatusBadGateway, status == http.StatusServiceUnavailable:
		return failed(contract.FetchUnreachable, "the server could not be reached")
	case status == http.StatusGatewayTimeout:
		return failed(contract.FetchTimeout, "the server did not answer in time")
	}
	return fmt.Errorf("%w: the proxy returned %d", ErrNetwork, status)
}

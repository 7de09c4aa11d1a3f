package model

import (
	"bufio"
	"bytes"
	"context"
	"crypto/tls"
	"io"
	"net"
	"net/http"
	"strings"
)

// asOld returns the text of a request as HTTP/1.0, which net/http cannot send.
func asOld(req *http.Request) (string, error) {
	var text bytes.Buffer
	err := req.Write(&text)
	return strings.Replace(text.String(), " HTTP/1.1\r\n", " HTTP/1.0\r\n", 1), err
}

// roundTripText sends the text of a request, whether it is HTTP or not, on a connection of its own. ok is false if the target
// can only be reached in a way that this function does not know: a proxy, or a transport made by the caller.
func (t Target) roundTripText(ctx context.Context, req *http.Request, text string) (res *http.Response, ok bool, err error) {
	conn, ok, err := t.dial(ctx, req)
	if !ok || err != nil {
		return nil, ok, err
	}
	stop := context.AfterFunc(ctx, func() { _ = conn.Close() })
	go func() { _, _ = io.WriteString(conn, text) }() // the server may answer before it has read everything; what it has not read shows in the answer
	if res, err = http.ReadResponse(bufio.NewReader(conn), req); err != nil {
		stop()
		_ = conn.Close()
		return nil, true, err
	}
	res.Body = &connBody{res.Body, conn, stop}
	return res, true, nil
}

// dial connects to the host of a request; see roundTripText for ok.
func (t Target) dial(ctx context.Context, req *http.Request) (conn net.Conn, ok bool, err error) {
	transport, isUsual := t.Client.Transport.(*http.Transport)
	if !isUsual {
		return nil, false, nil
	}
	if transport.Proxy != nil {
		if proxy, err := transport.Proxy(req); proxy != nil || err != nil {
			return nil, false, nil //nolint:nilerr // the usual way reports it
		}
	}
	address := req.URL.Host
	if req.URL.Port() == "" {
		address = net.JoinHostPort(req.URL.Hostname(), map[string]string{"http": "80", "https": "443"}[req.URL.Scheme])
	}
	if req.URL.Scheme != "https" {
		conn, err = (&net.Dialer{}).DialContext(ctx, "tcp", address)
		return conn, true, err
	}
	config := &tls.Config{MinVersion: tls.VersionTLS12}
	if transport.TLSClientConfig != nil {
		config = transport.TLSClientConfig.Clone()
	}
	config.NextProtos = []string{"http/1.1"}
	conn, err = (&tls.Dialer{Config: config}).DialContext(ctx, "tcp", address)
	return conn, true, err
}

// takesText reports whether roundTripText can reach the server itself: TLS usually ends at a gateway, which
// answers requests that are not HTTP by itself.
func (t Target) takesText() bool {
	transport, isUsual := t.Client.Transport.(*http.Transport)
	req, err := http.NewRequestWithContext(context.Background(), http.MethodGet, t.BaseURL, nil)
	if !isUsual || err != nil || req.URL.Scheme != "http" {
		return false
	}
	if transport.Proxy == nil {
		return true
	}
	proxy, err := transport.Proxy(req)
	return proxy == nil && err == nil
}

// connBody closes the connection with the body.
type connBody struct {
	io.Reader
	conn net.Conn
	stop func() bool // ends the wait for the context of the request
}

// Close closes the connection. It discards the rest of the body.
func (b *connBody) Close() error {
	b.stop()
	return b.conn.Close()
}

package model

import (
	"bufio"
	"bytes"
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"net/http"
)

// roundTripOld sends a request as HTTP/1.0 on a connection of its own. net/http cannot do that. ok is false if the target can only
// be reached in a way that this function does not know: a proxy, or a transport made by the caller.
func (t Target) roundTripOld(ctx context.Context, req *http.Request) (res *http.Response, ok bool, err error) {
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
	var conn net.Conn
	if req.URL.Scheme == "https" {
		config := &tls.Config{MinVersion: tls.VersionTLS12}
		if transport.TLSClientConfig != nil {
			config = transport.TLSClientConfig.Clone()
		}
		config.NextProtos = []string{"http/1.1"}
		conn, err = (&tls.Dialer{Config: config}).DialContext(ctx, "tcp", address)
	} else {
		conn, err = (&net.Dialer{}).DialContext(ctx, "tcp", address)
	}
	if err != nil {
		return nil, true, err
	}
	if end, has := ctx.Deadline(); has {
		_ = conn.SetDeadline(end) // a connection that cannot have one is closed already
	}
	var text bytes.Buffer
	if err := req.Write(&text); err != nil {
		_ = conn.Close()
		return nil, true, err
	}
	if _, err := conn.Write(bytes.Replace(text.Bytes(), []byte(" HTTP/1.1\r\n"), []byte(" HTTP/1.0\r\n"), 1)); err != nil {
		_ = conn.Close()
		return nil, true, fmt.Errorf("no answer: %w", err)
	}
	if res, err = http.ReadResponse(bufio.NewReader(conn), req); err != nil {
		_ = conn.Close()
		return nil, true, fmt.Errorf("no answer: %w", err)
	}
	res.Body = &connBody{res.Body, conn}
	return res, true, nil
}

// connBody closes the connection with the body.
type connBody struct {
	io.Reader
	conn net.Conn
}

// Close closes the connection. What is left of the body does not matter.
func (b *connBody) Close() error { return b.conn.Close() }

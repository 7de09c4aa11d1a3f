package reach_test

import (
	"context"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"uncial/internal/reach"
)

// mustListen calls answer for each connection, and then closes it. It returns the address.
func mustListen(t *testing.T, answer func(net.Conn)) string {
	t.Helper()
	ln, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { _ = ln.Close() })
	go func() {
		for {
			conn, err := ln.Accept()
			if err != nil {
				return
			}
			go func() {
				defer func() { _ = conn.Close() }()
				answer(conn)
			}()
		}
	}()
	return ln.Addr().String()
}

func TestExplain(t *testing.T) {
	t.Parallel()
	plain := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(plain.Close)
	secure := httptest.NewUnstartedServer(http.NotFoundHandler())
	secure.Config.ErrorLog = log.New(io.Discard, "", 0)
	secure.StartTLS()
	t.Cleanup(secure.Close)
	refusing := mustListen(t, func(net.Conn) {})
	alerting := mustListen(t, func(conn net.Conn) {
		_, _ = conn.Read(make([]byte, 1)) // TLS servers send alerts only when the client has spoken
		_, _ = conn.Write([]byte("\x15\x03\x01\x00\x02\x02\x0a"))
	})
	greeting := mustListen(t, func(conn net.Conn) {
		_, _ = conn.Write([]byte("SSH-2.0-test\r\n"))
		_, _ = io.Copy(io.Discard, conn)
	})
	silent := mustListen(t, func(conn net.Conn) { _, _ = io.Copy(io.Discard, conn) })
	for name, c := range map[string]struct{ url, want string }{
		"a closed port":               {"http://127.0.0.1:1/readyz", "nothing listens on 127.0.0.1:1 (connection refused); check the address, and that the server runs"},
		"an unknown name":             {"http://uncial.invalid", "the host name uncial.invalid cannot be resolved; check its spelling and the name server of this machine"},
		"http instead of https":       {strings.Replace(plain.URL, "http:", "https:", 1), "speaks http, not https; use an address that begins with http://"},
		"https instead of http":       {"http://" + alerting, alerting + " speaks https, not http; use an address that begins with https://"},
		"another protocol":            {"http://" + greeting, greeting + " answered, but not in HTTP; check the port, and whether the address begins with http:// or https://"},
		"an unknown certificate":      {secure.URL, "is not accepted: x509: certificate signed by unknown authority"},
		"a server that hangs up":      {"http://" + refusing, refusing + " closed the connection without an answer; check that it is an HTTP server"},
		"a server that sends nothing": {"http://" + silent, "no answer from " + silent + " in time"},
	} {
		t.Run("explains "+name, func(t *testing.T) {
			t.Parallel()
			u, err := url.Parse(c.url)
			require.NoError(t, err)
			ctx, cancel := context.WithTimeout(t.Context(), 500*time.Millisecond)
			defer cancel()
			r, err := http.NewRequestWithContext(ctx, http.MethodGet, c.url, http.NoBody)
			require.NoError(t, err)
			res, err := http.DefaultClient.Do(r)
			if err == nil {
				_ = res.Body.Close()
			}
			require.Error(t, err)
			explained := reach.Explain(u, err)
			require.ErrorContains(t, explained, c.want)
			require.ErrorIs(t, explained, err)
			for _, raw := range []string{"dial tcp", "Get ", "context deadline", "readLoop"} {
				require.NotContains(t, explained.Error(), raw)
			}
		})
	}
	require.NoError(t, reach.Explain(&url.URL{}, nil))
	require.Equal(t, context.Canceled, reach.Explain(&url.URL{}, context.Canceled))
}

func TestIsHungUp(t *testing.T) {
	t.Parallel()
	require.False(t, reach.IsHungUp(&url.Error{Op: "Get", Err: errors.New("http: another problem")}))
	require.True(t, reach.IsHungUp(&url.Error{Op: "Get", Err: errors.New("http: server closed idle connection")}))
	require.True(t, reach.IsHungUp(&url.Error{Op: "Get", Err: io.EOF}))
	require.False(t, reach.IsHungUp(nil))
}

func TestRetryAfter(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 1, 15, 12, 0, 0, 0, time.UTC)
	for header, want := range map[string]time.Duration{
		"0": 0, "7": 7 * time.Second, "86400": 24 * time.Hour,
		"Thu, 15 Jan 2026 12:01:30 GMT": 90 * time.Second, "Thu, 15 Jan 2026 11:00:00 GMT": 0,
	} {
		wait, ok := reach.RetryAfter(header, now)
		require.True(t, ok, header)
		require.Equal(t, want, wait, header)
	}
	for _, header := range []string{"", "-1", "1.5", "soon", "99999999999999999999"} {
		_, ok := reach.RetryAfter(header, now)
		require.False(t, ok, header)
	}
}

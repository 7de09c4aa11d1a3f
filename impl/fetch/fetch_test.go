package fetch_test

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"uncial/impl/fetch"
	"uncial/impl/ocr"
	"uncial/internal/contract"
	"uncial/internal/request"
)

// loopback allows the servers of the tests.
var loopback = []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32"), netip.MustParsePrefix("::1/128")}

// mustFail returns the error of a fetch and checks that it reveals nothing internal.
func mustFail(tb testing.TB, err error) *fetch.Error {
	tb.Helper()
	var failure *fetch.Error
	require.ErrorAs(tb, err, &failure)
	for _, word := range []string{"127.", "::1", "dial", "tcp", "lookup", "context", "net/http", "x509", "EOF", "illegal"} {
		require.NotContains(tb, failure.Text, word)
	}
	return failure
}

// requireReason checks that the image cannot be fetched for this reason, which reveals nothing internal.
func requireReason(tb testing.TB, f *fetch.Fetcher, url, reason string) {
	tb.Helper()
	_, err := f.Fetch(tb.Context(), url)
	require.Contains(tb, mustFail(tb, err).Text, reason)
}

// assertReason is requireReason for URLs that are themselves part of the reason.
func assertReason(tb testing.TB, f *fetch.Fetcher, url, reason string) {
	tb.Helper()
	_, err := f.Fetch(tb.Context(), url)
	var failure *fetch.Error
	require.ErrorAs(tb, err, &failure)
	assert.Contains(tb, failure.Text, reason)
}

func requireFetch(tb testing.TB, f *fetch.Fetcher, url, body string) {
	tb.Helper()
	got, err := f.Fetch(tb.Context(), url)
	require.NoError(tb, err, url)
	require.Equal(tb, body, string(got), url)
}

func mustFetcher(tb testing.TB, o fetch.Options) *fetch.Fetcher {
	tb.Helper()
	f := fetch.New(o)
	tb.Cleanup(f.Close)
	return f
}

func mustServe(tb testing.TB, handler http.HandlerFunc) string {
	tb.Helper()
	server := httptest.NewServer(handler)
	tb.Cleanup(server.Close)
	return server.URL
}

func write(status int, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}
}

// mustAnswer sends raw bytes to each TCP connection.
func mustAnswer(tb testing.TB, answer string) string {
	tb.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(tb, err)
	tb.Cleanup(func() { _ = listener.Close() })
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			_, _ = conn.Read(make([]byte, 4096))
			_, _ = io.WriteString(conn, answer)
			_ = conn.Close()
		}
	}()
	return "http://" + listener.Addr().String()
}

func TestFetcher_Fetch(t *testing.T) {
	t.Parallel()
	var header http.Header
	url := mustServe(t, func(w http.ResponseWriter, r *http.Request) {
		header = r.Header.Clone()
		_, _ = io.WriteString(w, "the bytes")
	})
	requireFetch(t, mustFetcher(t, fetch.Options{Allow: loopback, UserAgent: "Uncial/9"}), url+"/page.jpg#top", "the bytes")
	assert.Equal(t, "Uncial/9", header.Get("User-Agent"))
	assert.Equal(t, "identity", header.Get("Accept-Encoding"))
	assert.Empty(t, header.Get("Authorization"))
}

func TestFetcher_Fetch_Inline(t *testing.T) {
	t.Parallel()
	ctx := request.WithImages(t.Context(), map[string][]byte{"cid:1": []byte("abc")})
	got, err := mustFetcher(t, fetch.Options{}).Fetch(ctx, "cid:1")
	require.NoError(t, err)
	assert.Equal(t, "abc", string(got))
	_, err = mustFetcher(t, fetch.Options{MaxBytes: 2}).Fetch(ctx, "cid:1")
	var failure *ocr.ImageError
	require.ErrorAs(t, err, &failure, "an inline image is not fetched")
	assert.Equal(t, "the image is larger than the limit of 2 bytes", failure.Reason)
}

func TestFetcher_Fetch_InvalidURL(t *testing.T) {
	t.Parallel()
	f := mustFetcher(t, fetch.Options{Timeout: 5 * time.Second})
	for _, c := range []struct{ name, url, reason string }{
		{"a malformed URL", "http://[::1", "invalid URL"},
		{"a control character", "http://example.org/\x00", "invalid URL"},
		{"a file", "file:///etc/passwd", "the URL scheme must be http, https or data"},
		{"an unsupported scheme", "gopher://example.org/1", "the URL scheme must be http, https or data"},
		{"a path", "/page.jpg", "the URL scheme must be http, https or data"},
		{"no host", "http:///page.jpg", "has no host"},
		{"a user name", "https://user:secret@example.org/", "user name"},
		{"loopback", "http://127.0.0.1/", "the address is not public"},
		{"loopback by name", "http://localhost/", "the address is not public"},
		{"loopback in IPv6", "http://[::1]/", "the address is not public"},
		{"loopback mapped into IPv6", "http://[::ffff:127.0.0.1]/", "the address is not public"},
		{"all addresses", "http://0.0.0.0/", "the address is not public"},
		{"cloud metadata", "http://169.254.169.254/latest/meta-data/", "the address is not public"},
		{"a decimal number", "http://2130706433/", "four decimal numbers"},
		{"a hexadecimal number", "http://0x7f000001/", "four decimal numbers"},
		{"an octal number", "http://0177.0.0.1/", "four decimal numbers"},
		{"a short form", "http://127.1/", "four decimal numbers"},
		{"a short form with a trailing dot", "http://127.1./", "four decimal numbers"},
		{"hexadecimal parts", "http://0x7f.0.0.0x1/", "four decimal numbers"},
		{"a lone hexadecimal mark", "http://a.0x/", "four decimal numbers"},
		{"circled digits", "http://①②⑦.⓪.⓪.①/", "the address is not public"},
		{"ideographic full stops", "http://127。0。0。1/", "the address is not public"},
		{"percent signs in the host", "http://%31%32%37.0.0.1/", "invalid URL"},
		{"a backslash", "http://example.org\\@127.0.0.1/", "invalid URL"},
		{"a port above 65535", "http://93.184.216.34:99999/", "no valid port"},
		{"a port of a database", "http://93.184.216.34:5432/", "port 5432 is not accepted"},
	} {
		t.Run("refuses "+c.name, func(t *testing.T) {
			t.Parallel()
			assertReason(t, f, c.url, c.reason)
		})
	}
}

func TestFetcher_Fetch_ServerFailures(t *testing.T) {
	t.Parallel()
	closed := mustClosedPort(t)
	for _, c := range []struct {
		name, url, text string
		reason          contract.FetchReason
	}{
		{"a missing page", mustServe(t, write(404, "")), "the server returned 404; give the URL of an image", contract.FetchNotFound},
		{"no content", mustServe(t, write(204, "")), "the server returned 204", contract.FetchBadAnswer},
		{"an empty body", mustServe(t, write(200, "")), "empty response", contract.FetchNotAnImage},
		{"a web page", mustServe(t, write(200, "\n<!doctype html><title>Page 1</title>")), "sent a web page", contract.FetchNotAnImage},
		{"a body over the limit", mustServe(t, write(200, strings.Repeat("x", 2049))), "larger than the limit of 2048 bytes", contract.FetchTooLarge},
		{"a declared length over the limit", mustAnswer(t, "HTTP/1.1 200 OK\r\nContent-Length: 9000000000000\r\n\r\nx"), "limit of 2048 bytes", contract.FetchTooLarge},
		{"a body shorter than declared", mustAnswer(t, "HTTP/1.1 200 OK\r\nContent-Length: 2000\r\n\r\nshort"), "the connection was lost", contract.FetchIncomplete},
		{"broken chunks", mustAnswer(t, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab"), "the connection was lost", contract.FetchIncomplete},
		{"another protocol", mustAnswer(t, "220 mail.example ESMTP\r\n"), "no valid HTTP response", contract.FetchBadAnswer},
		{"no answer", mustAnswer(t, ""), "closed the connection without an answer", contract.FetchIncomplete},
		{"headers without end", mustAnswer(t, "HTTP/1.1 200 OK\r\n"+strings.Repeat("X-Y: zzzzzzzzzzzzzzzzzzzzz\r\n", 5000)), "no valid HTTP response", contract.FetchBadAnswer},
		{"gzip that was not requested", mustServe(t, gzipped), "Content-Encoding", contract.FetchBadAnswer},
		{"a closed port", "http://" + closed, "refused the connection", contract.FetchUnreachable},
		{"http behind an https URL", strings.Replace(mustServe(t, write(200, "x")), "http:", "https:", 1), "supports http only", contract.FetchTLS},
		{"a page that is gone", mustServe(t, write(410, "")), "the server returned 410", contract.FetchNotFound},
		{"a page behind a login", mustServe(t, write(403, "")), "that is publicly accessible", contract.FetchForbidden},
		{"a server that is overloaded", mustServe(t, write(503, "")), "asks clients to try again later", contract.FetchBusy},
		{"a client that asks too often", mustServe(t, write(429, "")), "asks clients to try again later", contract.FetchBusy},
		{"a server that fails", mustServe(t, write(500, "")), "try again later", contract.FetchServerError},
		{"a server whose own upstream times out", mustServe(t, write(504, "")), "try again later", contract.FetchServerError},
		{"a server that does not implement it", mustServe(t, write(501, "")), "the server returned 501", contract.FetchBadAnswer},
	} {
		t.Run("reports "+c.name, func(t *testing.T) {
			t.Parallel()
			f := mustFetcher(t, fetch.Options{Allow: loopback, MaxBytes: 2048, Timeout: 5 * time.Second})
			_, err := f.Fetch(t.Context(), c.url)
			failure := mustFail(t, err)
			assert.Contains(t, failure.Text, c.text)
			assert.Equal(t, c.reason, failure.Reason)
		})
	}
}

func gzipped(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Encoding", "gzip")
	_, _ = io.WriteString(w, "no gzip at all")
}

// mustClosedPort returns an address where nothing listens or can listen during the test: the client end of a connection.
func mustClosedPort(tb testing.TB) string {
	tb.Helper()
	conn, err := net.Dial("tcp", strings.TrimPrefix(mustServe(tb, write(200, "")), "http://"))
	require.NoError(tb, err)
	tb.Cleanup(func() { _ = conn.Close() })
	return conn.LocalAddr().String()
}

func TestFetcher_Fetch_Redirects(t *testing.T) {
	t.Parallel()
	var referer atomic.Value
	target := mustServe(t, func(w http.ResponseWriter, r *http.Request) {
		referer.Store(r.Header.Get("Referer") + r.Header.Get("Cookie"))
		_, _ = io.WriteString(w, "found")
	})
	url := mustServe(t, func(w http.ResponseWriter, r *http.Request) {
		http.SetCookie(w, &http.Cookie{Name: "a", Value: "b"})
		var left int
		if _, err := fmt.Sscanf(r.URL.Path, "/hops/%d", &left); err == nil && left > 1 {
			http.Redirect(w, r, fmt.Sprintf("/hops/%d", left-1), http.StatusFound)
			return
		} else if err == nil {
			http.Redirect(w, r, target, http.StatusMovedPermanently)
			return
		}
		w.Header().Set("Location", r.URL.Query().Get("to"))
		w.WriteHeader(http.StatusTemporaryRedirect)
	})
	f := mustFetcher(t, fetch.Options{Allow: loopback})
	for _, hops := range []int{1, 5} {
		requireFetch(t, f, fmt.Sprintf("%s/hops/%d", url, hops), "found")
		assert.Empty(t, referer.Load(), "redirects carry neither Referer nor cookies")
	}
	for _, c := range []struct{ name, path, reason string }{
		{"one too many", "/hops/6", "redirected more than 5 times"},
		{"to loopback that is not allowed", "/?to=http://127.0.0.2/", "the address is not public"},
		{"to cloud metadata", "/?to=http://169.254.169.254/latest", "the address is not public"},
		{"to a file", "/?to=file:///etc/passwd", "a scheme other than http or https"},
		{"to data", "/?to=data:image/png%3Bbase64,YWJj", "a scheme other than http or https"},
		{"to a user name", "/?to=http://a:b@127.0.0.1/", "user name"},
		{"to a number", "/?to=http://2130706433/", "four decimal numbers"},
		{"to nowhere", "/?to=", "the server returned 307"},
		{"to a malformed URL", "/?to=http://%255B::1", "no valid HTTP response"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			assertReason(t, f, url+c.path, c.reason)
		})
	}
}

func BenchmarkFetcher_Fetch(b *testing.B) {
	body := strings.Repeat("x", 2<<20)
	url := mustServe(b, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", strconv.Itoa(len(body)))
		_, _ = io.WriteString(w, body)
	})
	f := mustFetcher(b, fetch.Options{Allow: loopback})
	b.SetBytes(int64(len(body)))
	b.ReportAllocs()
	for b.Loop() {
		_, err := f.Fetch(b.Context(), url)
		require.NoError(b, err)
	}
}

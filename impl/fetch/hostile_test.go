package fetch_test

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"uncial/impl/fetch"
	"uncial/internal/contract"
)

// entrance is an address that the tests allow, so that a redirect can begin there. It is an address of this machine that no
// corpus contains.
const entrance = "127.99.99.99"

// mustCorpus reads the lines of a file in testdata without their comments.
func mustCorpus(tb testing.TB, name, comment string) (lines []string) {
	tb.Helper()
	text, err := os.ReadFile("testdata/" + name)
	require.NoError(tb, err)
	for line := range strings.Lines(string(text)) {
		if line, _, _ = strings.Cut(line, comment); strings.TrimSpace(line) != "" && line[0] != '#' {
			lines = append(lines, strings.TrimSpace(line))
		}
	}
	return lines
}

func mustHostileURLs(tb testing.TB) (urls []string) {
	tb.Helper()
	for _, line := range mustCorpus(tb, "hostile-urls.txt", "\t#") {
		u, err := strconv.Unquote(line)
		require.NoError(tb, err, line)
		urls = append(urls, u)
	}
	return urls
}

func mustHostileAddresses(tb testing.TB) (all []netip.Addr) {
	tb.Helper()
	for _, line := range mustCorpus(tb, "hostile-addresses.txt", "#") {
		address, err := netip.ParseAddr(line)
		require.NoError(tb, err)
		all = append(all, address)
	}
	return all
}

// redirector answers /to?N with a redirect to the Nth target, and /info?N with a IIIF info.json whose id it is.
type redirector struct{ targets []string }

func (h *redirector) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	n, err := strconv.Atoi(r.URL.RawQuery)
	if err != nil || n >= len(h.targets) {
		w.WriteHeader(http.StatusNotFound)
		return
	}
	if r.URL.Path == "/info" {
		_, _ = fmt.Fprintf(w, `{"@context":"http://iiif.io/api/image/2/context.json","@id":%q,"width":9,"height":9,"profile":"level2"}`, h.targets[n])
		return
	}
	w.Header().Set("Location", h.targets[n])
	w.WriteHeader(http.StatusFound)
}

// mustServeAt serves at an address of this machine and returns host and port.
func mustServeAt(tb testing.TB, address string, handler http.Handler) string {
	tb.Helper()
	listener, err := net.Listen("tcp", address+":0")
	require.NoError(tb, err)
	server := &httptest.Server{Listener: listener, Config: &http.Server{Handler: handler}}
	server.Start()
	tb.Cleanup(server.Close)
	return listener.Addr().String()
}

// egress is a proxy that connects every tunnel to one server of the test and remembers what it was asked for.
type egress struct {
	to string

	mu    sync.Mutex
	asked []string
}

func (p *egress) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	p.asked = append(p.asked, r.Method+" "+r.RequestURI+" "+r.Header.Get("Proxy-Authorization"))
	p.mu.Unlock()
	server, err := net.Dial("tcp", p.to)
	if err != nil || r.Method != http.MethodConnect {
		w.WriteHeader(http.StatusBadGateway)
		return
	}
	w.WriteHeader(http.StatusOK)
	client, _, err := w.(http.Hijacker).Hijack()
	if err != nil {
		return
	}
	go func() {
		_, _ = io.Copy(server, client)
		_ = server.Close()
	}()
	_, _ = io.Copy(client, server)
	_ = client.Close()
}

// requests returns what the proxy was asked for, and forgets it.
func (p *egress) requests() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	asked := p.asked
	p.asked = nil
	return asked
}

// assertNotThrough requires a fetch to fail before a connection to its target is tried: a failed
// connection would give another reason.
func assertNotThrough(tb testing.TB, f *fetch.Fetcher, url string, redirected bool) {
	tb.Helper()
	_, err := f.Fetch(tb.Context(), url)
	var failure *fetch.Error
	require.ErrorAs(tb, err, &failure, url)
	reasons := []contract.FetchReason{contract.FetchRefusedAddress, contract.FetchInvalidURL, contract.FetchNoAddress}
	if redirected {
		// A Location that is no URL at all.
		reasons = append(reasons, contract.FetchRedirect, contract.FetchBadAnswer, contract.FetchNotAnImage)
	}
	assert.Contains(tb, reasons, failure.Reason, "%q: %s", url, failure.Text)
}

// inURL writes an address as the host of a URL.
func inURL(address netip.Addr) string {
	if address.Is6() {
		return "[" + address.String() + "]"
	}
	return address.String()
}

func TestFetcher_Fetch_hostile(t *testing.T) {
	t.Parallel()
	addresses, urls := mustHostileAddresses(t), mustHostileURLs(t)
	require.GreaterOrEqual(t, len(addresses)+len(urls), 250)
	way := &redirector{}
	names := map[string]netip.Addr{} // all other names are this machine
	var direct []string
	for i, address := range addresses {
		name := fmt.Sprintf("host-%d.test", i)
		names[name] = address
		direct = append(direct, "http://"+inURL(address)+"/", "https://"+inURL(address)+"/", "http://"+name+"/")
	}
	direct = append(direct, urls...)
	way.targets = direct
	start := mustServeAt(t, entrance, way)
	_, port, err := net.SplitHostPort(start)
	require.NoError(t, err)
	proxy := &egress{to: start}
	behind := mustConfig(t, fmt.Sprintf(`{"proxy":{"url":"http://%s"}}`, mustServeAt(t, "127.0.0.1", proxy)), nil)
	for name, c := range map[string]struct {
		options fetch.Options
		first   string // where redirects begin
	}{
		"without a proxy": {fetch.Options{Allow: []netip.Prefix{netip.MustParsePrefix(entrance + "/32")}}, "http://" + entrance + ":" + port},
		"with a proxy":    {fetch.Options{Config: behind}, "http://93.184.216.34"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := mustFetcher(t, c.options.WithResolver(resolveNames(names, netip.MustParseAddr("127.0.0.1"))))
			_, err := f.Fetch(t.Context(), c.first+"/none")
			assert.Equal(t, contract.FetchNotFound, mustFail(t, err).Reason, "the way itself is open")
			for i, url := range direct {
				assertNotThrough(t, f, url, false)
				assertNotThrough(t, f, fmt.Sprintf("%s/to?%d", c.first, i), true)
				assertNotThrough(t, f, fmt.Sprintf("%s/info?%d", c.first, i), true)
			}
		})
	}
	t.Cleanup(func() {
		for _, asked := range proxy.requests() {
			assert.Equal(t, "CONNECT 93.184.216.34:80 ", asked, "the proxy is asked for nothing hostile")
		}
	})
}

// resolveNames returns a resolver that knows these names. All others have one address.
func resolveNames(names map[string]netip.Addr, others netip.Addr) *net.Resolver {
	return resolver(func(name string, kind byte) (netip.Addr, bool) {
		address, ok := names[name]
		if !ok {
			address = others
		}
		if address.Is4() != (kind == typeA) {
			return netip.Addr{}, true
		}
		return address, true
	})
}

func TestFetcher_Fetch_rebindingBehindProxy(t *testing.T) {
	t.Parallel()
	proxy := &egress{to: strings.TrimPrefix(mustServe(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Connection", "close")
		if r.URL.Path == "/" {
			http.Redirect(w, r, "/again", http.StatusFound)
			return
		}
		_, _ = io.WriteString(w, "reached by "+r.Host)
	}), "http://")}
	config := mustConfig(t, fmt.Sprintf(`{"proxy":{"url":"http://%s"}}`, mustServeAt(t, "127.0.0.1", proxy)), nil)

	steady := mustFetcher(t, fetch.Options{Config: config}.WithResolver(resolveTo("93.184.216.34")))
	requireFetch(t, steady, "http://image.test/", "reached by image.test")
	assert.Equal(t, []string{"CONNECT 93.184.216.34:80 ", "CONNECT 93.184.216.34:80 "}, proxy.requests(), "the proxy gets no name that it could resolve again")

	rebinding := mustFetcher(t, fetch.Options{Config: config}.WithResolver(resolveTo("93.184.216.34", "10.0.0.1")))
	requireReason(t, rebinding, "http://image.test/", contract.NotPublic)
	assert.Equal(t, []string{"CONNECT 93.184.216.34:80 "}, proxy.requests())
}

func TestFetcher_Fetch_proxyTricks(t *testing.T) {
	t.Parallel()
	image := "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi"
	for name, c := range map[string]struct {
		answer string
		reason contract.FetchReason // "" for a failure of our own network
	}{
		"answers before it is asked":       {"HTTP/1.1 200 OK\r\n\r\n" + image, ""},
		"answers the request itself":       {image, ""},
		"redirects":                        {"HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1/\r\n\r\n", ""},
		"asks for a password":              {"HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: 0\r\n\r\n", ""},
		"does not speak HTTP":              {"220 mail.example ESMTP\r\n", ""},
		"sends a header without end":       {"HTTP/1.1 200 OK\r\n" + strings.Repeat("X-Y: zzzzzzzzzzzzzzzzzzzzzz\r\n", 5000), ""},
		"hangs up":                         {"", ""},
		"does not permit the server":       {"HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n", contract.FetchForbidden},
		"cannot reach the server":          {"HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\n\r\n", contract.FetchUnreachable},
		"times out waiting for the server": {"HTTP/1.1 504 Gateway Timeout\r\nContent-Length: 0\r\n\r\n", contract.FetchTimeout},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			config := mustConfig(t, fmt.Sprintf(`{"proxy":{"url":%q}}`, mustAnswer(t, c.answer)), nil)
			_, err := mustFetcher(t, fetch.Options{Config: config}).Fetch(t.Context(), "http://93.184.216.34/")
			if c.reason == "" {
				require.ErrorIs(t, err, fetch.ErrNetwork)
				return
			}
			assert.Equal(t, c.reason, mustFail(t, err).Reason)
		})
	}
}

func TestFetcher_Fetch_silentProxy(t *testing.T) {
	t.Parallel()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { _ = listener.Close() })
	config := mustConfig(t, fmt.Sprintf(`{"proxy":{"url":"http://%s"}}`, listener.Addr()), nil)
	f := mustFetcher(t, fetch.Options{Config: config, Timeout: 200_000_000})
	_, err = f.Fetch(t.Context(), "http://93.184.216.34/")
	assert.Equal(t, contract.FetchTimeout, mustFail(t, err).Reason)
}

func TestFetcher_Fetch_noProxyThere(t *testing.T) {
	t.Parallel()
	config := mustConfig(t, fmt.Sprintf(`{"proxy":{"url":"http://%s"}}`, mustClosedPort(t)), nil)
	_, err := mustFetcher(t, fetch.Options{Config: config}).Fetch(t.Context(), "http://93.184.216.34/")
	require.ErrorIs(t, err, fetch.ErrNetwork)
	require.NotErrorAs(t, err, new(*fetch.Error))
}

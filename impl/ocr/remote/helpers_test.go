package remote_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"uncial/impl/ocr"
	"uncial/impl/ocr/ocrtest"
	"uncial/impl/ocr/remote"
	"uncial/impl/ocr/sandbox"
	"uncial/internal/document"
)

func TestMain(m *testing.M) {
	sandbox.MaybeShim()
	ocrtest.MaybeWorker()
	os.Exit(m.Run())
}

func MustDial(tb testing.TB, url string, o remote.Options) *remote.Client {
	tb.Helper()
	c, err := remote.Dial(tb.Context(), url, o)
	require.NoError(tb, err)
	tb.Cleanup(func() { require.NoError(tb, c.Close()) })
	return c
}

// MustServe serves the handler and returns its URL.
func MustServe(tb testing.TB, h http.Handler) string {
	tb.Helper()
	server := httptest.NewServer(h)
	tb.Cleanup(server.Close)
	return server.URL
}

// fake is a recognizer that a test controls.
type fake struct {
	read  func(ctx context.Context, req ocr.Request) (*document.Document, error)
	load  ocr.Load
	calls atomic.Int64
}

func (f *fake) Languages(context.Context) ([]string, error) { return []string{"de", "en"}, nil }

func (f *fake) Load() ocr.Load {
	if f.load == (ocr.Load{}) {
		return ocr.Load{Workers: 8, Ready: 8, Queue: 8}
	}
	return f.load
}

func (f *fake) Recognize(ctx context.Context, req ocr.Request) (*document.Document, error) {
	f.calls.Add(1)
	if f.read == nil {
		return page(), nil
	}
	return f.read(ctx, req)
}

func page() *document.Document {
	return &document.Document{Pages: []document.Page{{Width: 1, Height: 1}}, Language: "en"}
}

func fails(err error) func(context.Context, ocr.Request) (*document.Document, error) {
	return func(context.Context, ocr.Request) (*document.Document, error) { return nil, err }
}

// waits returns a function that waits until the gate is closed or the context ends.
func waits(gate <-chan struct{}) func(context.Context, ocr.Request) (*document.Document, error) {
	return func(ctx context.Context, _ ocr.Request) (*document.Document, error) {
		select {
		case <-gate:
			return page(), nil
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// recognize reads an image through the client.
func recognize(t *testing.T, c *remote.Client) error {
	t.Helper()
	_, err := c.Recognize(t.Context(), ocr.Request{Image: []byte("image"), Language: "en"})
	return err
}

// cluster is a set of engines on several loopback addresses and one port, behind one host name.
type cluster struct {
	url     string
	servers []*httptest.Server
	mu      sync.Mutex
	addrs   []netip.Addr
}

func (c *cluster) lookup(context.Context, string) ([]netip.Addr, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.addrs) == 0 {
		return nil, errors.New("no such host")
	}
	return append([]netip.Addr{}, c.addrs...), nil
}

// set replaces the addresses of the host name. They are given by their last bytes.
func (c *cluster) set(last ...byte) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.addrs = nil
	for _, b := range last {
		c.addrs = append(c.addrs, netip.AddrFrom4([4]byte{127, 0, 0, b}))
	}
}

// dial returns a client of the cluster that refreshes the engines only once, unless the options say otherwise.
func (c *cluster) dial(t *testing.T, o remote.Options) *remote.Client {
	t.Helper()
	o.Lookup = c.lookup
	if o.Refresh == 0 {
		o.Refresh = time.Hour
	}
	return MustDial(t, c.url, o)
}

// MustCluster serves each handler on its own address, from 127.0.0.1 on.
func MustCluster(t *testing.T, handlers ...http.Handler) *cluster {
	t.Helper()
	for range 20 { // try until a port is free on all addresses
		if c := tryCluster(t, handlers); c != nil {
			return c
		}
	}
	t.Fatal("no port is free on several loopback addresses")
	return nil
}

func tryCluster(t *testing.T, handlers []http.Handler) *cluster {
	t.Helper()
	port := 0
	var listeners []net.Listener
	for i := range handlers {
		l, err := net.Listen("tcp", fmt.Sprintf("127.0.0.%d:%d", i+1, port))
		if err != nil {
			for _, l := range listeners {
				require.NoError(t, l.Close())
			}
			return nil
		}
		listeners = append(listeners, l)
		port = l.Addr().(*net.TCPAddr).Port
	}
	c := &cluster{url: "http://engine.test:" + strconv.Itoa(port)}
	var last []byte
	for i, h := range handlers {
		s := &httptest.Server{Listener: listeners[i], Config: &http.Server{Handler: h, ReadHeaderTimeout: time.Minute}}
		s.Start()
		t.Cleanup(s.Close)
		c.servers, last = append(c.servers, s), append(last, byte(i+1))
	}
	c.set(last...)
	return c
}

// MustFakes serves fakes in a cluster.
func MustFakes(t *testing.T, fakes ...*fake) *cluster {
	t.Helper()
	var handlers []http.Handler
	for _, f := range fakes {
		handlers = append(handlers, remote.Handler(f, nil))
	}
	return MustCluster(t, handlers...)
}

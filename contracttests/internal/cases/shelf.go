package cases

import (
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"sync"
	"time"

	"uncial/internal/listen"
)

// shelf is a server of images for the target to fetch. Its paths begin with a name that is unique to the run. It is safe for
// concurrent use.
type shelf struct {
	base    string // URL in front of the paths, without "/" at its end
	closed  string // an address of the same host at which nothing listens, whatever else runs there
	server  *http.Server
	stopped chan struct{}

	mu       sync.RWMutex
	handlers map[string]http.HandlerFunc // by path and query, as the URL has them
}

// shelfTimeout limits how long the target may take to send a request or to receive an image.
const shelfTimeout = time.Minute

// closedPort is the port of tcpmux (RFC 1078): hardly any machine serves it, and no system gives it to a client.
const closedPort = "1"

// openShelf listens at an address. public is the URL by which the target reaches it, "" if the address itself will do.
func openShelf(address, public, name string) (*shelf, error) {
	l, err := listen.TCP("--serve-images", address)
	if err != nil {
		return nil, err
	}
	at, err := netip.ParseAddrPort(l.Addr().String())
	switch {
	case public != "":
	case err != nil || at.Addr().IsUnspecified():
		_ = l.Close()
		return nil, fmt.Errorf("the images are served at %s, which is not an address that a server can fetch from; give the URL as well", address)
	default:
		public = "http://" + l.Addr().String()
	}
	s := &shelf{closed: net.JoinHostPort(at.Addr().String(), closedPort), base: strings.TrimSuffix(public, "/") + "/" + name, stopped: make(chan struct{}), handlers: map[string]http.HandlerFunc{}}
	s.server = &http.Server{Handler: s, ReadHeaderTimeout: shelfTimeout, WriteTimeout: shelfTimeout}
	go func() {
		defer close(s.stopped)
		_ = s.server.Serve(l) // after an error, requests for images fail, and the cases report it
	}()
	return s, nil
}

// close ends the server and waits until it has ended. s may be nil.
func (s *shelf) close() {
	if s != nil {
		_ = s.server.Close() // nothing is lost
		<-s.stopped
	}
}

// put answers requests for a path, which may have a query and a fragment, and returns its URL.
func (s *shelf) put(path string, h http.HandlerFunc) (url string) {
	requested, _, _ := strings.Cut(path, "#") // fragments are not sent
	s.mu.Lock()
	defer s.mu.Unlock()
	s.handlers[requested] = h
	return s.base + path
}

// ServeHTTP answers by the path after the name of the run. Proxies may add to the path before it, but must not change its end.
func (s *shelf) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	_, name, _ := strings.Cut(s.base, "//")
	name = name[strings.LastIndexByte(name, '/'):]
	_, path, _ := strings.Cut(r.RequestURI, name)
	s.mu.RLock()
	h := s.handlers[path]
	s.mu.RUnlock()
	if h == nil {
		http.NotFound(w, r)
		return
	}
	h(w, r)
}

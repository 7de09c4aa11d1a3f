package remote_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// cluster is engines on several loopback addresses and one port, behind one name.
type cluster struct {
	url   string
	mu    sync.Mutex
	addrs []netip.Addr
}

func (c *cluster) lookup(context.Context, string) ([]netip.Addr, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.addrs) == 0 {
		return nil, errors.New("no such host")
	}
	return append([]netip.Addr{}, c.addrs...), nil
}

func (c *cluster) set(last ...byte) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.addrs = nil
	for _, b := range last {
		c.addrs = append(c.addrs, netip.AddrFrom4([4]byte{127, 0, 0, b}))
	}
}

// MustCluster serves each handler on an address of its own, from 127.0.0.1 on.
func MustCluster(t *testing.T, handlers ...http.Handler) (*cluster, []*httptest.Server) {
	t.Helper()
	for range 20 { // until a port is free on all addresses
		if c, servers := tryCluster(t, handlers); c != nil {
			return c, servers
		}
	}
	t.Fatal("no port is free on several loopback addresses")
	return nil, nil
}

func tryCluster(t *testing.T, handlers []http.Handler) (*cluster, []*httptest.Server) {
	t.Helper()
	port := 0
	var listeners []net.Listener
	for i := range handlers {
		l, err := net.Listen("tcp", fmt.Sprintf("127.0.0.%d:%d", i+1, port))
		if err != nil {
			for _, l := range listeners {
				require.NoError(t, l.Close())
			}
			return nil, nil
		}
		listeners = append(listeners, l)
		port = l.Addr().(*net.TCPAddr).Port
	}
	c := &cluster{url: "http://engine.test:" + strconv.Itoa(port)}
	var servers []*httptest.Server
	var last []byte
	for i, h := range handlers {
		s := &httptest.Server{Listener: listeners[i], Config: &http.Server{Handler: h, ReadHeaderTimeout: time.Minute}}
		s.Start()
		t.Cleanup(s.Close)
		servers, last = append(servers, s), append(last, byte(i+1))
	}
	c.set(last...)
	return c, servers
}

package testcontainers

import (
	"context"
	"io"
	"net"
	"sync"
	"testing"
	"time"
)

// Fault is what goes wrong on a connection.
type Fault int

// The faults of a wire.
const (
	NoFault   Fault = iota
	Latency         // each packet of the answer waits Delay
	Reset           // the connection is reset after Bytes of the answer
	HalfOpen        // after Bytes of the answer nothing arrives any more, and nothing ends
	SlowClose       // the answer arrives, its end only after Delay
	Cut             // the connection ends properly after Bytes of the answer, in the middle of what was to come
	Refuse          // the connection is accepted and ended at once
)

var faultNames = [...]string{"no fault", "latency", "reset", "half-open", "slow close", "cut", "refuse"}

func (f Fault) String() string { return faultNames[f] }

// Trouble is a fault with its measure.
type Trouble struct {
	Fault Fault
	Delay time.Duration
	Bytes int64
}

// Wire is a TCP proxy with faults. New connections, and the answers on open ones, meet the trouble of the moment.
type Wire struct {
	Addr string // where it listens, host:port

	upstream string
	ln       net.Listener
	ctx      context.Context
	tasks    sync.WaitGroup

	mu      sync.Mutex
	trouble Trouble
	conns   map[net.Conn]bool // true while open
}

// Proxy stands between a client on this machine and upstream (host:port). It goes with the test.
func Proxy(tb testing.TB, upstream string) *Wire {
	tb.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		tb.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	w := &Wire{Addr: ln.Addr().String(), upstream: upstream, ln: ln, ctx: ctx, conns: map[net.Conn]bool{}}
	w.tasks.Go(w.accept)
	tb.Cleanup(func() {
		cancel()
		_ = ln.Close()
		w.Drop()
		w.tasks.Wait()
	})
	return w
}

// Set decides what goes wrong from now on.
func (w *Wire) Set(t Trouble) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.trouble = t
}

// Drop resets every open connection.
func (w *Wire) Drop() {
	w.mu.Lock()
	defer w.mu.Unlock()
	for c := range w.conns {
		abort(c)
	}
}

func (w *Wire) current() Trouble {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.trouble
}

func (w *Wire) keep(c net.Conn, open bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if open {
		w.conns[c] = true
	} else {
		delete(w.conns, c)
	}
}

func (w *Wire) accept() {
	for {
		c, err := w.ln.Accept()
		if err != nil {
			return // the test has ended
		}
		w.tasks.Go(func() { w.serve(c) })
	}
}

func (w *Wire) serve(client net.Conn) {
	w.keep(client, true)
	defer w.keep(client, false)
	defer func() { _ = client.Close() }()
	if w.current().Fault == Refuse {
		return
	}
	dialer := net.Dialer{Timeout: 5 * time.Second}
	server, err := dialer.DialContext(w.ctx, "tcp", w.upstream)
	if err != nil {
		return
	}
	w.keep(server, true)
	defer w.keep(server, false)
	defer func() { _ = server.Close() }()
	var asking sync.WaitGroup
	asking.Go(func() {
		_, _ = io.Copy(server, client)
		closeWrite(server)
	})
	w.answer(client, server)
	_ = client.Close()
	_ = server.Close()
	asking.Wait()
}

// answer carries what the server sends, with the trouble of the moment.
func (w *Wire) answer(client, server net.Conn) {
	buf := make([]byte, 16<<10)
	var sent int64
	for {
		n, err := server.Read(buf)
		t := w.current()
		chunk := buf[:n]
		if limited(t.Fault) && sent+int64(n) > t.Bytes {
			chunk = buf[:max(0, t.Bytes-sent)]
		}
		if t.Fault == Latency && !w.pause(t.Delay) {
			return
		}
		if _, e := client.Write(chunk); e != nil {
			return
		}
		sent += int64(n)
		switch {
		case len(chunk) < n && t.Fault == Reset:
			abort(client)
			return
		case len(chunk) < n && t.Fault == HalfOpen:
			w.silence(client)
			return
		case len(chunk) < n:
			return
		case err != nil:
			if t.Fault == SlowClose {
				w.pause(t.Delay)
			}
			return
		}
	}
}

func limited(f Fault) bool { return f == Reset || f == HalfOpen || f == Cut }

// silence holds the connection open until the other side ends it, the trouble is over, or the test is.
func (w *Wire) silence(c net.Conn) {
	for w.current().Fault == HalfOpen && w.open(c) && w.pause(20*time.Millisecond) {
	}
	abort(c)
}

func (w *Wire) open(c net.Conn) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.conns[c]
}

func (w *Wire) pause(d time.Duration) bool {
	select {
	case <-w.ctx.Done():
		return false
	case <-time.After(d):
		return true
	}
}

// abort ends a connection with a reset instead of a proper end.
func abort(c net.Conn) {
	if t, ok := c.(*net.TCPConn); ok {
		_ = t.SetLinger(0)
	}
	_ = c.Close()
}

func closeWrite(c net.Conn) {
	if t, ok := c.(*net.TCPConn); ok {
		_ = t.CloseWrite()
	}
}

package testcontainers

import (
	"context"
	"io"
	"net"
	"sync"
	"testing"
	"time"
)

// FaultKind is a way in which a connection can fail.
type FaultKind int

// The kinds of faults.
const (
	noFault     FaultKind = iota
	Latency               // each packet of the answer is delayed by Delay
	Reset                 // the connection is reset after Bytes of the answer
	HalfOpen              // after Bytes of the answer nothing more arrives, and the connection stays open
	SlowClose             // the answer arrives, but the connection is closed only after Delay
	Cut                   // the connection is closed properly after Bytes of the answer
	CloseAtOnce           // the connection is accepted and closed at once
)

var faultNames = [...]string{"no fault", "latency", "reset", "half-open", "slow close", "cut", "close at once"}

// String returns the name of the kind, such as "half-open".
func (k FaultKind) String() string { return faultNames[k] }

// Fault is a kind of fault with its parameters. Delay is for Latency and SlowClose; Bytes, of the answer, is for Reset,
// HalfOpen and Cut. The zero value stands for no fault.
type Fault struct {
	Kind  FaultKind
	Delay time.Duration
	Bytes int64
}

// pollInterval is the interval at which a half-open connection checks whether its fault has ended.
const pollInterval = 20 * time.Millisecond

// FaultProxy is a TCP proxy that injects faults into what the server sends. The current fault applies to new connections
// and to answers on open ones. Requests pass unchanged.
type FaultProxy struct {
	Addr string // where it listens, host:port

	upstream string
	ln       net.Listener
	ctx      context.Context
	tasks    sync.WaitGroup

	mu    sync.Mutex
	fault Fault
	conns map[net.Conn]struct{} // those that are open
}

// Proxy starts a proxy between a client on this machine and upstream (host:port). It stops when the test ends.
func Proxy(tb testing.TB, upstream string) *FaultProxy {
	tb.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		tb.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	p := &FaultProxy{Addr: ln.Addr().String(), upstream: upstream, ln: ln, ctx: ctx, conns: map[net.Conn]struct{}{}}
	p.tasks.Go(p.accept)
	tb.Cleanup(func() {
		// The order matters: first waiting faults end, then no new connection is accepted, then the open ones break. After that all
		// tasks end.
		cancel()
		_ = ln.Close()
		p.Drop()
		p.tasks.Wait()
	})
	return p
}

// Set sets the fault from now on.
func (p *FaultProxy) Set(f Fault) {
	p.mu.Lock()
	defer p.mu.Unlock()
	// Open connections look it up with their next packet.
	p.fault = f
}

// Drop resets every open connection.
func (p *FaultProxy) Drop() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for c := range p.conns {
		reset(c)
	}
}

func (p *FaultProxy) current() Fault {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.fault
}

// track remembers a connection as open; the returned function closes and forgets it.
func (p *FaultProxy) track(c net.Conn) (done func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.conns[c] = struct{}{}
	return func() {
		_ = c.Close()
		p.mu.Lock()
		defer p.mu.Unlock()
		delete(p.conns, c)
	}
}

// accept serves connections until the test ends.
func (p *FaultProxy) accept() {
	for {
		c, err := p.ln.Accept()
		if err != nil {
			return // the test has ended
		}
		p.tasks.Go(func() { p.serve(c) })
	}
}

// serve connects to the upstream server and copies in both directions until one side ends.
func (p *FaultProxy) serve(client net.Conn) {
	defer p.track(client)()
	if p.current().Kind == CloseAtOnce {
		return
	}
	dialer := net.Dialer{Timeout: 5 * time.Second}
	server, err := dialer.DialContext(p.ctx, "tcp", p.upstream)
	if err != nil {
		return
	}
	defer p.track(server)()
	var requests sync.WaitGroup
	requests.Go(func() {
		_, _ = io.Copy(server, client)
		// Only this direction ends, so that a client that has sent its request still gets the answer.
		if t, ok := server.(*net.TCPConn); ok {
			_ = t.CloseWrite()
		}
	})
	p.copyAnswer(client, server)
	// Closing both also ends the copy of the requests.
	_ = client.Close()
	_ = server.Close()
	requests.Wait()
}

// copyAnswer copies what the server sends, with the current fault, which may change on the way.
func (p *FaultProxy) copyAnswer(client, server net.Conn) {
	buf := make([]byte, 16<<10)
	var sent int64
	for {
		n, err := server.Read(buf)
		// The fault is looked up for each packet, so that it can begin and end in the middle of an answer.
		f := p.current()
		chunk := buf[:n]
		if f.limitsBytes() && sent+int64(n) > f.Bytes {
			chunk = buf[:max(0, f.Bytes-sent)]
		}
		if f.Kind == Latency && !p.pause(f.Delay) {
			return
		}
		if _, e := client.Write(chunk); e != nil {
			return
		}
		sent += int64(n)
		switch {
		// The fault has begun. Without Cut the client sees a reset, at once or when HalfOpen is over: the rest of the answer never
		// arrives, and a proper end would look like a short but complete answer.
		case len(chunk) < n:
			if f.Kind == HalfOpen {
				p.holdOpen()
			}
			if f.Kind != Cut {
				reset(client)
			}
			return
		case err != nil:
			if f.Kind == SlowClose {
				p.pause(f.Delay)
			}
			return
		}
	}
}

// limitsBytes reports whether the fault begins after a number of bytes.
func (f Fault) limitsBytes() bool { return f.Kind == Reset || f.Kind == HalfOpen || f.Kind == Cut }

// holdOpen returns when the fault is over or the test has ended.
func (p *FaultProxy) holdOpen() {
	for p.current().Kind == HalfOpen && p.pause(pollInterval) {
	}
}

// pause reports false if the test ended during the pause.
func (p *FaultProxy) pause(d time.Duration) bool {
	select {
	case <-p.ctx.Done():
		return false
	case <-time.After(d):
		return true
	}
}

// reset closes a connection with a TCP reset instead of a proper end.
func reset(c net.Conn) {
	if t, ok := c.(*net.TCPConn); ok {
		// Without lingering the kernel drops what it has not sent yet and sends RST.
		_ = t.SetLinger(0)
	}
	_ = c.Close()
}

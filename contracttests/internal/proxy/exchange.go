package proxy

import (
	"errors"
	"io"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"uncial/contracttests/internal/answer"
)

// exchange is a request and its answer on their way.
type exchange struct {
	started  time.Time
	took     time.Duration
	url      string
	request  answer.Request // without its body, which is in sent
	sent     copied
	status   int // 0 if there was no answer
	header   http.Header
	proto    string
	received copied
	err      error // why there was no answer
	gone     bool  // the client hung up
}

// release gives the memory of the bodies back.
func (x *exchange) release() {
	x.sent.release()
	x.received.release()
}

// copied is a body that keeps a copy of what is read from it, if the budget allows. After stop it only passes bytes on: a
// server may answer before it has read the whole request, which is then still being sent.
type copied struct {
	io.ReadCloser
	budget *budget
	mu     sync.Mutex // guards what follows, until stop
	ended  bool
	kept   []byte
	taken  int64 // of the budget
	size   int64 // of the body so far
	err    error // of reading, other than the end; or errNotKept
}

// watch begins to copy a body whose length is known, or -1. Memory for a known length is taken at once, so that many bodies at
// the same time do not all fail halfway.
func (c *copied) watch(body io.ReadCloser, length int64) {
	c.ReadCloser = body
	if c.take(length) && length > 0 {
		c.kept = make([]byte, 0, length)
	}
}

// Read implements io.Reader. It passes on all bytes, even those that it cannot keep.
func (c *copied) Read(p []byte) (int, error) {
	n, err := c.ReadCloser.Read(p)
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.ended {
		return n, err
	}
	c.size += int64(n)
	if c.err == nil && c.take(c.size-c.taken) {
		c.kept = append(c.kept, p[:n]...)
	}
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, http.ErrBodyReadAfterClose) && c.err == nil {
		c.err = err
	}
	return n, err
}

// stop ends the copy, which can then be used without a lock.
func (c *copied) stop() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ended = true
}

// take takes n more bytes of the budget, none if n is not positive. If there are not enough, nothing is kept.
func (c *copied) take(n int64) bool {
	if n <= 0 {
		return true
	}
	if !c.budget.take(n) {
		c.release()
		c.err = errNotKept
		return false
	}
	c.taken += n
	return true
}

func (c *copied) release() {
	c.budget.give(c.taken)
	c.kept, c.taken = nil, 0
}

// maxKept limits the memory for all bodies that are passing or waiting for their check, in bytes: eight of the largest
// inline images at once. An exchange beyond it is passed on, and reported as not checked.
const maxKept = 256 << 20

// budget counts the bytes of bodies that are kept.
type budget struct{ used atomic.Int64 }

// take reserves n bytes for a copy of a body. It reports false, and reserves nothing, if the copies of all exchanges would be
// too large.
func (b *budget) take(n int64) bool {
	if b.used.Add(n) <= maxKept {
		return true
	}
	b.used.Add(-n)
	return false
}

// errNotKept says that a body was not kept, because too many others were.
var errNotKept = errors.New("too much traffic at once")

func (b *budget) give(n int64) { b.used.Add(-n) }

package client

import (
	"context"
	"sync"
	"time"
)

// pace decides how many pages are sent at the same time. It halves their number when the service asks clients to wait, and adds
// one after some successes, up to --jobs. It is safe for concurrent use.
type pace struct {
	max int // the largest limit: --jobs

	mu        sync.Mutex
	limit     int
	running   int
	successes int       // since the limit changed
	resume    time.Time // before which nothing is sent
	changed   chan struct{}
}

// successesPerStep times the limit is the number of pages that must succeed before the limit grows by one.
const successesPerStep = 4

func newPace(jobs int) *pace {
	return &pace{max: jobs, limit: jobs, changed: make(chan struct{})}
}

// enter waits until a page may be sent. The caller must call leave. Its only error is ctx's error.
func (p *pace) enter(ctx context.Context) error {
	for {
		p.mu.Lock()
		wait := time.Until(p.resume)
		if wait <= 0 && p.running < p.limit {
			p.running++
			p.mu.Unlock()
			return nil
		}
		changed := p.changed
		p.mu.Unlock()
		// A nil channel never delivers: without a time to wait for, only a change ends the wait.
		var timer <-chan time.Time
		if wait > 0 {
			timer = time.After(wait)
		}
		select {
		case <-changed:
		case <-timer:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// leave reports that a page is finished. A page that was read counts towards a higher limit.
func (p *pace) leave(isRead bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.running--
	if isRead && p.limit < p.max {
		if p.successes++; p.successes >= successesPerStep*p.limit {
			p.limit, p.successes = p.limit+1, 0
		}
	}
	p.broadcast()
}

// slowDown stops sending for a while, because the service asked clients to wait, and halves the limit.
func (p *pace) slowDown(wait time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if until := time.Now().Add(wait); until.After(p.resume) {
		p.resume = until
	}
	p.limit, p.successes = max(1, p.limit/2), 0
	p.broadcast()
}

// broadcast wakes all callers of enter. The caller holds mu.
func (p *pace) broadcast() {
	close(p.changed)
	p.changed = make(chan struct{})
}

// hosts makes the images of each IIIF server take turns, and sends nothing to a server while its Retry-After lasts. It is safe
// for concurrent use.
type hosts struct {
	oneByOne bool

	mu    sync.Mutex
	known map[string]*host
}

type host struct {
	turn chan struct{} // holds a value while an image of the server is read

	mu     sync.Mutex
	resume time.Time
}

func newHosts(oneByOne bool) *hosts { return &hosts{oneByOne: oneByOne, known: map[string]*host{}} }

// find returns the host with that name, which it creates if necessary.
func (h *hosts) find(name string) *host {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.known[name] == nil {
		h.known[name] = &host{turn: make(chan struct{}, 1)}
	}
	return h.known[name]
}

// wait waits for a turn at the server called name, and until its Retry-After is over. With an empty name it does not wait. The
// caller must call release after the request. The only error is ctx's error.
func (h *hosts) wait(ctx context.Context, name string) (release func(), err error) {
	if name == "" {
		return func() {}, nil
	}
	one := h.find(name)
	release = func() {}
	if h.oneByOne {
		select {
		case one.turn <- struct{}{}:
			release = func() { <-one.turn }
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	one.mu.Lock()
	wait := time.Until(one.resume)
	one.mu.Unlock()
	if wait > 0 {
		if err := sleep(ctx, wait); err != nil {
			release()
			return nil, err
		}
	}
	return release, nil
}

// recordPause makes requests to a server wait for as long as it asked clients to wait.
func (h *hosts) recordPause(name string, wait time.Duration) {
	if name == "" {
		return
	}
	one := h.find(name)
	one.mu.Lock()
	defer one.mu.Unlock()
	if until := time.Now().Add(wait); until.After(one.resume) {
		one.resume = until
	}
}

package fetch

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync"
	"time"

	"uncial/impl/ocr"
	"uncial/internal/contract"
	"uncial/internal/fair"
)

const (
	// hostWaitersPerSlot bounds the requests that wait for one host, for each request to it that may run, so that a slow host
	// cannot take all places of Fetcher.semaphore: 2 + 32 of 128 with the defaults. Further ones fail with ocr.ErrBusy.
	hostWaitersPerSlot = 16
	// maxPauses bounds the hosts that are remembered because they asked clients to wait.
	maxPauses = 4096
)

// turns is a transport that lets requests take turns: a few to each host, and not too many in all. If a host asks clients to
// wait (Retry-After), it sends the host no requests until then. It is safe for concurrent use.
type turns struct {
	next    http.RoundTripper
	idle    idleCloser
	perHost int
	running *fair.Semaphore // of the requests that run, until their bodies are closed; accounts take turns

	mu     sync.Mutex
	hosts  map[string]*host     // with requests that run or wait
	pauses map[string]time.Time // when a host may be asked again
}

// host is one host with its port. A request holds a place in entered while it waits or runs, and one in running while it runs.
// Each account gets a share of entered; accounts take turns in running.
type host struct {
	entered *fair.Semaphore
	running *fair.Semaphore
}

// idleCloser is the part of http.Transport that closes idle connections.
type idleCloser interface{ CloseIdleConnections() }

// newTurns lets requests through to next. idle is the transport below next, whose connections are closed with those of the
// client.
func newTurns(next http.RoundTripper, idle idleCloser, o Options) *turns {
	return &turns{
		next: next, idle: idle, perHost: o.PerHost, running: fair.NewSemaphore(func() int { return o.MaxConcurrent }),
		hosts: map[string]*host{}, pauses: map[string]time.Time{},
	}
}

// CloseIdleConnections makes http.Client.CloseIdleConnections reach the wrapped transport.
func (t *turns) CloseIdleConnections() { t.idle.CloseIdleConnections() }

// RoundTrip sends the request when its turn comes, which lasts until the body of the response is closed. Errors: *Error if the
// host asked clients to wait, ocr.ErrBusy if too many requests wait or no turn came before the request's context ended, those
// of the transport.
func (t *turns) RoundTrip(r *http.Request) (*http.Response, error) {
	name := originOf(r.URL)
	release, err := t.take(r.Context(), name)
	if err != nil {
		return nil, err
	}
	// A host may have asked while this request waited for its turn.
	if wait := t.pause(name, time.Now()); wait > 0 {
		release()
		seconds := (wait + time.Second - 1) / time.Second
		return nil, &Error{
			Reason: contract.FetchBusy, RetryAfter: wait,
			Text: fmt.Sprintf("the server has asked for a pause; try again in %d s", seconds),
		}
	}
	response, err := t.next.RoundTrip(r)
	if err != nil {
		release()
		return nil, err
	}
	if response.StatusCode == http.StatusTooManyRequests || response.StatusCode == http.StatusServiceUnavailable {
		now := time.Now()
		t.recordPause(name, now, retryAfter(response.Header.Get("Retry-After"), now))
	}
	response.Body = &turnBody{ReadCloser: response.Body, release: release}
	return response, nil
}

// take waits for a turn and returns a function that ends it, which may be called only once. Errors: ocr.ErrBusy, ctx's error
// if ctx was cancelled.
func (t *turns) take(ctx context.Context, name string) (release func(), err error) {
	h, leave, err := t.enter(ctx, name)
	if err != nil {
		return nil, err
	}
	_, endHost, err := h.running.Wait(ctx)
	if err != nil {
		leave()
		return nil, waitError(err)
	}
	_, end, err := t.running.Wait(ctx)
	if err != nil {
		endHost()
		leave()
		return nil, waitError(err)
	}
	return func() {
		end()
		endHost()
		leave()
	}, nil
}

// waitError returns the error of a request whose context ended before its turn came.
func waitError(err error) error {
	if errors.Is(err, context.Canceled) {
		return err
	}
	return ocr.ErrBusy
}

// enter counts a request to the host until leave is called. The error is ocr.ErrBusy if too many requests of the account, or of
// all accounts, wait.
func (t *turns) enter(ctx context.Context, name string) (h *host, leave func(), err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	h = t.hosts[name]
	if h == nil {
		places := t.perHost * (1 + hostWaitersPerSlot)
		h = &host{entered: fair.NewSemaphore(func() int { return places }), running: fair.NewTurns(t.perHost)}
	}
	_, give, err := h.entered.Enter(ctx)
	if err != nil {
		return nil, nil, ocr.ErrBusy
	}
	t.hosts[name] = h
	return h, func() {
		t.mu.Lock()
		defer t.mu.Unlock()
		if give(); h.entered.Used() == 0 {
			delete(t.hosts, name)
		}
	}, nil
}

// recordPause records that the host asked clients to wait. If maxPauses hosts have done so, it forgets those whose pause is
// over, or else an arbitrary one.
func (t *turns) recordPause(name string, now time.Time, wait time.Duration) {
	if wait <= 0 {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.pauses) >= maxPauses {
		for other, end := range t.pauses {
			if !now.Before(end) {
				delete(t.pauses, other)
			}
		}
	}
	for other := range t.pauses {
		if len(t.pauses) < maxPauses {
			break
		}
		delete(t.pauses, other)
	}
	t.pauses[name] = now.Add(wait)
}

// pause returns how long no requests may be sent to the host, 0 if they may be sent now.
func (t *turns) pause(name string, now time.Time) time.Duration {
	t.mu.Lock()
	defer t.mu.Unlock()
	end, asked := t.pauses[name]
	if !asked {
		return 0
	}
	if !now.Before(end) {
		delete(t.pauses, name)
		return 0
	}
	return end.Sub(now)
}

// turnBody ends the turn of its request when it is closed.
type turnBody struct {
	io.ReadCloser
	release func()
	once    sync.Once
}

// Close closes the body. Further calls have no effect on the turn.
func (b *turnBody) Close() error {
	defer b.once.Do(b.release)
	return b.ReadCloser.Close()
}

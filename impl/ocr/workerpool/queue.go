package workerpool

import (
	"container/list"
	"context"
	"slices"
	"sync"
	"time"

	"uncial/impl/ocr"
	"uncial/internal/document"
)

// releaseTimeout bounds awaitRelease, because Recognize promises to return within a second after its context ends.
const releaseTimeout = 900 * time.Millisecond

// job is one image to read. At any moment it belongs to the queue or to one slot; the slot that takes it out of the queue
// must finish it or put it back.
type job struct {
	ctx     context.Context //nolint:containedctx // the context of the caller of Recognize
	req     ocr.Request
	done    chan outcome // buffered: holds the one outcome
	retried bool
}

// outcome holds a document or an error, never both.
type outcome struct {
	doc *document.Document
	err error
}

// finish ends the job. It must be called exactly once.
func (j *job) finish(o outcome) { j.done <- o }

// awaitRelease waits until the slot has finished the job, which takes milliseconds because the worker is being killed. It
// keeps the promise of ocr.Recognizer that nothing is left running when Recognize returns.
func (j *job) awaitRelease() {
	select {
	case <-j.done:
	case <-time.After(releaseTimeout):
	}
}

// queue gives jobs to idle slots in the order of arrival. It is not a channel, because jobs must be removable while they
// wait, and because an idle slot must notice that its worker died before it takes a job.
type queue struct {
	closing chan struct{} // closed by close

	mu      sync.Mutex
	waiting list.List   // of *job; empty whenever a slot is idle
	idle    []chan *job // inboxes of the slots that wait; each holds one job
	limit   int
	closed  bool
}

func newQueue(limit int) *queue { return &queue{limit: limit, closing: make(chan struct{})} }

// put gives the job to an idle slot or lets it wait. It returns ocr.ErrBusy if the queue is full or closed.
func (q *queue) put(j *job) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed {
		return errClosed
	}
	if q.giveToIdle(j) {
		return nil
	}
	if q.waiting.Len() >= q.limit {
		return ocr.ErrBusy
	}
	q.waiting.PushBack(j)
	return nil
}

// putFirst takes back a job that a slot could not begin. The job is the next to be read, even if the queue then exceeds
// its limit.
func (q *queue) putFirst(j *job) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if !q.giveToIdle(j) {
		q.waiting.PushFront(j)
	}
}

// giveToIdle gives the job to the slot that became idle last, because the caches of its worker are the warmest. The
// caller holds mu.
func (q *queue) giveToIdle(j *job) bool {
	last := len(q.idle) - 1
	if last < 0 {
		return false
	}
	q.idle[last] <- j
	q.idle = q.idle[:last]
	return true
}

// remove takes a waiting job out of the queue. It reports false if a slot has the job already.
func (q *queue) remove(j *job) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	for e := q.waiting.Front(); e != nil; e = e.Next() {
		if e.Value == any(j) {
			q.waiting.Remove(e)
			return true
		}
	}
	return false
}

// next sends the job that has waited longest to inbox, or if none waits, the next one to arrive. inbox must have room for
// one job.
func (q *queue) next(inbox chan *job) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if first := q.waiting.Front(); first != nil {
		inbox <- q.waiting.Remove(first).(*job)
		return
	}
	q.idle = append(q.idle, inbox)
}

// withdraw undoes next. It returns the job that arrived in the meantime, or nil.
func (q *queue) withdraw(inbox chan *job) *job {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.idle = slices.DeleteFunc(q.idle, func(c chan *job) bool { return c == inbox })
	select {
	case j := <-inbox:
		return j
	default:
		return nil
	}
}

// close refuses jobs from now on. It may be called more than once.
func (q *queue) close() {
	q.mu.Lock()
	defer q.mu.Unlock()
	if !q.closed {
		q.closed = true
		close(q.closing)
	}
}

// isFinished reports whether the queue is closed and empty.
func (q *queue) isFinished() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.closed && q.waiting.Len() == 0
}

// drain empties the queue and returns its jobs.
func (q *queue) drain() []*job {
	q.mu.Lock()
	defer q.mu.Unlock()
	var left []*job
	for q.waiting.Len() > 0 {
		left = append(left, q.waiting.Remove(q.waiting.Front()).(*job))
	}
	return left
}

// lengths returns the numbers of waiting jobs and idle slots, of which at least one is 0.
func (q *queue) lengths() (waiting, idle int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.waiting.Len(), len(q.idle)
}

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

// job is one image on its way through the pool.
type job struct {
	ctx     context.Context //nolint:containedctx // a job carries its caller's
	req     ocr.Request
	done    chan outcome // holds one
	retried bool
}

type outcome struct {
	doc *document.Document
	err error
}

func (j *job) finish(o outcome) { j.done <- o }

// settle waits until the slot that has the job let go of it: a moment, for its child is being killed.
func (j *job) settle() {
	bound := time.NewTimer(900 * time.Millisecond)
	defer bound.Stop()
	select {
	case <-j.done:
	case <-bound.C:
	}
}

// queue brings jobs and idle slots together, first come, first served.
type queue struct {
	closing chan struct{} // closed by close

	mu      sync.Mutex
	waiting list.List   // of *job; empty whenever a slot is idle
	idle    []chan *job // of slots that wait; each channel holds one job
	limit   int
	closed  bool
}

func newQueue(limit int) *queue { return &queue{limit: limit, closing: make(chan struct{})} }

// put hands the job to an idle slot or lets it wait.
func (q *queue) put(j *job) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed {
		return errClosed
	}
	if q.hand(j) {
		return nil
	}
	if q.waiting.Len() >= q.limit {
		return ocr.ErrBusy
	}
	q.waiting.PushBack(j)
	return nil
}

// putFirst gives back a job that a slot could not begin. It waits before all others, beyond the limit if need be.
func (q *queue) putFirst(j *job) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if !q.hand(j) {
		q.waiting.PushFront(j)
	}
}

// hand gives the job to the slot that was busy last: its child is the warmest. Guarded by mu.
func (q *queue) hand(j *job) bool {
	last := len(q.idle) - 1
	if last < 0 {
		return false
	}
	q.idle[last] <- j
	q.idle = q.idle[:last]
	return true
}

// remove takes a waiting job out. It is false where a slot has the job.
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

// next sends the job that waits longest, or the next to come, to the channel, which must hold one.
func (q *queue) next(to chan *job) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if first := q.waiting.Front(); first != nil {
		to <- q.waiting.Remove(first).(*job)
		return
	}
	q.idle = append(q.idle, to)
}

// withdraw ends what next began, and returns the job that arrived meanwhile, or nil.
func (q *queue) withdraw(from chan *job) *job {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.idle = slices.DeleteFunc(q.idle, func(c chan *job) bool { return c == from })
	select {
	case j := <-from:
		return j
	default:
		return nil
	}
}

// close lets no more jobs in.
func (q *queue) close() {
	q.mu.Lock()
	defer q.mu.Unlock()
	if !q.closed {
		q.closed = true
		close(q.closing)
	}
}

// finished is true once no job can come any more.
func (q *queue) finished() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.closed && q.waiting.Len() == 0
}

// drain empties the queue.
func (q *queue) drain() []*job {
	q.mu.Lock()
	defer q.mu.Unlock()
	var left []*job
	for q.waiting.Len() > 0 {
		left = append(left, q.waiting.Remove(q.waiting.Front()).(*job))
	}
	return left
}

func (q *queue) lengths() (waiting, idle int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.waiting.Len(), len(q.idle)
}

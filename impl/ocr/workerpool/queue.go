package workerpool

import (
	"context"
	"slices"
	"sync"
	"time"

	"uncial/impl/ocr"
	"uncial/impl/ocr/pipe"
	"uncial/internal/document"
	"uncial/internal/fair"
)

// releaseTimeout bounds awaitRelease, because Recognize promises to return within a second after its context ends.
const releaseTimeout = 900 * time.Millisecond

// job is one image to read. At any moment it belongs to the queue or to one slot; the slot that takes it out of the queue
// must finish it or put it back.
type job struct {
	ctx     context.Context //nolint:containedctx // the context of the caller of Recognize
	req     ocr.Request
	queued  time.Time
	cut     *pipe.Cut    // if set, lines are cut out of the image instead of reading it
	done    chan outcome // buffered: holds the one outcome
	item    *fair.Item[*job]
	retried bool
}

// outcome holds a document, strips or an error, never more than one.
type outcome struct {
	doc    *document.Document
	strips *pipe.Strips
	err    error
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

// queue gives jobs to idle slots, and each account its share of their time. It is not a channel, because jobs must be removable
// while they wait, and an idle slot whose worker died must not take a job.
type queue struct {
	closing chan struct{} // closed by close

	mu      sync.Mutex
	waiting *fair.Queue[*job]
	idle    []*inbox // of the slots that wait, the longest idle first
	closed  bool
}

// inbox is where an idle slot waits for a job. It can hold one job.
type inbox struct {
	jobs      chan *job // closed without a job when the queue is finished
	isReserve bool      // the slot takes only jobs of accounts that have no image being read
	isBound   bool      // the worker must be replaced before it reads for another account
	account   string    // label of the account that the worker last read for
}

func newQueue() *queue {
	return &queue{closing: make(chan struct{}), waiting: fair.NewQueue[*job](nil)}
}

// put gives the job to an idle slot or lets it wait. It returns ocr.ErrBusy if the queue is closed. Its length is bounded by
// the semaphore of the pool.
func (q *queue) put(j *job) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed {
		return errClosed
	}
	j.item = q.waiting.Put(fair.FromContext(j.ctx), j)
	q.dispatch()
	return nil
}

// putFirst takes back a job that a slot could not begin. It becomes the next job of its account.
func (q *queue) putFirst(j *job) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.waiting.PutFirst(j.item)
	q.dispatch()
}

// done ends a job that a slot has taken, and charges its account for the time.
func (q *queue) done(j *job) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.waiting.Done(j.item)
	q.dispatch() // the account may use the reserve again
}

// dispatch gives jobs to idle slots while there are both. If the queue is finished, it closes the inboxes of the idle slots.
// The caller holds mu.
func (q *queue) dispatch() {
	for _, reserve := range []bool{false, true} {
		for slices.ContainsFunc(q.idle, func(in *inbox) bool { return in.isReserve == reserve }) {
			next, ok := q.waiting.Take(func(running int) bool { return !reserve || running == 0 })
			if !ok {
				break
			}
			at := q.choose(reserve, next.Account.Label)
			q.idle[at].jobs <- next.Value
			q.idle = slices.Delete(q.idle, at, at+1)
		}
	}
	if q.closed && q.waiting.Len() == 0 {
		for _, in := range q.idle {
			close(in.jobs)
		}
		q.idle = nil
	}
}

// choose returns the index of an idle slot for an image of the account. Among the slots whose worker need not be replaced, it
// chooses the last one to become idle, because the caches of its worker are the warmest. If all workers must be replaced, it
// chooses the slot that has been idle longest, so that accounts that take turns keep their workers. The caller holds mu, and
// there must be an idle slot.
func (q *queue) choose(reserve bool, account string) int {
	for at, in := range slices.Backward(q.idle) {
		if in.isReserve == reserve && (!in.isBound || in.account == account) {
			return at
		}
	}
	return slices.IndexFunc(q.idle, func(in *inbox) bool { return in.isReserve == reserve })
}

// remove takes a waiting job out of the queue. It reports false if a slot already has the job.
func (q *queue) remove(j *job) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	removed := q.waiting.Remove(j.item)
	q.dispatch() // the queue may be finished now
	return removed
}

// next registers an idle slot: the inbox gets a job as soon as there is one for it, and is closed when the queue is finished.
func (q *queue) next(in *inbox) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.idle = append(q.idle, in)
	q.dispatch()
}

// withdraw undoes next. It returns the job that arrived in the meantime, or nil.
func (q *queue) withdraw(in *inbox) *job {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.idle = slices.DeleteFunc(q.idle, func(other *inbox) bool { return other == in })
	select {
	case j := <-in.jobs:
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
		q.dispatch()
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
	for {
		next, ok := q.waiting.Take(nil)
		if !ok {
			return left
		}
		q.waiting.Done(next)
		left = append(left, next.Value)
	}
}

// lengths returns the numbers of waiting jobs and of idle slots, those of the reserve excluded.
func (q *queue) lengths() (waiting, idle int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, in := range q.idle {
		if !in.isReserve {
			idle++
		}
	}
	return q.waiting.Len(), idle
}

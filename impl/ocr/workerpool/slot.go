package workerpool

import (
	"context"
	"errors"
	"math/rand/v2"
	"time"

	"uncial/impl/ocr"
	"uncial/impl/ocr/pipe"
	"uncial/impl/tracing"
	"uncial/internal/fair"
)

// Pauses between attempts to start a worker.
const (
	firstRetry   = 100 * time.Millisecond
	longestRetry = 30 * time.Second
)

// Reading times out in the worker slightly earlier than in the pool, so that the worker can report the timeout instead of being
// killed.
const (
	deadlineDivisor = 20          // the worker's deadline is shorter than the pool's by 1/deadlineDivisor,
	deadlineReserve = time.Second // but by at most deadlineReserve
	// A timeout in the worker that comes less than callerSlack before the caller's own deadline counts as caused by that
	// deadline, which the worker gets in whole milliseconds.
	callerSlack = 20 * time.Millisecond
)

// slot owns at most one worker at a time. All fields belong to the goroutine that executes run.
//
// run is a loop of ensureWorker, nextJob and serve. A slot loses its worker in four ways: the worker exits by itself
// (requeueAfterCrash or failure), it is not reusable after a job (stopWorker), it must not read for another account
// (replaceFor), or it has read MaxPages pages (mustRetire, swapIn).
type slot struct {
	pool      *Pool
	isReserve bool
	worker    *worker // nil while there is none

	// replacement is not nil while a replacement starts. It delivers the new worker, or nil if that cannot start. cancelStart
	// ends the attempt.
	replacement chan *worker
	cancelStart context.CancelFunc
}

// run serves jobs until the pool is shut down, and leaves no process behind.
func (s *slot) run() {
	defer s.stopAll()
	for s.ensureWorker() {
		j := s.nextJob()
		if j == nil {
			continue
		}
		s.pool.counts.busy.Add(1)
		reusable := s.replaceFor(j) && s.serve(j)
		s.pool.counts.busy.Add(-1)
		if !reusable {
			s.stopWorker()
		}
	}
}

// replaceFor replaces the worker if it must not read for the account of the job. If no worker starts, it puts the job back and
// reports false.
func (s *slot) replaceFor(j *job) bool {
	label := j.item.Account.Label
	if s.isBound() && s.worker.account != label {
		s.stopWorker()
		s.pool.counts.retired.Add(1)
		fresh, err := s.pool.startWorker(s.pool.ctx)
		if err != nil {
			if s.pool.ctx.Err() == nil {
				s.pool.opts.Logger.Error("cannot start a worker for another account", "error", err)
			}
			s.pool.queue.putFirst(j)
			return false
		}
		s.worker = fresh
	}
	s.worker.account = label
	return true
}

// isBound reports whether the worker must be replaced before it reads for another account.
func (s *slot) isBound() bool {
	return s.worker.hasRead && (s.worker.isSuspect || s.pool.opts.WorkerPerAccount)
}

// ensureWorker returns true once the slot has a running worker, and false if the pool has nothing left to do.
func (s *slot) ensureWorker() bool {
	if s.worker != nil && s.worker.hasExited() {
		s.stopWorker()
	}
	// Without a worker, wait for the replacement even if it is still starting: a new worker would be ready later.
	if s.replacement != nil && (s.worker == nil || len(s.replacement) > 0) {
		s.swapIn(<-s.replacement)
	}
	closing := s.pool.queue.closing
	for attempt := 0; s.pool.ctx.Err() == nil && !s.pool.queue.isFinished(); attempt++ {
		if s.worker != nil {
			return true
		}
		fresh, err := s.pool.startWorker(s.pool.ctx)
		if err == nil {
			s.worker = fresh
			continue
		}
		if s.pool.ctx.Err() != nil {
			return false
		}
		pause := backOff(attempt)
		s.pool.opts.Logger.Error("cannot start a worker", "error", err, "retry_in_ms", pause.Milliseconds())
		select {
		case <-time.After(pause):
		case <-s.pool.ctx.Done():
		case <-closing:
			closing = nil // keep trying, because images are still queued
		}
	}
	return false
}

// backOff returns the pause after failed attempt number attempt, from 0. It doubles each time, and is shortened at random by up
// to 50 %, so that the slots do not retry at the same time.
func backOff(attempt int) time.Duration {
	full := min(firstRetry<<min(attempt, 20), longestRetry)
	return full - rand.N(full/2)
}

// nextJob waits for a job. It returns nil if the worker exited, or if the queue is finished or the pool is shut down.
func (s *slot) nextJob() *job {
	inbox := &inbox{jobs: make(chan *job, 1), isReserve: s.isReserve, isBound: s.isBound(), account: s.worker.account}
	s.pool.queue.next(inbox)
	for {
		select {
		case j := <-inbox.jobs:
			if j != nil && s.worker.hasExited() {
				s.requeueAfterCrash(j)
				return nil
			}
			return j
		case fresh := <-s.replacement: // a nil channel, which never delivers, while no replacement starts
			s.swapIn(fresh)
		case <-s.worker.exited:
			s.requeueAfterCrash(s.pool.queue.withdraw(inbox))
			return nil
		case <-s.pool.ctx.Done():
			return s.pool.queue.withdraw(inbox)
		}
	}
}

// requeueAfterCrash records that the worker exited before it received the whole image, and gives its job, if it has one, to
// another worker.
func (s *slot) requeueAfterCrash(j *job) {
	s.pool.opts.Logger.Warn("worker exited before it received the whole image", "status", s.worker.exitStatus())
	s.pool.counts.restarts.Add(1)
	if j != nil {
		s.pool.queue.putFirst(j)
	}
}

// serve reads one image and reports whether the worker can be used again.
func (s *slot) serve(j *job) (reusable bool) {
	if j.ctx.Err() != nil {
		s.finish(j, outcome{err: j.ctx.Err()})
		return true
	}
	if s.pool.isRefused(j.item.Account, j.req.Image) { // a copy of it used up its deadline while this one waited
		s.finish(j, outcome{err: &ocr.ImageError{Reason: exhaustedReason}})
		return true
	}
	// The worker has about the same deadline and should answer in time. It is killed if it hangs, or if the caller leaves:
	// Tesseract checks for cancellation only between lines of text.
	ctx, cancel := context.WithTimeout(j.ctx, s.pool.opts.Deadline)
	defer cancel()
	stop := context.AfterFunc(ctx, s.worker.kill)
	s.worker.hasRead = true
	before, sent := s.worker.cpuTime(), time.Now()
	if f := s.pool.waited.Load(); f != nil {
		(*f)(sent.Sub(j.queued))
	}
	answer, err := s.worker.read(request(j, s.pool.opts.Deadline, s.pool.threadsPerImage()), j.req.Image, fair.ReservationFrom(j.ctx))
	// If the deadline passed right after the answer, the answer is valid but the worker was killed.
	killed := !stop()
	if errors.Is(err, fair.ErrFull) { // not the worker's fault
		s.worker.pages++
		s.finish(j, outcome{err: err})
		return !killed
	}
	tracing.Read(j.ctx, j.queued, sent, answer.Steps)
	if err == nil {
		s.worker.isSuspect = s.worker.isSuspect || answer.Error != nil
		if answer.Error != nil && answer.Error.Kind == pipe.TimedOut {
			s.refuseForAWhile(j, s.worker.cpuTime()-before)
		}
		s.finish(j, s.result(j, answer))
		return !killed && !s.mustRetire(answer)
	}
	s.worker.stop()
	if errors.Is(err, errNotDelivered) && ctx.Err() == nil && !j.retried {
		j.retried = true // only once, so that an image cannot kill one worker after another
		s.requeueAfterCrash(j)
		return false
	}
	s.pool.counts.restarts.Add(1)
	if ctx.Err() != nil { // also if the caller left: it may send the image again
		s.refuseForAWhile(j, s.worker.cpuTime()-before)
	}
	s.finish(j, outcome{err: s.failure(ctx, j, err)})
	return false
}

// refuseForAWhile makes the pool refuse the image for a while, unless the time ran out only because the machine was busy.
func (s *slot) refuseForAWhile(j *job, used time.Duration) {
	if used >= s.pool.opts.Deadline/time.Duration(s.pool.opts.exhaustedDivisor) {
		s.pool.exhausted.add(newDigest(j.item.Account.Label, j.req.Image))
	}
}

// isRefused reports whether an image of the account must be refused because it recently used up its deadline.
func (p *Pool) isRefused(a fair.Account, image []byte) bool {
	return !p.exhausted.isEmpty() && p.exhausted.has(newDigest(a.Label, image))
}

// finish charges the account for the time and then delivers the outcome, so that the account's share is up to date before the
// caller sends its next image.
func (s *slot) finish(j *job, o outcome) {
	s.pool.queue.done(j)
	j.finish(o)
}

// threadsPerImage returns the number of cores that a worker may use for the next image: its own and its share of those of the
// idle workers. If these get images in the meantime, the workers compete for the cores until it is done.
func (p *Pool) threadsPerImage() int {
	_, idle := p.queue.lengths()
	return 1 + idle/max(int(p.counts.busy.Load()), 1)
}

// request returns the request for a worker. Its deadline is slightly shorter than the pool's; see deadlineDivisor.
func request(j *job, deadline time.Duration, threads int) pipe.Request {
	left := deadline - min(deadline/deadlineDivisor, deadlineReserve)
	if end, ok := j.ctx.Deadline(); ok {
		left = min(left, time.Until(end))
	}
	return pipe.Request{
		Language: j.req.Language, Enhance: j.req.Enhance, Preview: j.req.Preview, Picture: j.req.Picture,
		Deadline: max(1, left.Milliseconds()), Threads: threads, Cut: j.cut,
	}
}

// result translates a worker's answer for the caller of Recognize. Messages of internal errors go only to the log, because
// they may name files of this machine.
func (s *slot) result(j *job, a pipe.Answer) outcome {
	switch {
	case a.Strips != nil:
		return outcome{strips: a.Strips}
	case a.Document != nil:
		s.pool.counts.pages.Add(uint64(len(a.Document.Pages)))
		return outcome{doc: a.Document}
	}
	switch a.Error.Kind {
	case pipe.InvalidImage:
		return outcome{err: &ocr.ImageError{Reason: a.Error.Message}}
	case pipe.TimedOut:
		s.pool.counts.timeouts.Add(1)
		if end, ok := j.ctx.Deadline(); ok && time.Until(end) < callerSlack {
			return outcome{err: context.DeadlineExceeded}
		}
		return outcome{err: ocr.ErrTimeout}
	}
	s.pool.opts.Logger.Error("worker reported an error", "error", a.Error.Message)
	return outcome{err: errFailed}
}

// failure returns the caller's error for a worker that gave no answer.
func (s *slot) failure(ctx context.Context, j *job, err error) error {
	switch {
	case j.ctx.Err() != nil:
		s.pool.counts.cancelled.Add(1)
		return j.ctx.Err()
	case s.pool.ctx.Err() != nil: // shutdown killed the worker
		return errClosed
	case ctx.Err() != nil:
		s.pool.counts.timeouts.Add(1)
		return ocr.ErrTimeout
	}
	s.pool.counts.crashes.Add(1)
	s.pool.opts.Logger.Error("worker failed", "error", err, "status", s.worker.exitStatus(), "stderr", s.worker.stderr.String())
	return errFailed
}

// mustRetire counts the pages of an answer. If the worker has read MaxPages, mustRetire starts a replacement, and the worker
// continues until that is ready. If there is not enough memory for both, it reports true: the worker must stop first.
func (s *slot) mustRetire(a pipe.Answer) bool {
	s.worker.pages++
	if a.Document != nil {
		s.worker.pages += len(a.Document.Pages) - 1
	}
	if s.worker.pages < s.pool.opts.MaxPages || s.replacement != nil {
		return false
	}
	if !hasRoomFor(s.worker.resident()) {
		s.pool.counts.retired.Add(1)
		return true
	}
	s.worker.pages = 0 // if the replacement cannot start, try again after another MaxPages pages
	ctx, cancel := context.WithCancel(s.pool.ctx)
	started := make(chan *worker, 1)
	s.replacement, s.cancelStart = started, cancel
	s.pool.slots.Go(func() {
		fresh, err := s.pool.startWorker(ctx)
		if err != nil && ctx.Err() == nil {
			s.pool.opts.Logger.Error("cannot start a replacement worker", "error", err)
		}
		started <- fresh
	})
	return false
}

// swapIn replaces the worker with fresh, unless fresh is nil because it could not start.
func (s *slot) swapIn(fresh *worker) {
	s.cancelStart()
	s.replacement = nil
	if fresh == nil {
		return
	}
	s.pool.counts.retired.Add(1)
	s.stopWorker()
	s.worker = fresh
}

// stopWorker leaves the slot without a worker.
func (s *slot) stopWorker() {
	if s.worker != nil {
		s.worker.stop()
		s.pool.counts.ready.Add(-1)
		s.worker = nil
	}
}

// stopAll stops the worker and the replacement that may be starting.
func (s *slot) stopAll() {
	if s.replacement != nil {
		s.cancelStart()
		s.swapIn(<-s.replacement)
	}
	s.stopWorker()
}

package workerpool

import (
	"context"
	"errors"
	"math/rand/v2"
	"time"

	"uncial/impl/ocr"
	"uncial/impl/ocr/pipe"
)

// slot is one place for a child, and the goroutine that owns it.
type slot struct {
	pool  *Pool
	child *child // nil while there is none

	// While a replacement is being started, next will bring it, or nil where the start failed; stop ends the attempt.
	next chan *child
	stop context.CancelFunc
}

func (s *slot) run() {
	defer s.clear()
	for s.fill() {
		j := s.take()
		if j == nil {
			continue
		}
		s.pool.counts.busy.Add(1)
		fit := s.serve(j)
		s.pool.counts.busy.Add(-1)
		if !fit {
			s.drop()
		}
	}
}

// fill sees to it that there is a child that lives. It is false once there is nothing to do any more.
func (s *slot) fill() bool {
	if s.child != nil && s.child.isDead() {
		s.drop()
	}
	if s.next != nil && (s.child == nil || len(s.next) > 0) {
		s.replace(<-s.next)
	}
	closing := s.pool.queue.closing
	for attempt := 0; s.pool.ctx.Err() == nil && !s.pool.queue.finished(); attempt++ {
		if s.child != nil {
			return true
		}
		fresh, err := s.pool.start(s.pool.ctx)
		if err == nil {
			s.child = fresh
			continue
		}
		if s.pool.ctx.Err() != nil {
			return false
		}
		pause := backOff(attempt)
		s.pool.opts.Logger.Error("a worker cannot start", "error", err, "again_in", pause)
		select {
		case <-time.After(pause):
		case <-s.pool.ctx.Done():
		case <-closing:
			closing = nil // what still waits is worth further attempts
		}
	}
	return false
}

// backOff is 100 ms, doubled with each attempt up to 30 s, shortened by up to a half so that slots spread.
func backOff(attempt int) time.Duration {
	full := min(100*time.Millisecond<<min(attempt, 20), 30*time.Second)
	return full - rand.N(full/2)
}

// take waits for a job. It is nil where the child died, or the pool is closing.
func (s *slot) take() *job {
	inbox := make(chan *job, 1)
	s.pool.queue.next(inbox)
	for {
		select {
		case j := <-inbox:
			if s.child.isDead() {
				s.mourn(j)
				return nil
			}
			return j
		case fresh := <-s.next:
			s.replace(fresh)
		case <-s.child.dead:
			s.mourn(s.pool.queue.withdraw(inbox))
			return nil
		case <-s.pool.queue.closing:
			return s.pool.queue.withdraw(inbox)
		}
	}
}

// mourn gives back the job, if there is one, of a child that died while idle: another child shall have it.
func (s *slot) mourn(j *job) {
	s.pool.opts.Logger.Warn("a worker ended while idle", "status", s.child.status())
	s.pool.counts.restarts.Add(1)
	if j != nil {
		s.pool.queue.putFirst(j)
	}
}

// serve reads one image and says whether the child is fit for another.
func (s *slot) serve(j *job) (fit bool) {
	if j.ctx.Err() != nil {
		j.finish(outcome{err: j.ctx.Err()})
		return true
	}
	ctx, cancel := context.WithTimeout(j.ctx, s.pool.opts.Deadline)
	defer cancel()
	spare := context.AfterFunc(ctx, s.child.kill)
	answer, err := s.child.read(request(j, s.pool.opts.Deadline, s.pool.spare()), j.req.Image)
	if killed := !spare(); err == nil {
		j.finish(s.result(j, answer))
		return !killed && !s.retire(answer)
	}
	s.child.end()
	if errors.Is(err, errNotBegun) && ctx.Err() == nil && !j.retried {
		// The child died while idle and never saw the image, which is not at fault.
		j.retried = true
		s.mourn(j)
		return false
	}
	s.pool.counts.restarts.Add(1)
	j.finish(outcome{err: s.fault(ctx, j, err)})
	return false
}

// spare is how many cores a worker that begins an image may use: its own and its share of those of idle workers, which
// would else lie idle too. Should they get images meanwhile, the cores are shared for the while.
func (p *Pool) spare() int {
	_, idle := p.queue.lengths()
	return 1 + idle/max(int(p.counts.busy.Load()), 1)
}

// request gives the worker a little less than the pool's deadline, so that it can give up in order and stay alive.
func request(j *job, deadline time.Duration, threads int) pipe.Request {
	left := deadline - min(deadline/20, time.Second)
	if end, ok := j.ctx.Deadline(); ok {
		left = min(left, time.Until(end))
	}
	return pipe.Request{
		Language: j.req.Language, Enhance: j.req.Enhance, Deadline: max(1, left.Milliseconds()), Threads: threads,
	}
}

// result is what a child answered, in the caller's terms.
func (s *slot) result(j *job, a pipe.Answer) outcome {
	if a.Error == nil {
		s.pool.counts.pages.Add(uint64(len(a.Document.Pages)))
		return outcome{doc: a.Document}
	}
	switch a.Error.Kind {
	case pipe.ImageFault:
		return outcome{err: &ocr.ImageError{Reason: a.Error.Message}}
	case pipe.TimeoutFault:
		s.pool.counts.timeouts.Add(1)
		if end, ok := j.ctx.Deadline(); ok && time.Until(end) < 20*time.Millisecond {
			return outcome{err: context.DeadlineExceeded}
		}
		return outcome{err: ocr.ErrTimeout}
	}
	s.pool.opts.Logger.Error("a worker met an error", "error", a.Error.Message)
	return outcome{err: errFailed}
}

// fault is why a child gave no answer, in the caller's terms.
func (s *slot) fault(ctx context.Context, j *job, err error) error {
	switch {
	case j.ctx.Err() != nil:
		s.pool.counts.cancelled.Add(1)
		return j.ctx.Err()
	case s.pool.ctx.Err() != nil:
		return errClosed
	case ctx.Err() != nil:
		s.pool.counts.timeouts.Add(1)
		return ocr.ErrTimeout
	}
	s.pool.counts.crashes.Add(1)
	s.pool.opts.Logger.Error("a worker failed", "error", err, "status", s.child.status(), "stderr", s.child.stderr.String())
	return errFailed
}

// retire ends a child that has read its share of pages. Where memory allows, its replacement starts while it goes on;
// else it must go first, and retire is true.
func (s *slot) retire(a pipe.Answer) bool {
	s.child.pages++
	if a.Document != nil {
		s.child.pages += len(a.Document.Pages) - 1
	}
	if s.child.pages < s.pool.opts.MaxPages || s.next != nil {
		return false
	}
	if !roomFor(s.child.resident()) {
		s.pool.counts.retired.Add(1)
		return true
	}
	s.child.pages = 0 // to try again after as many, should the start fail
	ctx, stop := context.WithCancel(s.pool.ctx)
	next := make(chan *child, 1)
	s.next, s.stop = next, stop
	s.pool.slots.Go(func() {
		fresh, err := s.pool.start(ctx)
		if err != nil && ctx.Err() == nil {
			s.pool.opts.Logger.Error("a worker's replacement cannot start", "error", err)
		}
		next <- fresh
	})
	return false
}

// replace puts the replacement, unless it is nil, in the child's place.
func (s *slot) replace(fresh *child) {
	s.stop()
	s.next = nil
	if fresh == nil {
		return
	}
	s.pool.counts.retired.Add(1)
	s.drop()
	s.child = fresh
}

func (s *slot) drop() {
	if s.child != nil {
		s.child.end()
		s.pool.counts.ready.Add(-1)
		s.child = nil
	}
}

// clear leaves no process behind.
func (s *slot) clear() {
	if s.next != nil {
		s.stop()
		s.replace(<-s.next)
	}
	s.drop()
}

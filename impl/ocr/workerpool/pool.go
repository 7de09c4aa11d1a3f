// Package workerpool reads images in child processes, one image in one process at a time. A worker that does not
// answer in time, crashes or returns an invalid result is killed and replaced, never reused, so that one hostile image
// costs at most one worker.
//
// Start with Pool. A job (queue.go) waits in the queue until a slot (slot.go) takes it; each slot owns one worker process
// (worker.go). This package does not decode or read images: the worker does (package worker), behind the layers of package
// sandbox.
package workerpool

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"uncial/impl/ocr"
	"uncial/impl/ocr/pipe"
	"uncial/impl/ocr/sandbox"
	"uncial/internal/document"
	"uncial/internal/fair"
)

// Options of a Pool. Zero and negative numbers select the default unless a field says otherwise.
type Options struct {
	Worker   string        // absolute path of the worker program; required
	Models   []string      // folders of models (*.traineddata, *.uhm), searched before models.Dirs; default: none
	Workers  int           // processes; default: the number of CPUs this process may use, container limits included
	Reserve  int           // additional processes, only for accounts that have no image being read; default: none
	Queue    int           // images that may wait for a worker; default: 8 per worker, at least 16
	Deadline time.Duration // for reading one image; default: 60 s
	Wait     time.Duration // maximum wait for a free worker, after which the error is ErrBusy; default: Deadline
	MaxPages int           // number of pages that a worker reads before it is replaced; default: 200
	// WorkerPerAccount replaces a worker before it reads an image of another account. Otherwise only a worker that refused an
	// image or ran out of time is replaced then. Replacing takes about 0.2 s. Default: false
	WorkerPerAccount bool
	Sandbox          sandbox.Mode  // default: sandbox.BestEffort
	Logger           *slog.Logger  // default: none
	Start            time.Duration // maximum time until a new worker sends its hello; default: 30 s

	exhaustedDivisor int // see the constant; tests use other values
}

// MaxMemory is the limit of private memory of a worker, in bytes: three times the memory measured for the largest permitted
// colour image with one engine. Each of the up to three additional engines that share its lines takes 280 MB more. A worker
// that has read ordinary pages for a while takes a sixth of the limit.
const MaxMemory = 3 << 30

// Defaults of Options.
const (
	defaultDeadline = time.Minute
	defaultMaxPages = 200 // bounds slow leaks in the C libraries
	defaultStart    = 30 * time.Second
	// queuePerWorker is the number of images that may wait for each worker: at a few seconds per page, the last one is still read
	// before the deadline of its extraction. minQueue is the minimum for all workers together, so that a few clients can share a
	// single worker.
	queuePerWorker, minQueue = 8, 16
)

// withDefaults returns the options with the default for each that is absent or out of range.
func (o Options) withDefaults() Options {
	o.Workers = cmp.Or(max(o.Workers, 0), runtime.GOMAXPROCS(0))
	o.Reserve = max(o.Reserve, 0)
	o.Queue = cmp.Or(max(o.Queue, 0), max(minQueue, queuePerWorker*o.Workers))
	o.Deadline = cmp.Or(max(o.Deadline, 0), defaultDeadline)
	o.Wait = cmp.Or(max(o.Wait, 0), o.Deadline)
	o.MaxPages = cmp.Or(max(o.MaxPages, 0), defaultMaxPages)
	o.Start = cmp.Or(max(o.Start, 0), defaultStart)
	o.exhaustedDivisor = cmp.Or(o.exhaustedDivisor, exhaustedDivisor)
	o.Logger = cmp.Or(o.Logger, slog.New(slog.DiscardHandler))
	return o
}

// Pool is a Recognizer. It is safe for concurrent use.
//
// Each slot is a goroutine. Slots and callers share only the queue and the counters. A worker belongs to one slot from its
// start to its end.
type Pool struct {
	opts      Options
	launcher  *sandbox.Launcher
	queue     *queue
	semaphore *fair.Semaphore
	exhausted *exhaustedImages
	hello     atomic.Pointer[pipe.Hello] // of the worker that was started last
	counts    counts
	waited    atomic.Pointer[func(time.Duration)] // see ObserveWaits

	ctx    context.Context // ends when all workers must be killed
	cancel context.CancelFunc
	slots  sync.WaitGroup
	closed sync.Once
}

var _ ocr.Recognizer = (*Pool)(nil)

// errFailed is the error that callers get if a worker failed; the log has the details.
var (
	errFailed = errors.New("the worker failed")
	errClosed = fmt.Errorf("the workers are shutting down: %w", ocr.ErrBusy)
)

// New starts the first worker and waits until it can read; the other workers start in the background. An error names what is
// missing: the worker program, a library, its models, or, with sandbox.Require, a layer of the sandbox. *ProgramError and
// *ModelError are among the errors. ctx limits New itself, not the life of the pool.
func New(ctx context.Context, opts Options) (*Pool, error) {
	p := &Pool{opts: opts.withDefaults()}
	p.queue = newQueue()
	p.exhausted = newExhaustedImages(time.Now)
	p.semaphore = fair.NewSemaphore(func() int { return p.opts.Workers + p.opts.Queue })
	p.ctx, p.cancel = context.WithCancel(context.Background())
	var err error
	// If the first worker starts, the others can too, so a wrong configuration fails here instead of in the first request.
	if p.launcher, err = p.newLauncher(ctx); err != nil {
		p.cancel()
		return nil, err
	}
	first, err := p.startWorker(ctx)
	if err != nil {
		p.cancel()
		p.launcher.Close()
		return nil, err
	}
	trained := []string{}
	for _, m := range first.hello.Handwriting {
		trained = append(trained, m.Name)
	}
	p.opts.Logger.Info("worker pool ready", "workers", p.opts.Workers, "engine", first.hello.Version, "model_folders", p.opts.Models,
		"trained_models", trained, "languages", len(first.hello.Languages), "sandbox", p.launcher)
	p.slots.Go((&slot{pool: p, worker: first}).run)
	for range p.opts.Workers - 1 {
		p.slots.Go((&slot{pool: p}).run)
	}
	for range p.opts.Reserve {
		p.slots.Go((&slot{pool: p, isReserve: true}).run)
	}
	return p, nil
}

// Languages returns the tags that the workers can read, sorted. It never fails.
func (p *Pool) Languages(context.Context) ([]string, error) {
	return slices.Clone(p.hello.Load().Languages), nil
}

// Hello returns the hello of the worker that was started last, which describes its engine and models.
func (p *Pool) Hello() pipe.Hello { return *p.hello.Load() }

// ObserveWaits makes the pool call f for each image from now on, with the time that the image waited for a worker.
func (p *Pool) ObserveWaits(f func(time.Duration)) { p.waited.Store(&f) }

// Ready returns nil if at least one worker can read.
func (p *Pool) Ready(context.Context) error {
	if p.counts.ready.Load() == 0 {
		return errors.New("no worker is ready")
	}
	return nil
}

// Semaphore limits the images that wait or are being read, and divides the places among accounts. Recognize enters it, unless
// its context has a place already.
func (p *Pool) Semaphore() *fair.Semaphore { return p.semaphore }

// Recognize reads one image in a worker. Accounts (fair.FromContext) share the time of the workers; images of one account are
// read in the order of the calls. Its errors are those of ocr.Recognizer; any other error means that the worker failed.
func (p *Pool) Recognize(ctx context.Context, req ocr.Request) (*document.Document, error) {
	known := p.hello.Load().Languages
	if !slices.Contains(known, req.Language) {
		return nil, fmt.Errorf("language %.40q is not supported by the workers", req.Language)
	}
	o := p.do(ctx, &job{req: req})
	if o.err == nil && !slices.Contains(known, o.doc.Language) { // the worker determines the language for und
		return nil, fmt.Errorf("a worker answered in the language %.40q, which it does not list", o.doc.Language)
	}
	return o.doc, o.err
}

// Cut cuts lines out of an image in a worker. Its errors are those of Recognize.
func (p *Pool) Cut(ctx context.Context, image []byte, lines *pipe.Cut) (*pipe.Strips, error) {
	// No model will read the image, but every request must have a language.
	o := p.do(ctx, &job{req: ocr.Request{Image: image, Language: p.hello.Load().Languages[0]}, cut: lines})
	return o.strips, o.err
}

// do runs a job in a worker.
func (p *Pool) do(ctx context.Context, j *job) outcome {
	switch {
	case ctx.Err() != nil:
		return outcome{err: ctx.Err()}
	case len(j.req.Image) == 0:
		return outcome{err: &ocr.ImageError{Reason: "the image is empty; send a JPEG, PNG, TIFF, BMP or WebP file"}}
	case len(j.req.Image) > ocr.MaxBytes:
		return outcome{err: &ocr.ImageError{Reason: fmt.Sprintf("the image has %d bytes; at most %d are allowed", len(j.req.Image), ocr.MaxBytes)}}
	}
	ctx, leave, err := p.semaphore.Enter(ctx)
	if err != nil {
		p.counts.refused.Add(1)
		return outcome{err: fmt.Errorf("%w: %w", ocr.ErrBusy, err)}
	}
	defer leave()
	if p.isRefused(fair.FromContext(ctx), j.req.Image) {
		return outcome{err: &ocr.ImageError{Reason: exhaustedReason}}
	}
	// The channel is buffered, so a slot never waits for a caller who has left.
	j.ctx, j.done, j.queued = ctx, make(chan outcome, 1), time.Now()
	if err := p.queue.put(j); err != nil {
		p.counts.refused.Add(1)
		return outcome{err: err}
	}
	return p.wait(j)
}

// recheckTime is the interval at which a job is looked for in the queue again after Options.Wait: its slot may have put it
// back.
const recheckTime = time.Second

// wait waits for the outcome of a job. Its error is ocr.ErrBusy if no worker becomes free within Options.Wait, and the
// context's error if the caller leaves.
func (p *Pool) wait(j *job) outcome {
	turn := time.NewTimer(p.opts.Wait)
	defer turn.Stop()
	for {
		select {
		case o := <-j.done:
			return o
		case <-turn.C:
			if p.queue.remove(j) {
				p.counts.refused.Add(1)
				return outcome{err: fmt.Errorf("no worker became free in time: %w", ocr.ErrBusy)}
			}
			turn.Reset(recheckTime)
		case <-j.ctx.Done():
			if !p.queue.remove(j) {
				j.awaitRelease()
			}
			return outcome{err: j.ctx.Err()}
		}
	}
}

// shutdown refuses new images with ocr.ErrBusy, and waits for those that are queued or being read. If ctx ends first, it kills
// the workers and returns ctx's error. When it returns, all workers have ended.
func (p *Pool) shutdown(ctx context.Context) error {
	var err error
	p.closed.Do(func() {
		p.queue.close()
		ended := make(chan struct{})
		go func() { p.slots.Wait(); close(ended) }()
		select {
		case <-ended:
		case <-ctx.Done():
			err = ctx.Err()
		}
		p.cancel()
		<-ended
		for _, j := range p.queue.drain() {
			j.finish(outcome{err: errClosed})
		}
		p.launcher.Close()
	})
	return err
}

// Close kills the workers at once; images that are queued or being read fail with ocr.ErrBusy. After shutdown it does
// nothing.
func (p *Pool) Close() error {
	now, cancel := context.WithCancel(context.Background())
	cancel()
	_ = p.shutdown(now) // its error only reports that it did not wait
	return nil
}

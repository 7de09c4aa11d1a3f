// Package workerpool reads images in child processes, one image in one process at a time. A child that runs out of time,
// dies or answers rubbish is killed and replaced, never used again, so that one hostile image costs at most one child.
package workerpool

import (
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
	"uncial/impl/ocr/sandbox"
	"uncial/internal/document"
)

// Options of a Pool.
type Options struct {
	Worker   string        // absolute path of the program to start; required
	Models   []string      // directories of traineddata files, which come before those of models.Dirs; default: none
	Workers  int           // children; default: as many as the process may use CPUs, container limits counted
	Queue    int           // images that may wait for a child; default: 4 for each worker
	Deadline time.Duration // for reading one image; default: 60 s
	Wait     time.Duration // for an image's turn, after which it is refused as with a full queue; default: Deadline
	MaxPages int           // that a child reads before it retires; default: 200
	Memory   int64         // bytes of private memory a child may have; default: DefaultMemory; negative for no limit
	Sandbox  sandbox.Mode  // default: sandbox.BestEffort
	Logger   *slog.Logger  // default: none
	Start    time.Duration // for a child to say hello; default: 30 s
}

// DefaultMemory is three times what the largest image allowed, in colour, was seen to take. A child that has read
// ordinary pages for a while takes a sixth of it.
const DefaultMemory = 3 << 30

func (o Options) withDefaults() Options {
	if o.Workers <= 0 {
		o.Workers = runtime.GOMAXPROCS(0)
	}
	if o.Queue <= 0 {
		o.Queue = 4 * o.Workers
	}
	if o.Deadline <= 0 {
		o.Deadline = time.Minute
	}
	if o.Wait <= 0 {
		o.Wait = o.Deadline
	}
	if o.MaxPages <= 0 {
		o.MaxPages = 200
	}
	if o.Memory == 0 {
		o.Memory = DefaultMemory
	}
	if o.Start <= 0 {
		o.Start = 30 * time.Second
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	return o
}

// Pool is a Recognizer. It is safe for concurrent use.
type Pool struct {
	opts     Options
	launcher *sandbox.Launcher
	queue    *queue
	hello    atomic.Pointer[[]string] // languages, as the latest child said
	counts   counts

	ctx    context.Context // ends when Close kills
	cancel context.CancelFunc
	slots  sync.WaitGroup
	closed sync.Once
}

var _ ocr.Recognizer = (*Pool)(nil)

// New starts the first child and waits until it can read; the others follow in the background. An error says what is
// missing: the worker, a library that it needs, its models, or, with sandbox.Require, a layer. ctx is for New alone.
func New(ctx context.Context, opts Options) (*Pool, error) {
	p := &Pool{opts: opts.withDefaults()}
	p.queue = newQueue(p.opts.Queue)
	p.ctx, p.cancel = context.WithCancel(context.Background())
	var err error
	if p.launcher, err = p.newLauncher(ctx); err != nil {
		p.cancel()
		return nil, err
	}
	first, err := p.start(ctx)
	if err != nil {
		p.cancel()
		p.launcher.Close()
		return nil, err
	}
	p.opts.Logger.Info("workers", "count", p.opts.Workers, "engine", first.hello.Version,
		"models", len(first.hello.Models), "languages", len(first.hello.Languages), "sandbox", p.launcher)
	p.slots.Go((&slot{pool: p, child: first}).run)
	for range p.opts.Workers - 1 {
		p.slots.Go((&slot{pool: p}).run)
	}
	return p, nil
}

// Languages are the tags that the children can read, sorted.
func (p *Pool) Languages(context.Context) ([]string, error) {
	return slices.Clone(*p.hello.Load()), nil
}

// Ready says whether a child can read.
func (p *Pool) Ready(context.Context) error {
	if p.counts.ready.Load() == 0 {
		return errors.New("no worker is ready")
	}
	return nil
}

// Recognize reads one image in one of the children, in the order of the calls. See ocr.Recognizer for its errors; one
// that tells nothing of these kinds means that the child failed.
func (p *Pool) Recognize(ctx context.Context, req ocr.Request) (*document.Document, error) {
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case len(req.Image) == 0:
		return nil, &ocr.ImageError{Reason: "the image is empty; want a JPEG, PNG, TIFF, BMP or WebP file"}
	case len(req.Image) > ocr.MaxBytes:
		return nil, &ocr.ImageError{Reason: fmt.Sprintf("the image has %d bytes; at most %d are allowed", len(req.Image), ocr.MaxBytes)}
	case !slices.Contains(*p.hello.Load(), req.Language):
		return nil, fmt.Errorf("language %.40q is not among those that the workers read", req.Language)
	}
	j := &job{ctx: ctx, req: req, done: make(chan outcome, 1)}
	if err := p.queue.put(j); err != nil {
		p.counts.refused.Add(1)
		return nil, err
	}
	return p.wait(j)
}

// wait is for the outcome of a job.
func (p *Pool) wait(j *job) (*document.Document, error) {
	turn := time.NewTimer(p.opts.Wait)
	defer turn.Stop()
	for {
		select {
		case o := <-j.done:
			return o.doc, o.err
		case <-turn.C:
			if p.queue.remove(j) {
				p.counts.refused.Add(1)
				return nil, fmt.Errorf("no worker became free in time: %w", ocr.ErrBusy)
			}
		case <-j.ctx.Done():
			if !p.queue.remove(j) {
				j.settle()
			}
			return nil, j.ctx.Err()
		}
	}
}

// Shutdown lets the waiting and running images end, and refuses new ones with ocr.ErrBusy. When ctx ends first, it kills
// what is left and returns ctx's error. In either case nothing runs any more once it returns.
func (p *Pool) Shutdown(ctx context.Context) error {
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

// Close ends all at once; images that are still read or wait fail with ocr.ErrBusy. After Shutdown it does nothing.
func (p *Pool) Close() error {
	now, cancel := context.WithCancel(context.Background())
	cancel()
	_ = p.Shutdown(now) // that it did not wait is no error
	return nil
}

var errClosed = fmt.Errorf("the workers are stopping: %w", ocr.ErrBusy)

// Layers are the sandbox's, for the log and for diagnosis.
func (p *Pool) Layers() []sandbox.Layer { return p.launcher.Layers() }

// errFailed is what a caller learns of a child that failed; the log says more.
var errFailed = errors.New("the worker failed")

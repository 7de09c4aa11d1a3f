package main

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/sync/errgroup"
	"golang.org/x/sys/unix"
	"golang.org/x/term"

	"uncial/impl/ocr/models"
	"uncial/impl/ocr/models/own"
	"uncial/impl/ocr/reading"
	"uncial/internal/accuracy"
	"uncial/internal/document"
	"uncial/internal/language"
)

// warmModels is how many models a reader keeps loaded: those of all languages of one page set, to measure reading and not loading.
const warmModels = 6

// outcome is one page as it was read, with its scores. Its JSON form is the output of --json.
type outcome struct {
	Page  accuracy.Page    `json:"page"`
	Score accuracy.Score   `json:"score"`
	Read  accuracy.Reading `json:"reading"`
	// Stock is plain Tesseract, and PrintOnly the service without its model for handwriting; nil if not requested.
	Stock         *accuracy.Score   `json:"stock,omitempty"`
	StockRead     *accuracy.Reading `json:"stockReading,omitempty"`
	PrintOnly     *accuracy.Score   `json:"printOnly,omitempty"`
	PrintOnlyRead *accuracy.Reading `json:"printOnlyReading,omitempty"`

	// For the report, which compares words and draws boxes.
	truth    string
	document *document.Document
	image    []byte // kept only for the report
}

// readAll reads the selected pages of the folder, o.Jobs at a time, and returns the outcomes in the folder's order.
func readAll(ctx context.Context, folder *accuracy.Folder, set *models.Set, o options) ([]outcome, error) {
	var pages []accuracy.Page
	for _, p := range folder.Pages {
		if strings.Contains(p.ID, o.Only) {
			pages = append(pages, p)
		}
	}
	if len(pages) == 0 {
		return nil, fmt.Errorf("--only: no page id contains %q", o.Only)
	}
	bar := newBar(len(pages))
	outcomes := make([]outcome, len(pages))
	next := make(chan int)
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() error {
		defer close(next)
		for i := range pages {
			select {
			case next <- i:
			case <-ctx.Done():
				return ctx.Err()
			}
		}
		return nil
	})
	for range o.Jobs {
		group.Go(func() error {
			r := newReader(set, o)
			defer r.engines.Close()
			for i := range next {
				out, err := r.read(ctx, folder, pages[i], i%2 == 1)
				if err != nil {
					return fmt.Errorf("%s: %w", pages[i].ID, err)
				}
				outcomes[i] = out
				bar()
			}
			return nil
		})
	}
	return outcomes, group.Wait()
}

// newBar shows progress if standard error is a terminal. The returned function advances it by one page.
func newBar(pages int) func() {
	if !term.IsTerminal(int(os.Stderr.Fd())) {
		return func() {}
	}
	bar := progressbar.NewOptions(pages, progressbar.OptionSetWriter(os.Stderr), progressbar.OptionSetDescription("reading"),
		progressbar.OptionShowCount(), progressbar.OptionSetPredictTime(true), progressbar.OptionClearOnFinish())
	var mu sync.Mutex
	return func() {
		mu.Lock()
		defer mu.Unlock()
		_ = bar.Add(1)
	}
}

// reader reads one page at a time.
type reader struct {
	o       options
	set     *models.Set
	engines *reading.Engines
}

// newReader returns a reader with models of its own: engines serve one goroutine.
func newReader(set *models.Set, o options) *reader {
	return &reader{o: o, set: set, engines: reading.NewEngines(set, warmModels)}
}

// read reads a page in all the ways that were requested. printFirst puts the reading without handwriting before the service's own:
// the first one pays for loading a model, so pages alternate.
func (r *reader) read(ctx context.Context, folder *accuracy.Folder, p accuracy.Page, printFirst bool) (outcome, error) {
	data, truth, err := folder.Load(p)
	if err != nil {
		return outcome{}, err
	}
	tag, err := language.Match(p.Language, r.set.Languages())
	if err != nil {
		return outcome{}, err
	}
	out := outcome{Page: p, truth: truth}
	if r.o.HTML != "" {
		out.image = data
	}
	// The order of the ways matters for timings only: a model that two of them use is loaded by the first.
	ways := []func() error{func() error { return r.own(ctx, &out, data, tag) }}
	if r.o.PrintOnly {
		ways = append(ways, func() error { return r.printOnly(ctx, &out, data, tag) })
		if printFirst {
			slices.Reverse(ways)
		}
	}
	if !r.o.NoStock {
		ways = append(ways, func() error { return r.stock(ctx, &out, data, tag) })
	}
	for _, way := range ways {
		if err := way(); err != nil {
			return outcome{}, err
		}
	}
	return out, nil
}

// own reads the page as the service does.
func (r *reader) own(ctx context.Context, out *outcome, data []byte, tag string) (err error) {
	out.document, out.Read, err = r.service(ctx, data, tag, r.engines)
	out.Score = accuracy.Compare(out.truth, out.Read.Text)
	return err
}

// printOnly reads the page as the service does if no model for handwriting is installed.
func (r *reader) printOnly(ctx context.Context, out *outcome, data []byte, tag string) error {
	_, read, err := r.service(ctx, data, tag, withoutHands{r.engines})
	score := accuracy.Compare(out.truth, read.Text)
	out.PrintOnly, out.PrintOnlyRead = &score, &read
	return err
}

// withoutHands hides the model for handwriting.
type withoutHands struct{ *reading.Engines }

func (w withoutHands) Has(model string) bool { return model != own.Hands && w.Engines.Has(model) }

// service reads the page with the service's own steps in this process, which a worker does in a child.
func (r *reader) service(ctx context.Context, data []byte, tag string, src reading.Source) (doc *document.Document, read accuracy.Reading, err error) {
	read, err = measured(func() (string, float64, error) {
		doc, err = reading.File(ctx, data, reading.Options{Language: tag, Enhance: r.o.Enhance, Without: r.o.Without}, src)
		if err != nil {
			return "", 0, err
		}
		return doc.Text(), doc.Confidence, nil
	})
	return doc, read, err
}

// measured runs f on a locked thread, so that the processor time is that of f alone.
func measured(f func() (string, float64, error)) (accuracy.Reading, error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	start, cpu := time.Now(), threadTime()
	text, confidence, err := f()
	return accuracy.Reading{
		Text: text, Confidence: confidence,
		Seconds: time.Since(start).Seconds(), CPUSeconds: (threadTime() - cpu).Seconds(),
	}, err
}

// threadTime returns the processor time of this thread, user and system, or 0 if the system does not tell. Recognition runs on the
// calling thread only (see impl/ocr/tesseract), and handwriting is read with one engine here.
func threadTime() time.Duration {
	var usage unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_THREAD, &usage); err != nil {
		return 0
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

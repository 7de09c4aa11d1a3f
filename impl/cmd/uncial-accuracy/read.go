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

	"uncial/impl/ocr/correct"
	"uncial/impl/ocr/models"
	"uncial/impl/ocr/models/own"
	"uncial/impl/ocr/reading"
	"uncial/internal/accuracy"
	"uncial/internal/document"
	"uncial/internal/language"
)

// warmModels is the number of models that a reader keeps loaded: enough for all languages of one page set, so that timings
// measure reading, not loading.
const warmModels = 6

// outcome is the result for one page, with its scores. Its JSON form is the output of --json.
type outcome struct {
	Page  accuracy.Page    `json:"page"`
	Score accuracy.Score   `json:"score"`
	Read  accuracy.Reading `json:"reading"`
	// Stock is plain Tesseract, and PrintOnly the service without its handwriting model; nil if not requested.
	Stock         *accuracy.Score   `json:"stock,omitempty"`
	StockRead     *accuracy.Reading `json:"stockReading,omitempty"`
	PrintOnly     *accuracy.Score   `json:"printOnly,omitempty"`
	PrintOnlyRead *accuracy.Reading `json:"printOnlyReading,omitempty"`

	// Und is the reading with the language left open; nil if not requested.
	Und     *accuracy.Score   `json:"-"`
	UndRead *accuracy.Reading `json:"-"`
	found   string            // the language of that reading

	// The fields below are for the report, which compares words and draws boxes.
	truth    string
	document *document.Document
	image    []byte                // kept only for the report
	evidence [2][]reading.Evidence // of the words of print and of handwriting; only for --fit
	voted    []votedLine           // only for --fit-vote

	changedBy map[string]bool // the steps that changed the page in any way; only for --ablation
}

// readAll reads the selected pages of the folder, o.Jobs at a time, and returns the outcomes in the folder's order. It keeps
// the outcomes in known, which is nil or has one for each page, empty if the page must be read. The first error stops all jobs;
// it names the page. No page selected is an error too, because --only was probably mistyped.
func readAll(ctx context.Context, folder *accuracy.Folder, set *models.Set, o options, known []outcome) ([]outcome, error) {
	var pages []accuracy.Page
	for _, p := range folder.Pages {
		if strings.Contains(p.ID, o.Only) {
			pages = append(pages, p)
		}
	}
	if len(pages) == 0 {
		return nil, fmt.Errorf("--only: no page id contains %q", o.Only)
	}
	// The first error ends group's context, which stops the other jobs at their current page.
	groups := degradations[o.Degrade].group(pages)
	if len(groups) == 0 {
		return nil, fmt.Errorf("--degrade %s: too few pages (%d selected); columns needs three, facing two, and mixed one printed and one handwritten page in the same language", o.Degrade, len(pages))
	}
	bar := newBar(len(groups))
	outcomes := make([]outcome, len(groups))
	copy(outcomes, known)
	next := make(chan int) // indexes of pages; unbuffered, so that a page is not taken before a job is free
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() error {
		defer close(next)
		for i := range groups {
			if outcomes[i].Page.ID != "" {
				bar()
				continue
			}
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
			// Each job loads its own models: an engine serves one goroutine at a time.
			r := newReader(set, o)
			defer r.engines.Close()
			for i := range next {
				out, err := r.read(ctx, folder, groups[i], i)
				if err != nil {
					return fmt.Errorf("%s: %w", groups[i][0].ID, err)
				}
				outcomes[i] = out
				bar()
			}
			return nil
		})
	}
	return outcomes, group.Wait()
}

// newBar shows a progress bar if standard error is a terminal. The returned function advances it by one page and is safe
// for concurrent use.
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

// reader reads one page at a time. It must be used by one goroutine only, like its engines.
type reader struct {
	o       options
	set     *models.Set
	engines *reading.Engines
}

// newReader returns a reader with its own engines. The caller must close them.
func newReader(set *models.Set, o options) *reader {
	return &reader{o: o, set: set, engines: reading.NewEngines(set, warmModels)}
}

// read reads the i-th group of pages, which is one page unless --degrade combines several, in all requested ways. For every
// second group it runs printOnly before own: the first of the two loads the models that both use, so in a fixed order it would
// always look slower.
func (r *reader) read(ctx context.Context, folder *accuracy.Folder, group []accuracy.Page, i int) (outcome, error) {
	p := group[0]
	data, truth, err := load(folder, group, r.o.Degrade, i)
	if err != nil {
		return outcome{}, err
	}
	// Languages are matched as those of requests are, so that an index may say "fr-FR".
	tag, err := language.Match(p.Language, r.set.Languages())
	if err != nil {
		return outcome{}, err
	}
	out := outcome{Page: p, truth: truth}
	if r.o.HTML != "" {
		out.image = data
	}
	ways := []func() error{func() error { return r.own(ctx, &out, data, tag) }}
	if r.o.PrintOnly {
		ways = append(ways, func() error { return r.printOnly(ctx, &out, data, tag) })
		if i%2 == 1 {
			slices.Reverse(ways)
		}
	}
	if r.o.Und {
		ways = append(ways, func() error { return r.und(ctx, &out, data) })
		if i%2 == 1 {
			slices.Reverse(ways)
		}
	}
	if !r.o.NoStock && !r.o.Weak && !r.o.Fit && !r.o.FitVote && !r.o.Und {
		ways = append(ways, func() error { return r.stock(ctx, &out, data, tag) })
	}
	for _, way := range ways {
		if err := way(); err != nil {
			return outcome{}, err
		}
	}
	return out, nil
}

// own reads the page as the service does, with --without and --enhance applied, and scores it.
func (r *reader) own(ctx context.Context, out *outcome, data []byte, tag string) (err error) {
	keep := func(handwritten bool, words []reading.Evidence) {
		i := 0
		if handwritten {
			i = 1
		}
		out.evidence[i] = append(out.evidence[i], words...)
	}
	o := reading.Options{Language: tag, Evidence: keep}
	if r.o.FitVote {
		o.Without = []string{"long-s"} // so that lines stay as the vote sees them
		o.Candidates = func(line []document.Word, candidates []correct.Candidate) {
			out.voted = append(out.voted, votedLine{slices.Clone(line), candidates})
		}
	}
	if r.o.Ablation {
		out.changedBy = map[string]bool{}
		o.Changed = func(step string) { out.changedBy[step] = true }
	}
	out.document, out.Read, err = r.service(ctx, data, r.engines, o)
	out.Score = accuracy.Compare(out.truth, out.Read.Text)
	return err
}

// printOnly reads the page as the service would if the handwriting model were missing. Comparing it with own shows the
// gain on handwriting, and whether any printed page is mistaken for handwriting.
func (r *reader) printOnly(ctx context.Context, out *outcome, data []byte, tag string) error {
	_, read, err := r.service(ctx, data, withoutHands{r.engines}, reading.Options{Language: tag})
	score := accuracy.Compare(out.truth, read.Text)
	out.PrintOnly, out.PrintOnlyRead = &score, &read
	return err
}

// und reads the page as the service does if the request leaves the language open.
func (r *reader) und(ctx context.Context, out *outcome, data []byte) error {
	doc, read, err := r.service(ctx, data, r.engines, reading.Options{Language: language.Undetermined})
	if err != nil {
		return err
	}
	score := accuracy.Compare(out.truth, read.Text)
	out.Und, out.UndRead, out.found = &score, &read, doc.Language
	return nil
}

// withoutHands is a source of models that hides the handwriting model, and otherwise shares the engines.
type withoutHands struct{ *reading.Engines }

func (w withoutHands) Has(model string) bool { return model != own.Hands && w.Engines.Has(model) }

// service reads the page with the steps that a worker runs, but in this process. doc is nil after an error.
func (r *reader) service(ctx context.Context, data []byte, src reading.Source, o reading.Options) (doc *document.Document, read accuracy.Reading, err error) {
	o.Enhance, o.Without = r.o.Enhance, append(o.Without, r.o.Without...)
	read, err = measured(func() (string, float64, error) {
		doc, err = reading.File(ctx, data, o, src)
		if err != nil {
			return "", 0, err
		}
		return doc.Text(), doc.Confidence, nil
	})
	return doc, read, err
}

// measured runs f, which returns a text and its confidence (0..1), and measures its wall-clock and processor time. It locks
// f to one thread, so that the other job does not count.
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

// threadTime returns the processor time of this thread, user and system, or 0 if the kernel does not report it. It covers the
// whole reading, except for garbage collection: every step begins on the calling thread, and here no step has a second one.
func threadTime() time.Duration {
	var usage unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_THREAD, &usage); err != nil {
		return 0
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

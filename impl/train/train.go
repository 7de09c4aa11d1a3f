// Package train implements "uncial train", which fine-tunes a handwriting model on the transcribed pages of an archive. It
// cuts the lines out of the images in a sandboxed worker (layout.Given), runs the training program of package training on them,
// and writes the model and a report.
//
// The cut lines and the state of the training are kept in a folder next to the model, so that an interrupted run can continue.
// How transcriptions are read is in package groundtruth. Start with Run.
package train

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"golang.org/x/text/language"

	"uncial/impl/groundtruth"
	"uncial/impl/ocr/neural/training"
	"uncial/impl/ocr/pipe"
)

// Cutter cuts lines out of images; *workerpool.Pool is one.
type Cutter interface {
	// Cut returns the strips of an image's lines. An *ocr.ImageError means that the image is invalid.
	Cut(ctx context.Context, image []byte, lines *pipe.Cut) (*pipe.Strips, error)
}

// Options of Run. Its errors name the flags of "uncial train" that set them.
type Options struct {
	GroundTruth []string // folders with PAGE or ALTO and images
	HeldBack    []string // such folders, to measure the error on; a tenth of the ground truth if empty
	Base        string   // the model to start from: the name of the shipped one, or the path of a model file
	Out         string   // path of the model to write; must end in .uhm
	Languages   []string // BCP 47 tags that the model reads
	Minutes     float64  // maximum duration of the training; greater than 0
	Passes      float64  // maximum number of passes over the lines; greater than 0
	Threads     int      // of the processor, for the training

	// Cutter starts a cutter. The function that it returns closes the cutter.
	Cutter func(context.Context) (Cutter, func() error, error)
	// Load loads the handwriting models of a folder in a worker, and returns the tags of the languages that this machine reads.
	Load func(ctx context.Context, folder string) (languages []string, err error)
	// Progress receives the messages to the user.
	Progress io.Writer
}

// Result is the outcome of a run.
type Result struct {
	Model, Report string  // paths
	Before, After float64 // share of wrong characters in the lines held back, 0..1, with the base model and with the new one
	Lines         int     // number of lines that were trained on
}

const (
	modelExtension = ".uhm"
	stateSuffix    = ".training"
	maxVersion     = 40 // maximum number of characters of a file's name that go into the model's version
)

// Run trains a model and writes it with its report. If ctx ends, Run saves the state of the training, and the error is
// training.ErrInterrupted or that of ctx.
func Run(ctx context.Context, o Options) (Result, error) {
	if err := o.check(); err != nil {
		return Result{}, err
	}
	if err := training.Check(ctx); err != nil {
		return Result{}, err
	}
	pages, err := o.find("--ground-truth", o.GroundTruth)
	if err != nil {
		return Result{}, err
	}
	heldBack, err := o.find("--held-back", o.HeldBack)
	if err != nil {
		return Result{}, err
	}
	divided, err := divide(pages, heldBack)
	if err != nil {
		return Result{}, err
	}
	state := o.Out + stateSuffix
	base, err := o.prepare(ctx, state, divided)
	if err != nil {
		return Result{}, err
	}
	model, err := made(state)
	if err != nil {
		return Result{}, err
	}
	run := report{Pages: len(pages), Base: o.Base, Languages: strings.Join(o.Languages, ", "), Model: filepath.Base(o.Out)}
	err = training.Run(ctx, training.Options{
		Lines: state, Base: base, Out: model, State: state, Minutes: o.Minutes, Passes: o.Passes, Threads: o.Threads,
		Metadata: map[string]string{"version": o.version(), "languages": strings.Join(o.Languages, " ")},
	}, func(e training.Event) { run.add(e); o.printEvent(e) })
	if err != nil {
		return Result{}, err
	}
	if err := o.publish(ctx, model); err != nil {
		return Result{}, err
	}
	if err := run.write(reportPath(o.Out)); err != nil {
		return Result{}, err
	}
	if err := os.RemoveAll(madeFolder(state)); err != nil {
		return Result{}, err
	}
	return Result{Model: o.Out, Report: reportPath(o.Out), Before: run.Before, After: run.After, Lines: run.Lines}, nil
}

// check returns an error that names the first invalid flag, so that the user learns of it before hours of work.
func (o *Options) check() error {
	if len(o.GroundTruth) == 0 {
		return errors.New("--ground-truth: give a folder with PAGE or ALTO files and their images")
	}
	if !strings.HasSuffix(o.Out, modelExtension) {
		return fmt.Errorf("--out: %q must end in %s", o.Out, modelExtension)
	}
	if info, err := os.Stat(filepath.Dir(o.Out)); err != nil || !info.IsDir() {
		return fmt.Errorf("--out: the folder %s does not exist", filepath.Dir(o.Out))
	}
	if len(o.Languages) == 0 {
		return errors.New("--language: give the languages of the pages, such as fr or de")
	}
	for _, tag := range o.Languages {
		if parsed, err := language.Parse(tag); err != nil || parsed.String() != tag {
			return fmt.Errorf("--language: %q is not a canonical BCP 47 tag such as fr or de-Latf", tag)
		}
		if strings.HasPrefix(tag, "und") {
			return errors.New("--language: und does not name a language; give the languages of the pages, such as fr or de")
		}
	}
	if o.Threads < 1 || o.Threads > runtime.NumCPU() {
		return fmt.Errorf("--threads: must be 1 to %d, the number of processors", runtime.NumCPU())
	}
	if o.Minutes <= 0 || o.Passes <= 0 {
		return errors.New("--time and --passes must be greater than 0")
	}
	if path := reportPath(o.Out); !isFreeForReport(path) {
		return fmt.Errorf("--out: the report would overwrite %s, which is not a report of this program; move the file or choose another --out", path)
	}
	if err := o.checkBase(); err != nil {
		return err
	}
	return o.checkOut()
}

// version returns the model's version: the name of its file and today's date.
func (o *Options) version() string {
	name := []rune(strings.TrimSuffix(filepath.Base(o.Out), modelExtension))
	return string(name[:min(len(name), maxVersion)]) + " " + time.Now().UTC().Format(time.DateOnly)
}

// find returns the transcribed pages of the folders that a flag names, and prints which files it skipped and why.
func (o *Options) find(flag string, folders []string) ([]groundtruth.Page, error) {
	const maxListed = 10 // skipped files for each folder
	var all []groundtruth.Page
	found := map[string]bool{} // the real paths of the pages
	for _, folder := range folders {
		pages, skipped, err := groundtruth.Find(folder)
		for i, s := range skipped {
			if i == maxListed {
				fmt.Fprintf(o.Progress, "... and %d more\n", len(skipped)-maxListed)
				break
			}
			fmt.Fprintf(o.Progress, "%s: %s\n", s.Path, s.Reason)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", flag, err)
		}
		for _, p := range pages { // folders may be inside each other
			path, err := filepath.EvalSymlinks(p.XML)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", flag, err)
			}
			if !found[path] {
				found[path], all = true, append(all, p)
			}
		}
	}
	lines := 0
	for _, p := range all {
		lines += len(p.Lines)
	}
	if len(folders) > 0 {
		fmt.Fprintf(o.Progress, "%s: %s, %s\n", flag, count(len(all), "page"), count(lines, "transcribed line"))
	}
	return all, nil
}

// count returns a number with its noun: "1 page", "2 pages".
func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// prepare fills the state folder with what training needs, and returns the path of the base model. If it fails, it leaves no
// new folder behind.
func (o *Options) prepare(ctx context.Context, state string, pages []page) (base string, err error) {
	switch err := os.Mkdir(state, 0o750); {
	case err == nil:
		defer func() {
			if base == "" {
				_ = os.RemoveAll(state) // the error that is returned matters more
			}
		}()
	case !errors.Is(err, fs.ErrExist):
		return "", fmt.Errorf("--out: %w", err)
	}
	path, err := o.base(ctx, state)
	if err != nil {
		return "", err
	}
	if err := o.cut(ctx, state, pages); err != nil {
		return "", err
	}
	return path, nil
}

// printEvent prints an event for the user.
func (o *Options) printEvent(e training.Event) {
	w := o.Progress
	switch e.Kind {
	case "start":
		fmt.Fprintf(w, "Lines to train on: %d; held back to measure the error: %d\n", e.Lines, e.Held)
		for _, reason := range slices.Sorted(maps.Keys(e.Skipped)) {
			fmt.Fprintf(w, "Lines left out: %d (%s)\n", e.Skipped[reason], reason)
		}
		if len(e.New) > 0 {
			fmt.Fprintf(w, "New characters: %s\n", strings.Join(e.New, " "))
		}
		if len(e.Rare) > 0 {
			fmt.Fprintf(w, "Too rare to be learnt: %s\n", strings.Join(e.Rare, " "))
		}
	case "note":
		fmt.Fprintln(w, e.Message)
	case "progress":
		fmt.Fprintf(w, "\r%3.0f %% done, about %s left  ", 100*e.Share, (time.Duration(e.Left) * time.Second).Round(time.Second))
	case "sample":
		fmt.Fprintf(w, "\nError on lines held back: %.3f\n", e.Error)
		for _, l := range e.Samples {
			fmt.Fprintf(w, "  expected: %s\n  read:     %s\n", l.Text, l.Read)
		}
	case "done":
		fmt.Fprintf(w, "\nError on lines held back: %.3f before, %.3f now.\n", e.Before, e.Error)
	}
}

// digest identifies the ground truth by the size and time of its files, so that lines are cut again when a file changes.
func digest(pages []page) string {
	h := sha256.New()
	for _, p := range pages {
		fmt.Fprintln(h, p.held)
		for _, path := range []string{p.XML, p.Image} {
			if info, err := os.Stat(path); err == nil {
				fmt.Fprintf(h, "%s %d %d\n", path, info.Size(), info.ModTime().UnixNano())
			}
		}
	}
	return hex.EncodeToString(h.Sum(nil))
}

package reading

import (
	"context"
	"fmt"
	"image"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"uncial/impl/ocr/hand"
	"uncial/impl/ocr/models/own"
	"uncial/impl/ocr/tesseract"
)

var _ hand.Reader = (*Engines)(nil)

// SetThreads lets up to n engines read the lines of a page, or the columns of a printed one, at the same time, each on its own
// core. The default is 1, and the maximum is maxEngines.
func (e *Engines) SetThreads(n int) { e.threads = min(max(n, 1), maxEngines) }

// ReadStrips reads each image as one line. See hand.Reader.
func (e *Engines) ReadStrips(ctx context.Context, model string, strips []*image.Gray) ([][]tesseract.Word, error) {
	if model == own.Print {
		return e.print.read(ctx, strips, e.threads)
	}
	if h := e.handwritingNetwork(model); h != nil {
		return h.read(ctx, strips, e.threads)
	}
	first, err := e.Get(model)
	if err != nil {
		return nil, err
	}
	engines, err := e.enginesOf(first, min(e.threads, len(strips)/minStripsPerEngine))
	if err != nil {
		return nil, err
	}
	out := make([][]tesseract.Word, len(strips))
	var next atomic.Int64
	work := func(engine *tesseract.Engine) error {
		for i := int(next.Add(1)) - 1; i < len(strips); i = int(next.Add(1)) - 1 {
			var err error
			if out[i], err = readStrip(ctx, engine, strips[i]); err != nil {
				return fmt.Errorf("reading: %w", err)
			}
		}
		return nil
	}
	var group errgroup.Group
	for _, engine := range engines[1:] {
		group.Go(func() error { return withStripSettings(engine, work) })
	}
	err = withStripSettings(engines[0], work)
	if other := group.Wait(); err == nil {
		err = other
	}
	return out, err
}

// ReadStripsAgain reads each image with a handwriting model: first as ReadStrips does, then again as s requests. See
// hand.Reader.
func (e *Engines) ReadStripsAgain(ctx context.Context, model string, strips []*image.Gray, s hand.Search) ([]hand.Readings, error) {
	h := e.handwritingNetwork(model)
	if h == nil {
		return nil, fmt.Errorf("reading: %q is not a handwriting model", model)
	}
	return h.readAgain(ctx, strips, e.threads, s)
}

// enginesOf returns up to n engines of one model, as many as fit into memory. first, the engine that Get returned last, is one
// of them. The others stay loaded for the next page.
func (e *Engines) enginesOf(first *tesseract.Engine, n int) ([]*tesseract.Engine, error) {
	engines := []*tesseract.Engine{first}
	if n < 2 {
		return engines, nil
	}
	if len(e.extraEngines) > 0 && e.extraEngines[0].Model() != first.Model() {
		e.closeExtraEngines()
	}
	config, err := e.config(first.Model())
	if err != nil {
		return nil, err
	}
	for len(e.extraEngines) < n-1 && e.makeRoom(e.memoryOf(first.Model()), 1) {
		engine, err := tesseract.Open(config)
		if err != nil {
			return nil, fmt.Errorf("reading: %w", err)
		}
		e.extraEngines = append(e.extraEngines, engine)
	}
	return append(engines, e.extraEngines[:min(n-1, len(e.extraEngines))]...), nil
}

// closeExtraEngines closes the additional engines, which help to read the lines of one page.
func (e *Engines) closeExtraEngines() {
	for _, engine := range e.extraEngines {
		engine.Close()
	}
	e.extraEngines = nil
}

// withStripSettings calls work with an engine that reads each image as one line, without inverting it and without searching for
// the line. It restores the engine's settings.
func withStripSettings(engine *tesseract.Engine, work func(*tesseract.Engine) error) error {
	const invert = "tessedit_do_invert"
	defer engine.Clear()
	engine.SetMode(tesseract.RawLine)
	if err := engine.SetVariable(invert, "0"); err != nil {
		return err
	}
	err := work(engine)
	if problem := engine.SetVariable(invert, "1"); err == nil {
		err = problem
	}
	return err
}

// readStrip returns the words of a strip, which shows one line, in pixels of the strip. If the engine finds several lines,
// their words follow each other in the order in which it found them.
func readStrip(ctx context.Context, engine *tesseract.Engine, strip *image.Gray) ([]tesseract.Word, error) {
	if err := engine.SetImage(strip, 0); err != nil {
		return nil, err
	}
	if err := engine.Recognize(ctx); err != nil {
		return nil, err
	}
	var words []tesseract.Word
	for _, b := range engine.Blocks() {
		for _, l := range b.Lines {
			words = append(words, l.Words...)
		}
	}
	return words, nil
}

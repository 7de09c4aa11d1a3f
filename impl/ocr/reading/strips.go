package reading

import (
	"cmp"
	"context"
	"fmt"
	"image"

	"uncial/impl/ocr/hand"
	"uncial/impl/ocr/tesseract"
)

var _ hand.Reader = (*Engines)(nil)

// SetThreads lets up to n engines read the lines of a page, or the columns of a printed one, at the same time, each on its own
// core. The default is 1, and the maximum is maxEngines.
func (e *Engines) SetThreads(n int) { e.threads = min(max(n, 1), maxEngines) }

// ReadStrips reads each image as one line. See hand.Reader.
func (e *Engines) ReadStrips(ctx context.Context, model string, strips []*image.Gray) ([][]tesseract.Word, error) {
	if n := e.prints[model]; n != nil {
		return n.read(ctx, strips, e.threads)
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
	out, errs := make([][]tesseract.Word, len(strips)), make([]error, len(engines))
	err = withStripSettings(engines, func() error {
		inTurn(len(engines), len(strips), func(worker, i int) bool {
			out[i], errs[worker] = readStrip(ctx, engines[worker], strips[i])
			return errs[worker] == nil
		})
		return cmp.Or(errs...)
	})
	if err != nil {
		return nil, fmt.Errorf("reading: %w", err)
	}
	return out, nil
}

// ReadStripsAgain reads each image with a handwriting model as s requests. See hand.Reader.
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

// withStripSettings calls work while engines read each image as one line, without inverting it and without searching for the
// line. It restores their settings.
func withStripSettings(engines []*tesseract.Engine, work func() error) (err error) {
	const invert = "tessedit_do_invert"
	for _, engine := range engines {
		defer engine.Clear()
		engine.SetMode(tesseract.RawLine)
		if err := engine.SetVariable(invert, "0"); err != nil {
			return err
		}
		defer func() {
			if problem := engine.SetVariable(invert, "1"); err == nil {
				err = problem
			}
		}()
	}
	return work()
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

package reading

import (
	"context"
	"fmt"
	"image"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"uncial/impl/ocr/hand"
	"uncial/impl/ocr/tesseract"
)

var _ hand.Reader = (*Engines)(nil)

// maxThreads bounds the engines that read the lines of one page at the same time.
const maxThreads = 4

// stripsAThread is how many lines there are at least for each engine: to load a further one takes as long as reading three.
const stripsAThread = 4

// SetThreads lets up to n engines read the lines of a handwritten page at the same time, each on a core of its own.
// The default is 1.
func (e *Engines) SetThreads(n int) { e.threads = min(max(n, 1), maxThreads) }

// ReadStrips reads each image as one line. See hand.Reader.
func (e *Engines) ReadStrips(ctx context.Context, model string, strips []*image.Gray, detail tesseract.Detail) ([][]tesseract.Word, error) {
	first, err := e.Get(model)
	if err != nil {
		return nil, err
	}
	engines, err := e.team(first, min(e.threads, len(strips)/stripsAThread))
	if err != nil {
		return nil, err
	}
	out := make([][]tesseract.Word, len(strips))
	var next atomic.Int64
	work := func(engine *tesseract.Engine) error {
		for i := int(next.Add(1)) - 1; i < len(strips); i = int(next.Add(1)) - 1 {
			var err error
			if out[i], err = readStrip(ctx, engine, strips[i], detail); err != nil {
				return fmt.Errorf("reading: %w", err)
			}
		}
		return nil
	}
	var group errgroup.Group
	for _, engine := range engines[1:] {
		group.Go(func() error { return withStrips(engine, detail, work) })
	}
	err = withStrips(engines[0], detail, work)
	if other := group.Wait(); err == nil {
		err = other
	}
	return out, err
}

// team is the engine and as many more of its model as make n. The others are kept for the next page.
func (e *Engines) team(first *tesseract.Engine, n int) ([]*tesseract.Engine, error) {
	engines := []*tesseract.Engine{first}
	if n < 2 {
		return engines, nil
	}
	if len(e.mates) > 0 && e.mates[0].Model() != first.Model() {
		e.dismiss()
	}
	config, err := e.config(first.Model())
	if err != nil {
		return nil, err
	}
	for len(e.mates) < n-1 {
		mate, err := tesseract.Open(config)
		if err != nil {
			return nil, fmt.Errorf("reading: %w", err)
		}
		e.mates = append(e.mates, mate)
	}
	return append(engines, e.mates[:n-1]...), nil
}

// dismiss frees the engines that read at the side of others.
func (e *Engines) dismiss() {
	for _, mate := range e.mates {
		mate.Close()
	}
	e.mates = nil
}

// withStrips lets an engine read lines the way that the models for hands have learnt them, and gives it back as it was.
func withStrips(engine *tesseract.Engine, detail tesseract.Detail, work func(*tesseract.Engine) error) error {
	defer engine.Clear()
	engine.SetMode(tesseract.RawLine)
	set := map[string]string{"tessedit_do_invert": "0"}
	unset := map[string]string{"tessedit_do_invert": "1"}
	if detail == tesseract.Symbols {
		set["lstm_choice_mode"], unset["lstm_choice_mode"] = "2", "0"
	}
	for name, value := range set {
		if err := engine.SetVariable(name, value); err != nil {
			return err
		}
	}
	err := work(engine)
	for name, value := range unset {
		if fault := engine.SetVariable(name, value); err == nil {
			err = fault
		}
	}
	return err
}

func readStrip(ctx context.Context, engine *tesseract.Engine, strip *image.Gray, detail tesseract.Detail) ([]tesseract.Word, error) {
	if err := engine.SetImage(strip, 0); err != nil {
		return nil, err
	}
	if err := engine.Recognize(ctx); err != nil {
		return nil, err
	}
	var words []tesseract.Word
	for _, b := range engine.Blocks(detail) {
		for _, p := range b.Paragraphs {
			for _, l := range p.Lines {
				words = append(words, l.Words...)
			}
		}
	}
	return words, nil
}

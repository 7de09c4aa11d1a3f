package reading

import (
	"context"
	"fmt"
	"image"
	"runtime/debug"
	"sync"
	"sync/atomic"

	"uncial/impl/ocr/layout"
	"uncial/impl/ocr/tesseract"
	"uncial/internal/document"
)

// singleEngine is a source that reads with one of several engines of a model.
type singleEngine struct {
	Source
	engine *tesseract.Engine
}

// Read implements Source. It ignores the name of the model: the engine has one already.
func (s singleEngine) Read(ctx context.Context, img *image.Gray, dpi int, _ string, mode tesseract.Mode) ([]document.Block, error) {
	return readWith(ctx, []*tesseract.Engine{s.engine}, img, dpi, mode)
}

// sourcesFor returns sources that can read regions with a model at the same time, one for each engine. There are at most as
// many as SetThreads allows, fewer if the regions are few or small. A single source is src itself.
func sourcesFor(src Source, model string, regions []layout.Region) ([]Source, error) {
	sources := []Source{src}
	engines, ok := src.(*Engines)
	if !ok || engines.threads < 2 || len(regions) < 2 {
		return sources, nil
	}
	pixels := 0
	for _, r := range regions {
		pixels += r.Box.Dx() * r.Box.Dy()
	}
	first, err := engines.Get(model)
	if err != nil {
		return nil, err
	}
	several, err := engines.enginesOf(first, min(engines.threads, len(regions), pixels/minPixelsPerEngine))
	if err != nil {
		return nil, err
	}
	if len(several) == 1 {
		return sources, nil
	}
	sources = nil
	for _, engine := range several {
		sources = append(sources, singleEngine{src, engine})
	}
	return sources, nil
}

// inTurn runs tasks, numbered from 0, in order on n workers, at least 1. The first worker is the calling goroutine. Once do has
// reported false, no further task begins. A panic of another worker panics in the calling goroutine, which can recover it.
func inTurn(n, tasks int, do func(worker, task int) bool) {
	var next atomic.Int64
	var failed atomic.Bool
	var panicked atomic.Pointer[string] // with the stack, which would be lost
	work := func(worker int) {
		for task := int(next.Add(1)) - 1; task < tasks && !failed.Load(); task = int(next.Add(1)) - 1 {
			if !do(worker, task) {
				failed.Store(true)
			}
		}
	}
	var group sync.WaitGroup
	for worker := 1; worker < n; worker++ {
		group.Go(func() {
			defer func() {
				if value := recover(); value != nil {
					failed.Store(true)
					text := fmt.Sprintf("%v\n%s", value, debug.Stack())
					panicked.Store(&text)
				}
			}()
			work(worker)
		})
	}
	work(0)
	group.Wait()
	if text := panicked.Load(); text != nil {
		panic(*text)
	}
}

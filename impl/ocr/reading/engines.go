package reading

import (
	"context"
	"fmt"
	"image"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"uncial/impl/ocr/imaging"
	"uncial/impl/ocr/layout"
	"uncial/impl/ocr/lexicon"
	"uncial/impl/ocr/models"
	"uncial/impl/ocr/models/own"
	"uncial/impl/ocr/tesseract"
	"uncial/internal/document"
)

// Engines runs all models: a pool of Tesseract engines, one for each model, and our own networks. It keeps the most recently
// used engines loaded, because loading a model takes longer than reading a line. It must not be used by several goroutines at
// once.
type Engines struct {
	set          *models.Set
	limit        int
	memory       int64               // maximum bytes of all loaded models
	warm         []*tesseract.Engine // most recently used last; at most limit, and no more than fit into memory
	lexicons     map[string]*lexicon.Lexicon
	alphabets    map[string]lexicon.Alphabet
	digests      map[string]string
	threads      int                 // see SetThreads
	extraEngines []*tesseract.Engine // additional engines of one model, see enginesOf
	handwriting  handwritingNetwork
	prints       map[string]*printNetwork // by name
	trained      []trainedModel
	finder       *layout.Finder // nil before the first page
}

var _ Source = (*Engines)(nil)

// NewEngines returns a pool of the models of a set. It keeps up to limit of them loaded: at least 1, and no more than fit into
// modelMemory.
func NewEngines(set *models.Set, limit int) *Engines {
	e := &Engines{
		set: set, limit: max(limit, 1), memory: modelMemory, lexicons: map[string]*lexicon.Lexicon{}, alphabets: map[string]lexicon.Alphabet{}, digests: map[string]string{},
		prints: map[string]*printNetwork{},
	}
	for name, file := range own.PrintNetworks() {
		e.prints[name] = &printNetwork{file: file}
	}
	return e
}

// For returns the names of the models that read a language, the best first.
func (e *Engines) For(language string) []string { return e.set.For(language) }

// Languages returns the tags that the installed models can read, sorted.
func (e *Engines) Languages() []string { return e.set.Languages() }

// Has reports whether a model is installed, or whether several joined by "+" can be used together.
func (e *Engines) Has(name string) bool {
	if own.IsNetwork(name) {
		return true
	}
	_, err := e.config(name)
	return err == nil
}

// Read implements Source. It reads an image that is too large for Tesseract from a smaller copy. If SetThreads allows several
// cores, several engines share the lines of a large image.
func (e *Engines) Read(ctx context.Context, img *image.Gray, dpi int, model string, mode tesseract.Mode) ([]document.Block, error) {
	engine, err := e.Get(model)
	if err != nil {
		return nil, err
	}
	engines := []*tesseract.Engine{engine}
	if mode == tesseract.Auto && !strings.Contains(model, "+") { // with several models, the one that reads a line depends on the previous line
		if engines, err = e.enginesOf(engine, enginesFor(img.Rect.Dx()*img.Rect.Dy(), e.threads)); err != nil {
			return nil, err
		}
	}
	return readWith(ctx, engines, img, dpi, mode)
}

// enginesFor returns the number of engines that share the lines of an image with the given number of pixels. It may be 0.
func enginesFor(pixels, threads int) int {
	return min(threads, pixels/minPixelsPerEngine, maxPixelsOfEngines/max(pixels, 1))
}

// readWith is Read with one engine, or with several that have the same model.
func readWith(ctx context.Context, engines []*tesseract.Engine, img *image.Gray, dpi int, mode tesseract.Mode) ([]document.Block, error) {
	if size := img.Rect.Size(); max(size.X, size.Y) > maxSide {
		side := max(size.X, size.Y)
		small := imaging.Resize(img, size.X*maxSide/side, size.Y*maxSide/side)
		blocks, err := readWith(ctx, engines, small, dpi*maxSide/side, mode)
		return rescaled(blocks, size, small.Rect.Size()), err
	}
	for _, engine := range engines {
		defer engine.Clear()
		engine.SetMode(mode)
		if err := engine.SetImage(img, dpi); err != nil {
			return nil, fmt.Errorf("reading: %w", err)
		}
	}
	blocks, err := tesseract.RecognizeTogether(ctx, engines)
	if err != nil {
		err = fmt.Errorf("reading: %w", err)
	}
	return toBlocks(blocks, engines[0].Model()), err
}

// Lexicon returns the word list of a model, or nil if it has none or it cannot be read. It reads the list at the first call
// and caches it.
func (e *Engines) Lexicon(name string) *lexicon.Lexicon {
	if l, ok := e.lexicons[name]; ok {
		return l
	}
	l, _ := lexicon.Read(e.data(name)) // a model can be used without its word list
	e.lexicons[name] = l
	return l
}

// Alphabet returns the characters that a model can output, or nil if they are not known. It reads the alphabet at the first
// call and caches it.
func (e *Engines) Alphabet(name string) lexicon.Alphabet {
	if a, ok := e.alphabets[name]; ok {
		return a
	}
	var a lexicon.Alphabet
	if n := e.prints[name]; n != nil {
		a = n.alphabet()
	} else {
		a, _ = lexicon.ReadAlphabet(e.data(name))
	}
	e.alphabets[name] = a
	return a
}

// data returns the content of a model's file, or nil if it cannot be read.
func (e *Engines) data(name string) []byte {
	model, ok := e.set.Model(name)
	if !ok || model.Data != nil {
		return model.Data
	}
	data, err := os.ReadFile(filepath.Join(model.Dir, model.Name+".traineddata"))
	if err != nil {
		return nil
	}
	return data
}

// Get returns the engine of a model, or of several models in one folder joined by "+". The engine remains open until as many
// other models as the limits allow have been used. It keeps the image, mode and variables that the last caller set, so always
// set the image and the mode, and restore variables after changing them.
func (e *Engines) Get(name string) (*tesseract.Engine, error) {
	at := slices.IndexFunc(e.warm, func(w *tesseract.Engine) bool { return w.Model() == name })
	if at >= 0 {
		engine := e.warm[at]
		e.warm = append(slices.Delete(e.warm, at, at+1), engine)
		return engine, nil
	}
	config, err := e.config(name)
	if err != nil {
		return nil, err
	}
	need := e.memoryOf(name)
	if e.usedMemory()+need > e.memory {
		e.closeExtraEngines()
	}
	if len(e.warm) == e.limit {
		e.closeOldest()
	}
	e.makeRoom(need, 0)
	engine, err := tesseract.Open(config)
	if err != nil {
		return nil, fmt.Errorf("reading: %w", err)
	}
	e.warm = append(e.warm, engine)
	return engine, nil
}

// makeRoom closes the least recently used engines until need more bytes fit into modelMemory, but keeps at least keep engines.
// It reports whether the bytes fit.
func (e *Engines) makeRoom(need int64, keep int) bool {
	for len(e.warm) > keep && e.usedMemory()+need > e.memory {
		e.closeOldest()
	}
	return e.usedMemory()+need <= e.memory
}

// closeOldest closes the least recently used engine.
func (e *Engines) closeOldest() {
	e.warm[0].Close()
	e.warm = slices.Delete(e.warm, 0, 1)
}

// usedMemory returns the approximate number of bytes that the loaded models take, including those of additional engines.
func (e *Engines) usedMemory() (sum int64) {
	for _, engine := range slices.Concat(e.warm, e.extraEngines) {
		sum += e.memoryOf(engine.Model())
	}
	return sum
}

// memoryOf returns the approximate number of bytes that a model, or several joined by "+", take while they are loaded.
func (e *Engines) memoryOf(names string) (sum int64) {
	for name := range strings.SplitSeq(names, "+") {
		sum += engineMemory
		model, ok := e.set.Model(name)
		switch {
		case !ok:
		case model.Data != nil:
			sum += int64(len(model.Data))
		default:
			if info, err := os.Stat(filepath.Join(model.Dir, model.Name+".traineddata")); err == nil {
				sum += info.Size()
			}
		}
	}
	return sum
}

// fastPitch is the name of Tesseract's variable for a faster search for fixed-pitch type. The slower search takes 3 % of the
// processor time of print, and pages are read equally well without it.
const fastPitch = "textord_fast_pitch_test"

// config returns the configuration that loads a model, or several joined by "+".
func (e *Engines) config(names string) (tesseract.Config, error) {
	config := tesseract.Config{Model: names, Variables: map[string]string{fastPitch: "1"}}
	for i, name := range strings.Split(names, "+") {
		model, ok := e.set.Model(name)
		if !ok {
			return config, fmt.Errorf("reading: model %q is not installed", name)
		}
		if i > 0 && (model.Data != nil || config.Data != nil || model.Dir != config.Dir) {
			return config, fmt.Errorf("reading: the models %q are not in one folder", names)
		}
		config.Dir, config.Data = model.Dir, model.Data
	}
	return config, nil
}

// Close frees all engines. The pool can be used again.
func (e *Engines) Close() {
	e.closeExtraEngines()
	for _, engine := range e.warm {
		engine.Close()
	}
	e.warm = nil
}

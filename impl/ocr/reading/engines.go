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
	"uncial/impl/ocr/lexicon"
	"uncial/impl/ocr/models"
	"uncial/impl/ocr/tesseract"
	"uncial/internal/document"
)

// Engines lends engines by the name of their model and keeps the ones used last warm, for loading a model takes longer
// than reading a line. It serves one goroutine at a time.
type Engines struct {
	set       *models.Set
	limit     int
	warm      []*tesseract.Engine // the one used last at the end; never more than limit
	lexicons  map[string]*lexicon.Lexicon
	alphabets map[string]lexicon.Alphabet
	threads   int                 // engines that may read the lines of one page at the same time; see SetThreads
	mates     []*tesseract.Engine // that read lines at the side of a warm one, all of one model
}

var _ Source = (*Engines)(nil)

// NewEngines lends the models of a set and keeps up to limit of them warm, at least 1. A model takes 10-250 MB of memory.
func NewEngines(set *models.Set, limit int) *Engines {
	return &Engines{
		set: set, limit: max(limit, 1), lexicons: map[string]*lexicon.Lexicon{}, alphabets: map[string]lexicon.Alphabet{},
	}
}

// Models is the set that the engines come from.
func (e *Engines) Models() *models.Set { return e.set }

// For are the names of the models that read a language, the best first.
func (e *Engines) For(language string) []string { return e.set.For(language) }

// Has says whether a model is there.
func (e *Engines) Has(name string) bool {
	_, ok := e.set.Model(name)
	return ok
}

// longestSide is the side in pixels from which on an image is read from a smaller copy. Tesseract counts in 16 bits, adds
// margins, and aborts where a sum does not fit: of 32,767 and of 32,760, not of 32,700.
const longestSide = 32_000

// Read reads an image with a model, or with several joined by "+". See Source.
func (e *Engines) Read(ctx context.Context, img *image.Gray, model string, mode tesseract.Mode) ([]document.Block, error) {
	if size := img.Rect.Size(); max(size.X, size.Y) > longestSide {
		side := max(size.X, size.Y)
		small := imaging.Resize(img, size.X*longestSide/side, size.Y*longestSide/side)
		blocks, err := e.Read(ctx, small, model, mode)
		return rescaled(blocks, size, small.Rect.Size()), err
	}
	engine, err := e.Get(model)
	if err != nil {
		return nil, err
	}
	defer engine.Clear()
	engine.SetMode(mode)
	if err := engine.SetImage(img, 0); err != nil {
		return nil, fmt.Errorf("reading: %w", err)
	}
	if err := engine.Recognize(ctx); err != nil {
		return nil, fmt.Errorf("reading: %w", err)
	}
	return toBlocks(engine), nil
}

// Lexicon is the word list of a model, read at its first use and kept; nil where it has none.
func (e *Engines) Lexicon(name string) *lexicon.Lexicon {
	if l, ok := e.lexicons[name]; ok {
		return l
	}
	e.lexicons[name] = e.readLexicon(name)
	return e.lexicons[name]
}

func (e *Engines) readLexicon(name string) *lexicon.Lexicon {
	l, err := lexicon.Read(e.data(name))
	if err != nil {
		return nil // as without a word list: it only helps
	}
	return l
}

// Alphabet is the characters that a model can write, read at its first use and kept; nil where it is not known.
func (e *Engines) Alphabet(name string) lexicon.Alphabet {
	if a, ok := e.alphabets[name]; ok {
		return a
	}
	a, err := lexicon.ReadAlphabet(e.data(name))
	if err != nil {
		a = nil
	}
	e.alphabets[name] = a
	return a
}

// data is the content of a model's file, nil where it cannot be read.
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

// Get lends the engine of a model, or of several joined by "+" that lie in one directory. It stays open until as many
// other models as the limit have been asked for. Image, mode and variables are as the last borrower left them: set the first two always, and give variables back.
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
	if len(e.warm) == e.limit {
		e.warm[0].Close()
		e.warm = slices.Delete(e.warm, 0, 1)
	}
	engine, err := tesseract.Open(config)
	if err != nil {
		return nil, fmt.Errorf("reading: %w", err)
	}
	e.warm = append(e.warm, engine)
	return engine, nil
}

// config says how to load a model or several joined by "+".
func (e *Engines) config(names string) (tesseract.Config, error) {
	config := tesseract.Config{Model: names}
	for i, name := range strings.Split(names, "+") {
		model, ok := e.set.Model(name)
		if !ok {
			return config, fmt.Errorf("reading: no model %s is installed", name)
		}
		if i > 0 && (model.Data != nil || config.Data != nil || model.Dir != config.Dir) {
			return config, fmt.Errorf("reading: the models %s do not lie in one directory", names)
		}
		config.Dir, config.Data = model.Dir, model.Data
	}
	return config, nil
}

// Clear frees the images of all engines and keeps the models.
func (e *Engines) Clear() {
	for _, engine := range e.warm {
		engine.Clear()
	}
}

// Close frees everything.
func (e *Engines) Close() {
	e.dismiss()
	for _, engine := range e.warm {
		engine.Close()
	}
	e.warm = nil
}

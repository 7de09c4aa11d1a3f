package reading

import (
	"fmt"
	"slices"

	"uncial/impl/ocr/models"
	"uncial/impl/ocr/tesseract"
)

// Engines lends engines by the name of their model and keeps the ones used last warm, for loading a model takes longer
// than reading a line. It serves one goroutine at a time.
type Engines struct {
	set   *models.Set
	limit int
	warm  []*tesseract.Engine // the one used last at the end; never more than limit
}

// NewEngines lends the models of a set and keeps up to limit of them warm, at least 1. A model takes 10-250 MB of memory.
func NewEngines(set *models.Set, limit int) *Engines {
	return &Engines{set: set, limit: max(limit, 1)}
}

// Models is the set that the engines come from.
func (e *Engines) Models() *models.Set { return e.set }

// Get lends the engine of a model. It stays open until as many other models as the limit have been asked for. Image,
// mode and variables are as the last borrower left them: set the first two always, and give variables back.
func (e *Engines) Get(name string) (*tesseract.Engine, error) {
	at := slices.IndexFunc(e.warm, func(w *tesseract.Engine) bool { return w.Model() == name })
	if at >= 0 {
		engine := e.warm[at]
		e.warm = append(slices.Delete(e.warm, at, at+1), engine)
		return engine, nil
	}
	model, ok := e.set.Model(name)
	if !ok {
		return nil, fmt.Errorf("reading: no model %s is installed", name)
	}
	if len(e.warm) == e.limit {
		e.warm[0].Close()
		e.warm = slices.Delete(e.warm, 0, 1)
	}
	engine, err := tesseract.Open(tesseract.Config{Model: model.Name, Dir: model.Dir, Data: model.Data})
	if err != nil {
		return nil, fmt.Errorf("reading: %w", err)
	}
	e.warm = append(e.warm, engine)
	return engine, nil
}

// Clear frees the images of all engines and keeps the models.
func (e *Engines) Clear() {
	for _, engine := range e.warm {
		engine.Clear()
	}
}

// Close frees everything.
func (e *Engines) Close() {
	for _, engine := range e.warm {
		engine.Close()
	}
	e.warm = nil
}

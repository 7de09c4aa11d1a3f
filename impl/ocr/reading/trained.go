package reading

import (
	"fmt"

	"golang.org/x/text/language"

	"uncial/impl/ocr/models/own"
	"uncial/impl/ocr/neural"
)

// LoadHandwritingModels loads the handwriting models of the set, which archives have trained (package train). If a file is not
// a usable model, or has the name of another model, the error names it. Without a call of LoadHandwritingModels, only the
// shipped model is used.
func (e *Engines) LoadHandwritingModels() error {
	for _, file := range e.set.HandwritingModels() {
		if _, isPrint := e.set.Model(file.Name); isPrint || own.IsNetwork(file.Name) {
			return fmt.Errorf("%s has the name of a model that is installed already; rename it", file.Path)
		}
		model, err := neural.Open(file.Path)
		if err != nil {
			return err
		}
		for _, tag := range model.Info().Languages {
			if _, err := language.Parse(tag); err != nil {
				return fmt.Errorf("%s: %w: %q is not a BCP 47 tag of a language", file.Path, neural.ErrModel, tag)
			}
		}
		e.trained = append(e.trained, trainedModel{file.Name, &handwritingNetwork{model: model}})
	}
	return nil
}

// trainedModel is a model that an archive has trained.
type trainedModel struct {
	name string
	*handwritingNetwork
}

// HandwritingModels returns the descriptions of the models that LoadHandwritingModels has loaded, by name.
func (e *Engines) HandwritingModels() map[string]neural.Info {
	all := map[string]neural.Info{}
	for _, h := range e.trained {
		all[h.name] = h.model.Info()
	}
	return all
}

// HandwritingModelsFor returns the names of the models that read handwriting in a language: the shipped one, and those that
// were trained for the language in any region or script. See hand.Reader.
func (e *Engines) HandwritingModelsFor(tag string) []string {
	names := []string{own.Hands}
	for _, h := range e.trained {
		for _, other := range h.model.Info().Languages {
			if sameLanguage(tag, other) {
				names = append(names, h.name)
				break
			}
		}
	}
	return names
}

// sameLanguage reports whether two tags have the same language, whatever their script and region. It returns false if a tag is
// invalid.
func sameLanguage(a, b string) bool {
	first, err := language.Parse(a)
	second, err2 := language.Parse(b)
	if err != nil || err2 != nil {
		return false
	}
	x, _, _ := first.Raw() // Base would guess English for und
	y, _, _ := second.Raw()
	return x == y
}

// handwritingNetwork returns the network of that name, or nil if there is none.
func (e *Engines) handwritingNetwork(name string) *handwritingNetwork {
	if name == own.Hands {
		return &e.handwriting
	}
	return e.trainedNetwork(name)
}

// trainedNetwork returns the network of that name that an archive has trained, or nil if there is none.
func (e *Engines) trainedNetwork(name string) *handwritingNetwork {
	for _, h := range e.trained {
		if h.name == name {
			return h.handwritingNetwork
		}
	}
	return nil
}

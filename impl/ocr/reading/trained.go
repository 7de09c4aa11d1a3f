package reading

import (
	"golang.org/x/text/language"

	"uncial/impl/ocr/models/own"
	"uncial/impl/ocr/neural"
)

// LoadHands loads the handwriting models of the set, which archives have trained (package train). If a file is not a usable
// model, the error names it. Without a call of LoadHands, only the shipped model is used.
func (e *Engines) LoadHands() error {
	for _, file := range e.set.Hands() {
		model, err := neural.Open(file.Path)
		if err != nil {
			return err
		}
		e.trained = append(e.trained, trainedHand{file.Name, &handwriting{model: model}})
	}
	return nil
}

// trainedHand is a model that an archive has trained.
type trainedHand struct {
	name string
	*handwriting
}

// Hands returns the descriptions of the models that LoadHands has loaded, by name.
func (e *Engines) Hands() map[string]neural.Info {
	all := map[string]neural.Info{}
	for _, h := range e.trained {
		all[h.name] = h.model.Info()
	}
	return all
}

// HandsFor returns the names of the models that read handwriting in a language: the shipped one, and those that were trained
// for the language in any region or script. See hand.Reader.
func (e *Engines) HandsFor(tag string) []string {
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

// hand returns the network of that name, or nil if there is none.
func (e *Engines) hand(name string) *handwriting {
	if name == own.Hands {
		return &e.hands
	}
	for _, h := range e.trained {
		if h.name == name {
			return h.handwriting
		}
	}
	return nil
}

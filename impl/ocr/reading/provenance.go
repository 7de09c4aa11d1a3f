package reading

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"

	"uncial/impl/ocr/models/own"
	"uncial/internal/document"
)

// ModelsOf returns the models that recognized the words of a document, in the order of their first word. It leaves out models
// whose file cannot be read.
func (e *Engines) ModelsOf(doc *document.Document) []document.Model {
	var names []string
	for i := range doc.Pages {
		for w := range document.Words(doc.Pages[i].Blocks) {
			for name := range strings.SplitSeq(w.Model, "+") {
				if name != "" && !slices.Contains(names, name) {
					names = append(names, name)
				}
			}
		}
	}
	var all []document.Model
	for _, name := range names {
		if digest := e.digest(name); digest != "" {
			all = append(all, document.Model{Name: name, Digest: digest})
		}
	}
	return all
}

const digestPrefix = "sha256:"

// digest returns the digest of a model's files, or "" if they cannot be read. It computes the digest at the first call and
// caches it.
func (e *Engines) digest(name string) string {
	if known, ok := e.digests[name]; ok {
		return known
	}
	if h := e.trainedNetwork(name); h != nil {
		return digestPrefix + h.model.Info().Digest
	}
	parts := [][]byte{e.data(name)}
	if n := e.prints[name]; n != nil {
		parts = [][]byte{n.file}
	} else if name == own.Hands {
		network, language := own.HandsFiles()
		parts = [][]byte{network, language, own.FrenchCharacterModel(), own.EnglishCharacterModel(), own.LatinCharacterModel()}
	}
	sum, length := sha256.New(), 0
	for _, part := range parts {
		_, _ = sum.Write(part) // a hash never fails
		length += len(part)
	}
	if length > 0 {
		e.digests[name] = digestPrefix + hex.EncodeToString(sum.Sum(nil))
	}
	return e.digests[name]
}

// HasWord reports whether the word is listed by a model that read the document, or by one for its language.
func (e *Engines) HasWord(doc *document.Document, word string) bool {
	names := e.For(doc.Language)
	for _, m := range doc.Models {
		names = append(names, m.Name)
	}
	return slices.ContainsFunc(names, func(name string) bool {
		list := e.Lexicon(name)
		return list != nil && list.Known(word)
	})
}

package reading

import (
	"context"

	"uncial/impl/ocr/correct"
	"uncial/internal/document"
)

// repairLongS corrects words in which a long s was read as an f.
func repairLongS(_ context.Context, p *page) error {
	p.edits = append(p.edits, correct.LongS(p.read.Blocks, p.wordLists())...)
	return nil
}

// markKnown marks the listed words of print for the proofreader, which has no word lists.
func markKnown(_ context.Context, p *page) error {
	known := p.wordLists()
	for line := range document.Lines(p.read.Blocks) {
		for i := range line.Words {
			w := &line.Words[i]
			w.Known = w.Known || !line.Handwritten && known.Known(w.Text)
		}
	}
	return nil
}

// wordLists returns the word lists of the language's own model and of the model whose reading is kept.
func (p *page) wordLists() correct.Lexicons {
	var lists correct.Lexicons
	models := []string{p.model}
	if kept := p.attempts[0].model; kept != p.model {
		models = append(models, kept)
	}
	for _, m := range models {
		if l := p.src.Lexicon(m); l != nil {
			lists = append(lists, l)
		}
	}
	return lists
}

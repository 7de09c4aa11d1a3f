package reading

import (
	"cmp"
	"context"
	"slices"

	"uncial/impl/ocr/correct"
	"uncial/impl/ocr/lexicon"
	"uncial/internal/document"
	tags "uncial/internal/language"
	"uncial/internal/language/guess"
)

// vote reads the doubtful lines of print again, and corrects them by a vote of these readings.
func vote(ctx context.Context, p *page) error {
	lines := linesByDoubt(p.read.Blocks)
	lines = slices.DeleteFunc(lines, func(l *document.Line) bool { return lowestConfidence(l) >= sureVote })
	if len(lines) == 0 {
		return nil
	}
	knowledge, err := p.knowledge()
	if err != nil {
		return err
	}
	readings, err := p.readAllAgain(ctx, lines, knowledge)
	if err != nil {
		return err
	}
	for i, line := range lines {
		if p.options.Candidates != nil {
			p.options.Candidates(line.Words, knowledge.Candidates(line.Words, readings[i]))
			continue
		}
		p.edits = append(p.edits, knowledge.Vote(line, readings[i])...)
	}
	return nil
}

// linesByDoubt returns horizontalPrint, sorted by the least certain words of the lines.
func linesByDoubt(blocks []document.Block) []*document.Line {
	lines := horizontalPrint(blocks)
	slices.SortStableFunc(lines, func(a, b *document.Line) int { return cmp.Compare(lowestConfidence(a), lowestConfidence(b)) })
	return lines
}

// horizontalPrint returns the lines of print. It leaves out vertical lines, because the network cannot read them.
func horizontalPrint(blocks []document.Block) []*document.Line {
	var lines []*document.Line
	for line := range document.Lines(blocks) {
		if !line.Handwritten && !isVertical(line) {
			lines = append(lines, line)
		}
	}
	return lines
}

// isVertical reports whether a line runs from top to bottom or from bottom to top, such as a shelf mark in the margin.
func isVertical(line *document.Line) bool {
	return line.Box.H >= minVerticalShape*line.Box.W && characters(oneLine(*line)) >= minVerticalCharacters
}

// lowestConfidence returns the lowest confidence of a word of the line.
func lowestConfidence(line *document.Line) float64 {
	least := 1.0
	for _, w := range line.Words {
		least = min(least, w.Confidence)
	}
	return least
}

// unlearntAccents returns the accented letters of the page that its networks cannot be trusted with: those of a language that
// they learnt from rendered lines alone, or all in a language that they have not learnt.
func (p *page) unlearntAccents() string {
	switch {
	case isLanguage(p.language, "es"):
		return "áéíóúñü"
	case isLanguage(p.language, "pt"):
		return "áàâãéêíóôõúüç"
	case p.isLearnt():
		return ""
	}
	return correct.Accented(textOf(p.read.Blocks))
}

// learnt are the languages that the network for print has learnt.
var learnt = []string{"de", "en", "enm", "fr", "frm", "fro", "it", "la"}

// isLearnt reports whether the network for print has learnt the language of the page. If the tag names no language, the words
// of the page must show one of these.
func (p *page) isLearnt() bool {
	if isLanguage(p.language, tags.Undetermined) {
		return guess.Of(textOf(p.read.Blocks), learnt).Foreign <= -foreignLead
	}
	return isLanguage(p.language, learnt...)
}

// alphabet returns the characters that the networks for print write, nil if they have not read the page.
func (p *page) alphabet() lexicon.Alphabet {
	if len(p.networks) == 0 {
		return nil
	}
	return p.src.Alphabet(p.networks[len(p.networks)-1])
}

// knowledge returns what the vote knows about the page and its language.
func (p *page) knowledge() (*correct.Knowledge, error) {
	k := &correct.Knowledge{
		Known: p.wordLists(), Seen: map[string]int{}, LongS: correct.ShowsLongS(p.read.Blocks), NetworkTrust: p.networkTrust,
		Networks: p.networks, Cells: correct.NumberCells(p.read.Blocks), Alphabet: p.alphabet(), Accents: p.unlearntAccents(),
	}
	for w := range document.Words(p.read.Blocks) {
		k.Seen[correct.Key(w.Text)]++
	}
	src, ok := p.src.(interface {
		Likelihood() (func(string) float64, error)
	})
	if !ok || !isLanguage(p.language, "fr", "frm", "en", "enm", "la") {
		return k, nil
	}
	var err error
	k.Likelihood, err = src.Likelihood()
	return k, err
}

// Likelihood returns a function that returns the natural logarithm of the probability of a line of French, English or Latin
// text, in lower case. It accepts the spelling of any period. The first call loads the character model.
func (e *Engines) Likelihood() (func(string) float64, error) {
	if err := e.handwriting.loadLanguage(); err != nil {
		return nil, err
	}
	return e.handwriting.language.Likelihood, nil
}

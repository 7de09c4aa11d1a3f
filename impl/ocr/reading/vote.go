package reading

import (
	"cmp"
	"context"
	"slices"

	"uncial/impl/ocr/correct"
	"uncial/internal/document"
)

// vote reads the doubtful lines of print again, and corrects them by a vote of these readings. If the network for print can
// read the page, it reads the other lines too, which would cost a plain reading too much time. Nothing is changed until all is
// read.
func vote(ctx context.Context, p *page) error {
	lines, _ := linesByDoubt(p.read.Blocks)
	if len(lines) == 0 && len(p.sureLines) == 0 {
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
	var sure networkReading
	if p.options.Candidates == nil {
		if sure, err = p.readByNetwork(ctx, p.sureLines); err != nil {
			return err
		}
	}
	knowledge.NetworkTrust = correct.NetworkTrust(lines, readings)
	for i, line := range lines {
		if p.options.Candidates != nil {
			p.options.Candidates(line.Words, knowledge.Candidates(line.Words, readings[i]))
			continue
		}
		p.edits = append(p.edits, knowledge.Vote(line, readings[i])...)
	}
	p.edits = append(p.edits, p.correctByNetwork(*knowledge, sure)...)
	return nil
}

// linesByDoubt returns the lines of print with a word that is in doubt, the most doubtful first, and the other lines of print,
// in reading order.
func linesByDoubt(blocks []document.Block) (doubtful, sure []*document.Line) {
	for line := range document.Lines(blocks) {
		switch {
		case line.Handwritten:
		case lowestConfidence(line) < sureVote:
			doubtful = append(doubtful, line)
		default:
			sure = append(sure, line)
		}
	}
	slices.SortStableFunc(doubtful, func(a, b *document.Line) int { return cmp.Compare(lowestConfidence(a), lowestConfidence(b)) })
	return doubtful, sure
}

// lowestConfidence returns the lowest confidence of a word of the line.
func lowestConfidence(line *document.Line) float64 {
	least := 1.0
	for _, w := range line.Words {
		least = min(least, w.Confidence)
	}
	return least
}

// knowledge returns what the vote knows about the page and its language.
func (p *page) knowledge() (*correct.Knowledge, error) {
	k := &correct.Knowledge{Known: p.wordLists(), Seen: map[string]int{}, LongS: correct.ShowsLongS(p.read.Blocks)}
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

package reading

import (
	"cmp"
	"context"
	"math"
	"slices"

	"uncial/impl/ocr/correct"
	"uncial/impl/ocr/imaging"
	"uncial/impl/ocr/tesseract"
	"uncial/internal/document"
)

// voter is a way to read a line of print again.
type voter struct {
	mode   tesseract.Mode
	factor float64 // by which the size is changed
	margin float64 // around the line, in heights of it
	thin   bool    // with thinner strokes
}

// voters read with the model that read the page. Of the ways tried, these find the most corrections for their time; see experiments.md.
var voters = []voter{
	{mode: tesseract.SingleLine, factor: 0.7, margin: 0.25},
	{mode: tesseract.SingleLine, factor: 0.5, margin: 0.25},
	{mode: tesseract.RawLine, factor: 1, margin: 0.125, thin: true},
	{mode: tesseract.RawLine, factor: 1, margin: 0.375},
}

// vote reads the doubtful lines of print again and corrects them by these readings, the most doubtful lines first, until its share of the
// lines is used up. It changes nothing before all of them are read.
func vote(ctx context.Context, p *page) error {
	lines := doubtfulLines(p.read.Blocks)
	lines = lines[:min(len(lines), p.mostVotes())]
	if len(lines) == 0 {
		return nil
	}
	knowledge, err := p.knowledge()
	if err != nil {
		return err
	}
	readings := make([][][]document.Word, len(lines))
	for i, line := range lines {
		if readings[i], err = p.readAgain(ctx, line); err != nil {
			return err
		}
	}
	for i, line := range lines {
		if p.options.Candidates != nil {
			p.options.Candidates(line.Words, knowledge.Candidates(line.Words, readings[i]))
		}
		p.edits = append(p.edits, knowledge.Vote(line, readings[i])...)
	}
	return nil
}

// doubtfulLines returns the lines of print with a word that is in doubt, the most doubtful first.
func doubtfulLines(blocks []document.Block) []*document.Line {
	var lines []*document.Line
	for line := range document.Lines(blocks) {
		if !line.Handwritten && leastSure(line) < sureVote {
			lines = append(lines, line)
		}
	}
	slices.SortStableFunc(lines, func(a, b *document.Line) int { return cmp.Compare(leastSure(a), leastSure(b)) })
	return lines
}

// leastSure returns the confidence of the word of a line that is least sure.
func leastSure(line *document.Line) float64 {
	least := 1.0
	for _, w := range line.Words {
		least = min(least, w.Confidence)
	}
	return least
}

// mostVotes returns how many lines are read again: so many that the page costs at most twice its first readings.
func (p *page) mostVotes() int {
	lines := 0
	for _, a := range p.attempts {
		for range document.Lines(a.raw) {
			lines++
		}
	}
	return int(math.Ceil(voteShare * float64(lines)))
}

// readAgain reads a line in each of the ways. Words have boxes on the page and calibrated confidences.
func (p *page) readAgain(ctx context.Context, line *document.Line) ([][]document.Word, error) {
	readings := make([][]document.Word, len(voters))
	for i, v := range voters {
		blocks, err := p.readBy(ctx, v, p.sheet.boxOnSheet(document.WordsBox(line.Words)))
		if err != nil {
			return nil, err
		}
		calibrate(blocks)
		for w := range document.Words(blocks) {
			readings[i] = append(readings[i], *w)
		}
	}
	return readings, nil
}

// readBy reads a box of the sheet as one line. It returns nothing for a box outside of the sheet.
func (p *page) readBy(ctx context.Context, v voter, box document.Box) ([]document.Block, error) {
	margin := max(int(v.margin*float64(box.H)), minLineMargin)
	area := toRectangle(box).Inset(-margin).Intersect(p.sheet.img.Rect)
	if area.Empty() {
		return nil, nil
	}
	src := p.src
	if factor := v.factor * max(p.sheet.enlargement, 1); factor != 1 {
		src = resizing{src, factor}
	}
	img := imaging.Crop(p.sheet.img, area)
	if v.thin {
		img = imaging.Thin(img)
	}
	blocks, err := src.Read(ctx, img, 0, p.attempts[0].model, v.mode)
	return p.sheet.onPage(movedBy(blocks, area.Min)), err
}

// knowledge returns what the vote knows of the page and its language.
func (p *page) knowledge() (*correct.Knowledge, error) {
	k := &correct.Knowledge{Known: p.wordLists(), Seen: map[string]int{}}
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

// Likelihood returns a function for the logarithm of the probability of a line in French, English or Latin, in small letters and in the
// spelling of any time.
func (e *Engines) Likelihood() (func(string) float64, error) {
	if err := e.hands.loadLanguage(); err != nil {
		return nil, err
	}
	return e.hands.language.Likelihood, nil
}

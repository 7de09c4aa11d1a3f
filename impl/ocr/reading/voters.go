package reading

import (
	"cmp"
	"context"
	"math"

	"uncial/impl/ocr/correct"
	"uncial/impl/ocr/imaging"
	"uncial/impl/ocr/tesseract"
	"uncial/internal/document"
)

// voter is one way of reading a line of print again.
type voter struct {
	mode   tesseract.Mode
	factor float64 // by which the line is scaled
	margin float64 // around the line, in heights of the line
	thin   bool    // whether strokes are made thinner; see imaging.Thin
}

// firstVoter reads all lines for which there is time; otherVoters read only the lines that firstVoter reads differently from
// the page. Each voter uses the model that read the page. Of the ways tried, these find the most corrections for their time;
// see experiments.md.
var (
	firstVoter  = voter{mode: tesseract.SingleLine, factor: 0.5, margin: 0.25}
	otherVoters = []voter{
		{mode: tesseract.SingleLine, factor: 0.7, margin: 0.25},
		{mode: tesseract.RawLine, factor: 1, margin: 0.125, thin: true},
		{mode: tesseract.RawLine, factor: 1, margin: 0.375},
	}
)

// readAllAgain reads lines, sorted from the most to the least doubtful, again until maxVotes is reached. It returns the
// readings of each line.
func (p *page) readAllAgain(ctx context.Context, lines []*document.Line, k *correct.Knowledge) ([]correct.Readings, error) {
	readings := make([]correct.Readings, len(lines))
	other := p.otherLines()
	for i, line := range lines {
		readings[i].Other = wordsNear(other, line)
	}
	read := func(i int, ways ...voter) error {
		for _, v := range ways {
			words, err := p.readBy(ctx, v, lines[i])
			if err != nil {
				return err
			}
			p.inOwnLetters(words)
			readings[i].Again = append(readings[i].Again, words)
		}
		return nil
	}
	left := p.maxVotes()
	var differ []int
	for i := 0; i < len(lines) && left > 0; i++ {
		if err := read(i, firstVoter); err != nil {
			return nil, err
		}
		if left--; k.Differs(lines[i].Words, readings[i].Again[0]) {
			differ = append(differ, i)
		}
	}
	if err := p.addNetwork(ctx, lines, readings); err != nil {
		return nil, err
	}
	for _, i := range differ[:min(len(differ), left/len(otherVoters))] {
		if err := read(i, otherVoters...); err != nil {
			return nil, err
		}
	}
	return readings, nil
}

// addNetwork adds to the readings of the most doubtful lines what the network for print reads there, at several widths.
func (p *page) addNetwork(ctx context.Context, lines []*document.Line, readings []correct.Readings) error {
	if p.networkTrust < minNetworkTrust {
		return nil
	}
	read, err := p.readLines(ctx, lines[:min(len(lines), p.maxNetworkLines())], networkWidths...)
	if err != nil {
		return err
	}
	for _, ofWidth := range read {
		for i, words := range ofWidth {
			readings[i].Network = append(readings[i].Network, words)
		}
	}
	return nil
}

// maxNetworkLines returns the maximum number of lines that the network for print reads for the vote.
func (p *page) maxNetworkLines() int {
	return max(int(math.Ceil(networkVoteShare*float64(countLines(p.read.Blocks)))), minNetworkLines)
}

// maxVotes returns the maximum number of readings of single lines. It is in proportion to the number of lines that all earlier
// readings of the page had, so that a vote at most about doubles the processor time.
func (p *page) maxVotes() int {
	lines := 0
	for _, a := range p.attempts {
		lines += countLines(a.raw)
	}
	return max(int(math.Ceil(voteShare*float64(lines))), minVotes)
}

func countLines(blocks []document.Block) (n int) {
	for range document.Lines(blocks) {
		n++
	}
	return n
}

// readBy reads a line in one way. Words have boxes on the page and calibrated confidences. It returns no words if the line lies
// outside the sheet.
func (p *page) readBy(ctx context.Context, v voter, line *document.Line) ([]document.Word, error) {
	sheet, box := p.sheet.img, p.sheet.wordsOnSheet(line.Words)
	margin := max(int(v.margin*float64(box.H)), minLineMargin)
	area := box.Rectangle().Inset(-margin).Intersect(sheet.Rect)
	if area.Empty() {
		return nil, nil
	}
	src := p.src
	if factor := v.factor * cmp.Or(p.sheet.scale, 1); factor != 1 {
		src = resizing{src, factor}
	}
	img := imaging.Crop(sheet, area)
	if v.thin {
		img = imaging.Thin(img)
	}
	blocks, err := src.Read(ctx, img, 0, p.attempts[0].model, v.mode)
	if err != nil {
		return nil, err
	}
	blocks = p.sheet.onPage(movedBy(blocks, area.Min))
	calibrate(blocks)
	var words []document.Word
	for w := range document.Words(blocks) {
		words = append(words, *w)
	}
	return words, nil
}

// otherLines returns the lines of the second-best reading of the page, or nil if there is none.
func (p *page) otherLines() []document.Block {
	if len(p.attempts) < 2 {
		return nil
	}
	blocks := p.sheet.onPage(p.attempts[1].blocks)
	calibrate(blocks)
	return blocks
}

// wordsNear returns the words of the line of another reading that covers at least half of a line, or nil if there is none.
func wordsNear(blocks []document.Block, line *document.Line) []document.Word {
	here := document.WordsBox(line.Words).Rectangle()
	var words []document.Word
	most := imaging.Area(here) / 2
	for l := range document.Lines(blocks) {
		if n := imaging.Area(document.WordsBox(l.Words).Rectangle().Intersect(here)); n > most {
			most, words = n, l.Words
		}
	}
	return words
}

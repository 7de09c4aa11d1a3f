package mock

import (
	"math"
	"unicode/utf8"

	"uncial/internal/document"
)

// Measures of the sheet that fixtures are laid out on, A4 at 300 DPI, in pixels. The values only need to look like a page.
const (
	sheetWidth  = 2480
	sheetHeight = 3508
	sheetDPI    = 300

	marginLeft = 280
	marginTop  = 400
	charWidth  = 34
	wordGap    = 22
	lineHeight = 96 // from line to line
	wordHeight = 64
	ascent     = 50 // from the top of a word to the baseline
	blockGap   = 60
	slant      = 6 // how far a handwritten line rises from left to right
)

// Confidences of a word, 0 to 1. Noise, from 0 to 1, lowers them so that they differ from word to word. Documentation and
// the scenario low-confidence depend on them: the share of correct characters that follows from 0.1 times the best confidence
// must stay below 0.4.
const (
	wordConfidence     = 0.95
	noisePenalty       = 0.06
	handwritingPenalty = 0.08
	misreadPenalty     = 0.75 // of a word that is read wrongly
	alternativePenalty = 0.05 // of the correct word, as an alternative to the misread one
	illegibleFactor    = 0.2  // of words that are barely legible
	doubtfulOrder      = 0.6  // of a line that may be in the wrong order
)

func blankSheet() document.Page {
	return document.Page{Width: sheetWidth, Height: sheetHeight, DPI: sheetDPI}
}

// layOut returns the fixture as a page. With enhance, misread words are corrected and the edits list the corrections.
// confidenceFactor scales every confidence.
func (f *Fixture) layOut(enhance bool, confidenceFactor float64) (document.Page, []document.Edit) {
	page := blankSheet()
	var edits []document.Edit
	y := marginTop
	for _, lines := range f.blocks {
		var block document.Block
		for _, words := range lines {
			line := document.Line{Handwritten: f.Kind == handwritten}
			x := marginLeft
			for _, w := range words {
				word, edit := f.word(w, enhance, confidenceFactor)
				word.Box = document.Box{X: x, Y: y, W: charWidth * utf8.RuneCountInString(w.read), H: wordHeight}
				x += word.Box.W + wordGap
				line.Words = append(line.Words, word)
				line.Box = line.Box.Union(word.Box)
				if edit != nil {
					edit.Box = word.Box
					edits = append(edits, *edit)
				}
			}
			line.Baseline = f.baseline(line.Box)
			block.Lines = append(block.Lines, line)
			block.Box = block.Box.Union(line.Box)
			y += lineHeight
		}
		page.Blocks = append(page.Blocks, block)
		y += blockGap
	}
	page.Confidence = round(document.CorrectShare(page.Blocks))
	return page, edits
}

// weaken gives the page a weak place for each reason: the first line and the last word of the text are barely legible, the last
// line may be in the wrong order, and there is unread ink below it.
func weaken(p *document.Page) {
	first, last := &p.Blocks[0].Lines[0], &p.Blocks[len(p.Blocks)-1]
	line := &last.Lines[len(last.Lines)-1]
	for i := range first.Words {
		first.Words[i].Confidence = round(illegibleFactor * first.Words[i].Confidence)
	}
	word := &line.Words[len(line.Words)-1]
	word.Confidence = round(illegibleFactor * word.Confidence)
	unread := document.Box{X: marginLeft, Y: last.Box.Y + last.Box.H + blockGap, W: 8 * charWidth, H: wordHeight}
	p.Doubts = []document.Doubt{
		{Box: unread, Reason: document.UnreadInk, Characters: 8},
		{Box: line.Box, Reason: document.DoubtfulOrder, Confidence: doubtfulOrder, Characters: utf8.RuneCountInString(line.Text())},
	}
	p.Confidence = round(document.CorrectShare(p.Blocks))
}

// fade makes two in five words barely legible, each to a different degree, and gives them more alternatives than a document may
// list.
func fade(p *document.Page) {
	n := 0
	for _, b := range p.Blocks {
		for _, l := range b.Lines {
			for i := range l.Words {
				w := &l.Words[i]
				if i%5 != 2 && i%5 != 3 {
					continue
				}
				w.Confidence = round(illegibleFactor * w.Confidence)
				for k, ending := range endings {
					w.Alternatives = append(w.Alternatives, document.Alternative{Text: w.Text + ending, Confidence: round(w.Confidence * likeliest[(k+n)%len(likeliest)])})
				}
				n++
			}
		}
	}
	p.Confidence = round(document.CorrectShare(p.Blocks))
}

// endings turn a faded word into its alternatives, and likeliest are their shares of its confidence.
var (
	endings   = []string{"e", "s", "f", "n", "t"}
	likeliest = []float64{0.9, 0.8, 0.7, 0.6, 0.5}
)

// illustrate puts an illustration and below it a staff of music into the margin above the text.
func illustrate(p *document.Page) {
	width := sheetWidth - 2*marginLeft
	p.Graphics = []document.Graphic{
		{Box: document.Box{X: marginLeft, Y: blockGap, W: width / 2, H: marginTop/2 - blockGap}, Kind: document.Illustration},
		{Box: document.Box{X: marginLeft, Y: marginTop/2 + blockGap, W: width, H: marginTop/2 - 2*blockGap}, Kind: document.Music},
	}
}

// word returns the word as it is read, and its correction or nil. The product is converted before it is subtracted:
// a processor with fused multiply-add would otherwise round differently and give other bytes.
func (f *Fixture) word(w fixtureWord, enhance bool, confidenceFactor float64) (document.Word, *document.Edit) {
	confidence := wordConfidence - float64(noisePenalty*w.noise)
	if f.Kind == handwritten {
		confidence -= handwritingPenalty
	}
	if w.rule != "" && !enhance {
		confidence -= misreadPenalty
	}
	word := document.Word{Text: w.read, Confidence: round(confidenceFactor * confidence), Model: f.model()}
	if w.rule == "" {
		return word, nil
	}
	if !enhance {
		word.Alternatives = []document.Alternative{{Text: w.right, Confidence: round(confidenceFactor * (confidence - alternativePenalty))}}
		return word, nil
	}
	word.Text = w.right
	return word, &document.Edit{Before: w.read, After: w.right, Rule: w.rule, Confidence: word.Confidence}
}

// baseline returns the baseline of a line: level for print, rising for handwriting, so that clients also see baselines that are
// not parallel to an edge of the box.
func (f *Fixture) baseline(line document.Box) []document.Point {
	rise := 0
	if f.Kind == handwritten {
		rise = slant
	}
	return []document.Point{{X: line.X, Y: line.Y + ascent + rise}, {X: line.X + line.W, Y: line.Y + ascent}}
}

// round keeps four decimals, as answers do, so that the edits of a document and those of its answer are equal.
func round(f float64) float64 { return math.Round(f*10_000) / 10_000 }

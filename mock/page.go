package mock

import (
	"math"
	"unicode/utf8"

	"uncial/internal/document"
)

// The sheet that fixtures are laid out on: A4 at 300 DPI. All measures are pixels.
const (
	sheetWidth  = 2480
	sheetHeight = 3508
	sheetDPI    = 300

	marginLeft = 280
	marginTop  = 400
	advance    = 34 // of a character
	blank      = 22 // between words
	leading    = 96 // from line to line
	wordHeight = 64
	ascent     = 50 // from the top of a word to the baseline
	blockGap   = 60
	slant      = 6 // how far a line of handwriting rises
)

// blankSheet is a page without text.
func blankSheet() document.Page {
	return document.Page{Width: sheetWidth, Height: sheetHeight, DPI: sheetDPI}
}

// layOut puts the fixture on a sheet as it is read. Enhancing mends the words that were read wrongly, and says so.
func (f *Fixture) layOut(enhance bool, sureness float64) (document.Page, []document.Edit) {
	page := blankSheet()
	var edits []document.Edit
	y := marginTop
	for _, lines := range f.blocks {
		var block document.Block
		for _, words := range lines {
			line := document.Line{Handwritten: f.Kind == handwritten}
			x := marginLeft
			for _, w := range words {
				word, edit := f.word(w, enhance, sureness)
				word.Box = document.Box{X: x, Y: y, W: advance * utf8.RuneCountInString(w.read), H: wordHeight}
				x += word.Box.W + blank
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
			y += leading
		}
		page.Blocks = append(page.Blocks, block)
		y += blockGap
	}
	page.Confidence = meanConfidence([]document.Page{page})
	return page, edits
}

// word is how a word of the fixture is read, and what the enhancement changed about it. Products are converted before
// they are added, here and below: some processors would else round once for both, and answer with other bytes.
func (f *Fixture) word(w fixtureWord, enhance bool, sureness float64) (document.Word, *document.Edit) {
	sure := 0.95 - float64(0.06*w.noise)
	if f.Kind == handwritten {
		sure -= 0.08
	}
	if w.rule != "" && !enhance {
		sure -= 0.4
	}
	word := document.Word{Text: w.read, Confidence: round(sureness * sure)}
	if w.rule == "" || !enhance {
		return word, nil
	}
	word.Text = w.right
	return word, &document.Edit{Before: w.read, After: w.right, Rule: w.rule, Confidence: word.Confidence}
}

func (f *Fixture) baseline(line document.Box) []document.Point {
	rise := 0
	if f.Kind == handwritten {
		rise = slant
	}
	return []document.Point{{X: line.X, Y: line.Y + ascent + rise}, {X: line.X + line.W, Y: line.Y + ascent}}
}

// meanConfidence is the mean over all characters, 0 where there are none.
func meanConfidence(pages []document.Page) float64 {
	var sum, characters float64
	for _, p := range pages {
		for _, b := range p.Blocks {
			for _, l := range b.Lines {
				for _, w := range l.Words {
					n := float64(utf8.RuneCountInString(w.Text))
					sum, characters = sum+float64(n*w.Confidence), characters+n
				}
			}
		}
	}
	if characters == 0 {
		return 0
	}
	return round(sum / characters)
}

// round keeps four decimals.
func round(f float64) float64 { return math.Round(f*10_000) / 10_000 }

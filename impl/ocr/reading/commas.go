package reading

import (
	"image"
	"slices"
	"strings"

	"uncial/impl/ocr/imaging"
	"uncial/internal/document"
)

// dropFalseMarks drops the commas that the network for print added to words of a line where there is no ink: it expects
// them at some wide blanks. had are the words before, and ink the components of ink.
func (p *page) dropFalseMarks(line *document.Line, had []document.Word, ink boxIndex) {
	for i := range line.Words {
		w := &line.Words[i]
		bare, isMarked := strings.CutSuffix(w.Text, ",")
		if !isMarked {
			continue
		}
		j := slices.IndexFunc(had, func(h document.Word) bool {
			return h.Text == bare && h.Box.X < w.Box.Right() && w.Box.X < h.Box.Right()
		})
		if j >= 0 && p.isBlankAfter(had[j].Box, ink) {
			*w = had[j]
		}
	}
}

// isBlankAfter reports whether there is no ink between the last letter of a word and the next letter of its line, where a comma
// may be. It reports false if a comma may touch the letter, or the letter is not known.
func (p *page) isBlankAfter(word document.Box, ink boxIndex) bool {
	h := float64(p.sheet.letterHeight)
	isLetter := func(r image.Rectangle) bool { return float64(r.Dy()) >= minMarkedLetter*h }
	var last image.Rectangle
	var feet []float64
	ink.near(word.Rectangle(), func(r image.Rectangle) {
		if imaging.Middle(r).In(word.Rectangle()) && isLetter(r) {
			feet = append(feet, float64(r.Max.Y))
			if r.Max.X > last.Max.X {
				last = r
			}
		}
	})
	if last.Empty() {
		return false
	}
	slices.Sort(feet)
	baseline := feet[len(feet)/2]
	if float64(last.Max.Y) > baseline+maxMarkedDescent*h {
		return false
	}
	end := last.Max.X + int(markReach*h)
	ink.near(word.Rectangle(), func(r image.Rectangle) {
		if r.Min.X >= last.Max.X && isLetter(r) && shareRow(r, last) {
			end = min(end, r.Min.X)
		}
	})
	img := p.sheet.unlevelled
	area := image.Rectangle{image.Pt(last.Max.X+1, int(baseline-markRise*h)), image.Pt(end, int(baseline+markDescent*h))}.Intersect(img.Rect)
	limit := (int(darkest(img, last)) + 255) / 2 // for pale ink too
	dark := 0
	for y := area.Min.Y; y < area.Max.Y; y++ {
		for _, v := range img.Pix[img.PixOffset(area.Min.X, y):img.PixOffset(area.Max.X, y)] {
			if int(v) < limit {
				dark++
			}
		}
	}
	return !area.Empty() && float64(dark) < minMarkInk*h*h
}

// darkest returns the darkest grey in a box of an image, or white outside it.
func darkest(g *image.Gray, box image.Rectangle) uint8 {
	box = box.Intersect(g.Rect)
	least := uint8(255)
	for y := box.Min.Y; y < box.Max.Y; y++ {
		least = min(least, slices.Min(g.Pix[g.PixOffset(box.Min.X, y):g.PixOffset(box.Max.X, y)]))
	}
	return least
}

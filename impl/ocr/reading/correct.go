package reading

import (
	"context"
	"image"
	"slices"

	"uncial/impl/ocr"
	"uncial/impl/ocr/correct"
	"uncial/impl/ocr/imaging"
	"uncial/impl/ocr/tesseract"
	"uncial/internal/document"
)

// A further reading is made by the same model from the page at another size: large letters smaller, small ones larger.
// It errs in other places than the first, and costs less than another model. Of the factors tried on the shared pages
// (0.7, 0.85, 1.3, 1.5, and a binarized page) 0.7 put most words right for each that it put wrong, where letters were
// large enough to bear it.
const (
	smaller = 0.7
	larger  = 1.3
	// largeLines is the median height of lines, in pixels, from which on their letters are large enough.
	largeLines = 36
)

// correct runs the offline enhancement on the blocks, which are those of the first reading in their place on the page
// and calibrated. It changes them and returns the edits.
func correctPrint(src Source, s sheet, attempts []attempt, model string, blocks []document.Block) []document.Edit {
	var others [][]document.Block
	for _, a := range attempts[1:] {
		other := s.place(a.blocks)
		calibrate(other)
		others = append(others, other)
	}
	known := knownTo(src, model, attempts[0].model)
	edits := correct.Vote(blocks, others, known)
	edits = append(edits, correct.LongS(blocks, known)...)
	markKnown(blocks, known)
	return edits
}

// markKnown says of each word of print whether a list has it, for those who correct it elsewhere and have none.
func markKnown(blocks []document.Block, known correct.Lexicon) {
	for i := range blocks {
		for j := range blocks[i].Lines {
			line := &blocks[i].Lines[j]
			for k := range line.Words {
				line.Words[k].Known = line.Words[k].Known || !line.Handwritten && known.Known(line.Words[k].Text)
			}
		}
	}
}

// resized reads the sheet at another size. The blocks are in the coordinates of the sheet.
func resized(ctx context.Context, src Source, s sheet, first attempt) (attempt, error) {
	factor, model := larger, first.model
	if lineHeight(first.blocks) >= largeLines {
		factor = smaller
	}
	size := s.img.Rect.Size()
	w, h := int(float64(size.X)*factor), int(float64(size.Y)*factor)
	if w < 1 || h < 1 || w > tesseract.MaxSide || h > tesseract.MaxSide || w*h > ocr.MaxPixels {
		return attempt{model: model}, nil
	}
	a, err := read(ctx, src, imaging.Resize(s.img, w, h), model)
	if err != nil {
		return attempt{}, err
	}
	a.blocks = rescaled(a.blocks, size, image.Pt(w, h))
	return a, nil
}

// rescaled are the blocks of an image in the coordinates of another that shows the same at another size. It copies.
func rescaled(blocks []document.Block, to, from image.Point) []document.Block {
	blocks = sheet{}.place(blocks)
	for i := range blocks {
		for j := range blocks[i].Lines {
			line := &blocks[i].Lines[j]
			for k := range line.Words {
				line.Words[k].Box = scaled(line.Words[k].Box, to, from)
			}
			for k, p := range line.Baseline {
				line.Baseline[k] = document.Point{X: p.X * to.X / from.X, Y: p.Y * to.Y / from.Y}
			}
			line.Box = wordsBox(line.Words)
		}
		blocks[i] = blockOf(blocks[i].Lines)
	}
	return blocks
}

// lineHeight is the median height of lines, 0 where there are none.
func lineHeight(blocks []document.Block) int {
	var heights []int
	for _, b := range blocks {
		for _, l := range b.Lines {
			heights = append(heights, l.Box.H)
		}
	}
	if len(heights) == 0 {
		return 0
	}
	slices.Sort(heights)
	return heights[len(heights)/2]
}

func scaled(b document.Box, to, from image.Point) document.Box {
	x, y := b.X*to.X/from.X, b.Y*to.Y/from.Y
	return document.Box{X: x, Y: y, W: (b.X+b.W)*to.X/from.X - x, H: (b.Y+b.H)*to.Y/from.Y - y}
}

// knownTo are the word lists of models.
func knownTo(src Source, models ...string) correct.Lexicons {
	var known correct.Lexicons
	for i, m := range models {
		if l := src.Lexicon(m); l != nil && (i == 0 || m != models[0]) {
			known = append(known, l)
		}
	}
	return known
}

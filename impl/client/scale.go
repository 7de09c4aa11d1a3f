package client

import (
	"math"
	"slices"

	"uncial/gen"
	"uncial/impl/volume"
	"uncial/internal/document"
)

// mapPage changes a page that was read from a copy as if it had been read from the master. Both sizes are upright as the file
// says; the page may have been turned further while it was read.
func mapPage(p *document.Page, master, sent volume.Size) {
	x, y := factors(p.Rotation, master, sent)
	p.Width, p.Height = scaleSide(p.Width, x), scaleSide(p.Height, y)
	p.DPI = scaleSide(p.DPI, x)
	for i := range p.Graphics {
		p.Graphics[i].Box = mapBox(p.Graphics[i].Box, x, y)
	}
	for i := range p.Blocks {
		block := &p.Blocks[i]
		block.Box = mapBox(block.Box, x, y)
		for j := range block.Lines {
			line := &block.Lines[j]
			line.Box = mapBox(line.Box, x, y)
			for k, point := range line.Baseline {
				line.Baseline[k] = document.Point{X: scaleSide(point.X, x), Y: scaleSide(point.Y, y)}
			}
			for k := range line.Words {
				line.Words[k].Box = mapBox(line.Words[k].Box, x, y)
			}
		}
	}
}

// mapAnswer replaces the boxes of an answer with those in the master. The lists are copied.
func mapAnswer(answer *gen.Extraction, master, sent volume.Size) {
	if answer.Edits != nil {
		edits := slices.Clone(*answer.Edits)
		for i := range edits {
			edits[i].Box = mapWireBox(edits[i].Box, 0, master, sent)
		}
		answer.Edits = &edits
	}
	if answer.Weak != nil {
		places := slices.Clone(*answer.Weak)
		for i := range places {
			rotation := 0
			if places[i].Rotation != nil {
				rotation = int(*places[i].Rotation)
			}
			places[i].Box = mapWireBox(places[i].Box, rotation, master, sent)
		}
		answer.Weak = &places
	}
}

func mapWireBox(b gen.Box, rotation int, master, sent volume.Size) gen.Box {
	x, y := factors(rotation, master, sent)
	box := mapBox(document.Box{X: int(b.X), Y: int(b.Y), W: int(b.Width), H: int(b.Height)}, x, y)
	return gen.Box{X: int64(box.X), Y: int64(box.Y), Width: int64(box.W), Height: int64(box.H)}
}

// factors returns how much larger the master is than the copy, along the width and the height of a page that was turned by
// rotation degrees.
func factors(rotation int, master, sent volume.Size) (x, y float64) {
	x, y = float64(master.Width)/float64(sent.Width), float64(master.Height)/float64(sent.Height)
	if rotation%180 != 0 {
		x, y = y, x
	}
	return x, y
}

// mapBox scales the edges of a box, so that boxes that touch still do. A box keeps at least one pixel.
func mapBox(b document.Box, x, y float64) document.Box {
	left, top := scaleSide(b.X, x), scaleSide(b.Y, y)
	return document.Box{
		X: left, Y: top, W: max(1, scaleSide(b.X+b.W, x)-left), H: max(1, scaleSide(b.Y+b.H, y)-top),
	}
}

func scaleSide(n int, by float64) int { return int(math.Round(float64(n) * by)) }

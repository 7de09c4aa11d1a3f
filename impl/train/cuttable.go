package train

import (
	"math"

	"uncial/impl/groundtruth"
	"uncial/impl/ocr/pipe"
)

// cuttableLines returns the lines of a page that can be cut, and the request that cuts them, in the same order.
func cuttableLines(p groundtruth.Page) ([]groundtruth.Line, *pipe.Cut) {
	var lines []groundtruth.Line
	c := &pipe.Cut{Width: p.Width, Height: p.Height}
	for _, l := range p.Lines {
		if up, down, ok := l.Heights(); ok {
			lines = append(lines, l)
			c.Lines = append(c.Lines, band(l, up, down))
		}
	}
	return lines, c
}

// band returns where a line is to be cut: along its baseline, between the ends of its polygon, from up pixels above it to
// down pixels below it.
func band(l groundtruth.Line, up, down float64) pipe.Band {
	b := pipe.Band{X0: math.Inf(1), X1: math.Inf(-1), Up: up, Down: down}
	for _, p := range l.Polygon {
		b.X0, b.X1 = min(b.X0, p.X), max(b.X1, p.X)
	}
	for _, p := range l.Baseline {
		b.Baseline = append(b.Baseline, p.X, p.Y)
	}
	return b
}

package train

import (
	"math"

	"uncial/impl/groundtruth"
	"uncial/impl/ocr/pipe"
)

// The maximum size of a request. The lines of a large page are cut with several.
const (
	// maxCutLines is the maximum number of its lines: strips have up to 8,000 columns, of which an answer has room for
	// pipe.MaxColumns.
	maxCutLines = 150
	// maxCutPoints is the maximum number of points of its baselines: a point has up to 50 bytes, and a request up to 8 MiB.
	maxCutPoints = 100_000
)

// request cuts some of the lines of a page. cut has them in the order of lines.
type request struct {
	lines []groundtruth.Line
	cut   *pipe.Cut
}

// cuttableLines returns the requests that cut those lines of a page that can be cut, in their order.
func cuttableLines(p groundtruth.Page) []request {
	var out []request
	points := 0 // of the last request
	for _, l := range p.Lines {
		up, down, ok := l.Heights()
		if !ok || len(l.Baseline) > maxCutPoints {
			continue
		}
		if points += len(l.Baseline); len(out) == 0 || len(out[len(out)-1].lines) == maxCutLines || points > maxCutPoints {
			out = append(out, request{cut: &pipe.Cut{Width: p.Width, Height: p.Height}})
			points = len(l.Baseline)
		}
		last := &out[len(out)-1]
		last.lines = append(last.lines, l)
		last.cut.Lines = append(last.cut.Lines, band(l, up, down))
	}
	return out
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

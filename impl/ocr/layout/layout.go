// Package layout finds the lines of handwriting on a page, their regions, baselines and reading order, from the grey image
// alone, and cuts each line out as a straight strip for a recognizer. For print, it corrects the reading order of the lines
// that another layout analysis found (JoinTornLines, Sequence.Insert), and divides pages at rules and gutters (Rules, Regions).
//
// A network (package neural) predicts for each point of a page whether a baseline passes there, whether a line begins or ends
// there, and how far its ink reaches above and below. The ridges of the baseline map are traced into paths; paths that are not
// writing on the page are dropped, and the others are ordered.
//
// It does not read the strips: package hand passes them to a recognizer. Start with Finder.Find; thresholds.go has every number
// that was tuned.
package layout

import (
	"image"
	"math"

	"uncial/impl/ocr/imaging"
	"uncial/internal/document"
)

// Page holds the lines of one page.
type Page struct {
	// Blocks holds the lines in reading order. A block is a column, a note in the margin, or a table.
	Blocks [][]Line
}

// Line is one line of writing, as the network found it.
type Line struct {
	path path
	part *part
}

// part is the page, or one of the columns between its rules, in which paths were found.
type part struct {
	height float64 // the usual height of a line, in pixels of the page
	scale  float64 // pixels of the page per pixel of the paths
	source source
}

// inkOf returns the ink of a page at the working size, and the factor by which the page was shrunk. It reports false if the
// page is too small.
func inkOf(g *image.Gray) (imaging.Plane, float64, bool) {
	scale := workScale(g.Rect.Dx(), g.Rect.Dy())
	w, h := int(float64(g.Rect.Dx())/scale), int(float64(g.Rect.Dy())/scale)
	if w < minSide || h < minSide {
		return imaging.Plane{}, 0, false
	}
	return inkMap(imaging.ToPlane(g, w, h)), scale, true
}

// workScale returns the factor by which a page of that size shrinks, at least 1.
func workScale(w, h int) float64 {
	scale := float64(h) / workHeight
	if pixels := float64(w) * float64(h); pixels > workPixels*scale*scale {
		scale = math.Sqrt(pixels / workPixels)
	}
	return max(scale, 1)
}

// blocks returns the paths as blocks of lines, in reading order.
func (p *part) blocks(all []path, height float64) [][]Line {
	var blocks [][]Line
	for _, column := range columns(all, height) {
		block := make([]Line, len(column))
		for i, line := range column {
			block[i] = Line{line, p}
		}
		if len(block) > 0 {
			blocks = append(blocks, block)
		}
	}
	return blocks
}

// Only returns a page with the lines whose box satisfies keep, in their reading order: lines of other columns can hide which of
// them are in a row.
func (p *Page) Only(keep func(line document.Box) bool) *Page {
	var parts []*part
	paths := map[*part][]path{}
	for _, l := range p.Lines() {
		if !keep(l.Box()) {
			continue
		}
		if paths[l.part] == nil {
			parts = append(parts, l.part)
		}
		paths[l.part] = append(paths[l.part], l.path)
	}
	out := &Page{}
	for _, p := range parts {
		out.Blocks = append(out.Blocks, p.blocks(paths[p], p.height/p.scale)...)
	}
	return out
}

// Lines returns the lines of all blocks in reading order.
func (p *Page) Lines() []Line {
	var all []Line
	for _, b := range p.Blocks {
		all = append(all, b...)
	}
	return all
}

// Length returns the length of the line, in pixels of the network's maps.
func (l Line) Length() int { return l.path.width() }

// Spots returns the boxes of the spots of ink in pixels of the page, whose bounds begin at (0, 0), without specks and rules. It
// compares each pixel with the paper around it; imaging.Spots, which uses one threshold for the whole page, loses faint ink on
// a page with black ink.
func Spots(g *image.Gray) []image.Rectangle {
	ink, scale, ok := inkOf(g)
	if !ok {
		return nil
	}
	dropRules(ink)
	var out []image.Rectangle
	for _, b := range imaging.ComponentBoxes(ink.H, imaging.Edges, above(ink, solidInk)) {
		if w, h := b.Dx(), b.Dy(); h >= minSpot && w >= narrowestSpot && max(w, h) <= longestSpot*min(w, h) {
			out = append(out, scaled(b, scale))
		}
	}
	return out
}

// above returns a function that yields the runs of a row in which a plane exceeds a limit.
func above(p imaging.Plane, limit float32) func(y int) imaging.RunSeq {
	return func(y int) imaging.RunSeq {
		row := p.Row(y)
		return imaging.Runs(p.W, 1, func(x int) bool { return row[x] > limit })
	}
}

// scaled multiplies the edges by scale, rounded to the nearest pixel.
func scaled(r image.Rectangle, scale float64) image.Rectangle {
	f := func(v int) int { return int(math.Round(float64(v) * scale)) }
	return image.Rect(f(r.Min.X), f(r.Min.Y), f(r.Max.X), f(r.Max.Y))
}

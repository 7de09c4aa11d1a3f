package document

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Normalized is a copy in which everything holds that this package's types promise, whatever the reader produced:
// words are NFC without white space or control characters, nothing is empty, boxes lie inside the page and hold what
// is inside them, baselines run through the boxes of their lines, and confidences are between 0 and 1. A word with white
// space inside becomes several that share its box; what has no text left is dropped. A document that keeps the promises
// already is unchanged.
func (d *Document) Normalized() *Document {
	n := *d
	n.Confidence = unit(d.Confidence)
	n.Pages = make([]Page, len(d.Pages))
	for i := range d.Pages {
		n.Pages[i] = d.Pages[i].normalized()
	}
	n.Edits = nil
	for _, e := range d.Edits {
		if e.Page < 0 || e.Page >= len(n.Pages) {
			continue
		}
		e.Box = e.Box.Clip(n.Pages[e.Page].Width, n.Pages[e.Page].Height)
		e.Before, e.After = phrase(e.Before), phrase(e.After)
		e.Confidence = unit(e.Confidence)
		n.Edits = append(n.Edits, e)
	}
	return &n
}

func (p *Page) normalized() Page {
	n := *p
	n.Width, n.Height = max(p.Width, 1), max(p.Height, 1)
	n.DPI = max(p.DPI, 0)
	n.Confidence = unit(p.Confidence)
	n.Blocks = make([]Block, 0, len(p.Blocks))
	for i := range p.Blocks {
		b := Block{Lines: make([]Line, 0, len(p.Blocks[i].Lines))}
		b.Box = p.Blocks[i].Box.within(n.Width, n.Height)
		for j := range p.Blocks[i].Lines {
			l := p.Blocks[i].Lines[j].normalized(n.Width, n.Height)
			if len(l.Words) > 0 {
				b.Lines = append(b.Lines, l)
				b.Box = b.Box.Union(l.Box)
			}
		}
		if len(b.Lines) > 0 {
			n.Blocks = append(n.Blocks, b)
		}
	}
	return n
}

func (l *Line) normalized(width, height int) Line {
	n := *l
	n.Box = l.Box.within(width, height)
	n.Words = make([]Word, 0, len(l.Words))
	for _, w := range l.Words {
		w.Box = w.Box.Clip(width, height)
		w.Confidence = unit(w.Confidence)
		for piece := range strings.FieldsSeq(w.Text) {
			if w.Text = clean(piece); w.Text != "" {
				n.Words = append(n.Words, w)
				n.Box = n.Box.Union(w.Box)
			}
		}
	}
	n.Baseline = n.Box.baseline(l.Baseline)
	return n
}

// baseline is the part of a baseline that runs through the box, from left to right; nil where none does. What lies above
// or below is moved to the edge.
func (b Box) baseline(points []Point) []Point {
	points = slices.SortedStableFunc(slices.Values(points), func(p, q Point) int { return cmp.Compare(p.X, q.X) })
	left, right := b.X, b.X+b.W
	var inside []Point
	for i, p := range points {
		if i > 0 {
			for _, edge := range [2]int{left, right} {
				if o := points[i-1]; o.X < edge && edge < p.X {
					inside = append(inside, Point{edge, o.Y + int(math.Round(float64(p.Y-o.Y)*float64(edge-o.X)/float64(p.X-o.X)))})
				}
			}
		}
		if left <= p.X && p.X <= right {
			inside = append(inside, p)
		}
	}
	if len(inside) < 2 {
		return nil
	}
	for i, p := range inside {
		inside[i].Y = min(max(p.Y, b.Y), b.Y+b.H)
	}
	return inside
}

// within is the part of the box that lies on a page of w x h pixels, or no box at all.
func (b Box) within(w, h int) Box {
	if b.W <= 0 || b.H <= 0 || b.X >= w || b.Y >= h || b.X+b.W <= 0 || b.Y+b.H <= 0 {
		return Box{}
	}
	return b.Clip(w, h)
}

// WordText is the text of one word as a recognizer wrote it, brought to what Word promises: without white space, and as
// Normalized would leave it. Bytes that are not UTF-8, and the U+FFFD that stands for such, are left out. It may be empty.
func WordText(s string) string {
	return clean(strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) || r == utf8.RuneError {
			return -1
		}
		return r
	}, s))
}

// phrase is clean words with one blank between them, as an edit holds that joins or parts words.
func phrase(s string) string {
	words := strings.Fields(s)
	for i, w := range words {
		words[i] = clean(w)
	}
	return strings.Join(strings.Fields(strings.Join(words, " ")), " ")
}

// clean is the text in NFC without what no text format may carry: control characters, noncharacters and bytes that
// are not UTF-8, which become U+FFFD.
func clean(s string) string {
	s = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || r&0xFFFE == 0xFFFE || (r >= 0xFDD0 && r <= 0xFDEF) {
			return -1
		}
		return r
	}, strings.ToValidUTF8(s, "\uFFFD"))
	return norm.NFC.String(s)
}

// unit brings a confidence between 0 and 1; what is not a number is 0.
func unit(c float64) float64 {
	if math.IsNaN(c) {
		return 0
	}
	return min(max(c, 0), 1)
}

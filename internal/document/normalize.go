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

// Normalized returns a copy that keeps every promise of this package's types, whatever the recognizer produced: words are
// NFC without white space and control characters, nothing is empty, boxes lie on the page and contain their parts,
// baselines lie in the boxes of their lines, and confidences are from 0 to 1. A word that contains white space becomes several
// words with the same box; words, lines and blocks without text are dropped. Valid documents are copied unchanged.
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

// normalized returns a copy whose boxes lie on the page and whose numbers are in their ranges. Lines and blocks without words
// are gone.
func (p *Page) normalized() Page {
	n := *p
	n.Width, n.Height = max(p.Width, 1), max(p.Height, 1)
	n.DPI = max(p.DPI, 0)
	n.Confidence = unit(p.Confidence)
	n.Doubts = nil
	for _, d := range p.Doubts {
		d.Box, d.Confidence, d.Characters = d.Box.Clip(n.Width, n.Height), unit(d.Confidence), max(d.Characters, 1)
		n.Doubts = append(n.Doubts, d)
	}
	n.Graphics = normalizedGraphics(p.Graphics, n.Width, n.Height)
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

// normalized returns a copy for a page of this size. A word with white space becomes several words in the same box, and words
// without characters are gone.
func (l *Line) normalized(width, height int) Line {
	n := *l
	n.Box = l.Box.within(width, height)
	n.Words = make([]Word, 0, len(l.Words))
	for _, w := range l.Words {
		w.Box = w.Box.Clip(width, height)
		w.Confidence = unit(w.Confidence)
		w.Whole = cleanWhole(w.Whole)
		w.Alternatives = cleanAlternatives(w.Alternatives)
		parts := strings.Fields(w.Text)
		if len(parts) > 1 {
			w.Alternatives = nil // they are readings of the whole
		}
		for _, text := range parts {
			if w.Text = clean(text); w.Text != "" {
				n.Words = append(n.Words, w)
				n.Box = n.Box.Union(w.Box)
			}
		}
	}
	n.Baseline = n.Box.baseline(l.Baseline)
	return n
}

// baseline returns the part of a baseline between the left and right edge of the box, or nil. Points above or below the box
// move to its edge.
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

// within returns the part of the box on a page of w x h pixels, or the zero Box.
func (b Box) within(w, h int) Box {
	if b.W <= 0 || b.H <= 0 || b.X >= w || b.Y >= h || b.X+b.W <= 0 || b.Y+b.H <= 0 {
		return Box{}
	}
	return b.Clip(w, h)
}

// WordText turns the output of a recognizer into the text of one word: without white space, and otherwise as Normalized
// would leave it. Invalid UTF-8 and U+FFFD are left out. The result may be empty.
func WordText(s string) string {
	return clean(strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) || r == utf8.RuneError {
			return -1
		}
		return r
	}, s))
}

// phrase cleans words and joins them with one space. An edit that joins or splits words has several.
func phrase(s string) string {
	words := strings.Fields(s)
	for i, w := range words {
		words[i] = clean(w)
	}
	return strings.Join(strings.Fields(strings.Join(words, " ")), " ")
}

// clean returns the text in NFC without byte order marks, control characters and noncharacters; XML and TSV cannot hold the
// latter. Invalid UTF-8 becomes U+FFFD. A soft hyphen becomes a hyphen, since it would be invisible although the page shows it.
func clean(s string) string {
	s = strings.Map(func(r rune) rune {
		if r == '\u00ad' {
			return '-'
		}
		if unicode.IsControl(r) || r == '\ufeff' || r&0xFFFE == 0xFFFE || (r >= 0xFDD0 && r <= 0xFDEF) {
			return -1
		}
		return r
	}, strings.ToValidUTF8(s, "\uFFFD"))
	return norm.NFC.String(s)
}

// cleanAlternatives returns the readings that are one word.
func cleanAlternatives(all []Alternative) []Alternative {
	var out []Alternative
	for _, a := range all {
		if fields := strings.Fields(a.Text); len(fields) == 1 && clean(fields[0]) != "" && len(out) < MaxAlternatives {
			out = append(out, Alternative{clean(fields[0]), unit(a.Confidence)})
		}
	}
	return out
}

// unit limits a confidence to 0..1; NaN becomes 0.
func unit(c float64) float64 {
	if math.IsNaN(c) {
		return 0
	}
	return min(max(c, 0), 1)
}

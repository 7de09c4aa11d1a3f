package pipe

import (
	"errors"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"uncial/impl/ocr"
	"uncial/internal/document"
)

// checkDocument holds a document to the promises of package document, so that the writers may rely on them whatever
// became of the worker.
func checkDocument(d *document.Document) error {
	switch {
	case len(d.Pages) == 0 || len(d.Pages) > ocr.MaxPages:
		return fmt.Errorf("pipe: document.pages has %d entries; want 1 to %d", len(d.Pages), ocr.MaxPages)
	case d.Language == "":
		return errors.New("pipe: document.language is empty")
	case !fraction(d.Confidence):
		return fmt.Errorf("pipe: document.confidence is %v; want 0 to 1", d.Confidence)
	case !d.Enhanced && len(d.Edits) > 0:
		return errors.New("pipe: document.edits without document.enhanced")
	}
	for i := range d.Pages {
		if err := checkPage(&d.Pages[i]); err != nil {
			return fmt.Errorf("pipe: page %d: %w", i, err)
		}
	}
	for i, e := range d.Edits {
		if e.Page < 0 || e.Page >= len(d.Pages) || e.Rule == "" || !fraction(e.Confidence) || !text(spaceless(e.Before)) || !text(spaceless(e.After)) {
			return fmt.Errorf("pipe: edit %d: want a page, a rule, a confidence of 0 to 1 and printable text", i)
		}
		if !holds(whole(&d.Pages[e.Page]), e.Box) {
			return fmt.Errorf("pipe: edit %d: its box leaves the page", i)
		}
	}
	return nil
}

func checkPage(p *document.Page) error {
	switch {
	case p.Width < 1 || p.Height < 1 || p.Width > ocr.MaxSide || p.Height > ocr.MaxSide:
		return fmt.Errorf("%d x %d pixels; want 1 to %d a side", p.Width, p.Height, ocr.MaxSide)
	case p.DPI < 0:
		return fmt.Errorf("dpi is %d; want 0 or more", p.DPI)
	case !fraction(p.Confidence):
		return fmt.Errorf("confidence is %v; want 0 to 1", p.Confidence)
	case p.Rotation != 0 && p.Rotation != 90 && p.Rotation != 180 && p.Rotation != 270:
		return fmt.Errorf("rotation is %d; want 0, 90, 180 or 270", p.Rotation)
	}
	for i := range p.Blocks {
		b := &p.Blocks[i]
		if !holds(whole(p), b.Box) || len(b.Lines) == 0 {
			return fmt.Errorf("block %d: want lines, and a box inside the page", i)
		}
		for j := range b.Lines {
			if err := checkLine(b, &b.Lines[j]); err != nil {
				return fmt.Errorf("block %d, line %d: %w", i, j, err)
			}
		}
	}
	return nil
}

func checkLine(b *document.Block, l *document.Line) error {
	if !holds(b.Box, l.Box) || len(l.Words) == 0 {
		return errors.New("want words, and a box inside that of the block")
	}
	if len(l.Baseline) == 1 {
		return errors.New("a baseline of one point; want none, or at least two")
	}
	for i, p := range l.Baseline {
		if p.X < l.Box.X || p.Y < l.Box.Y || p.X > l.Box.X+l.Box.W || p.Y > l.Box.Y+l.Box.H || i > 0 && p.X < l.Baseline[i-1].X {
			return errors.New("want a baseline inside the box of the line, from left to right")
		}
	}
	for i := range l.Words {
		w := &l.Words[i]
		if !holds(l.Box, w.Box) || !fraction(w.Confidence) || w.Text == "" || !text(w.Text) {
			return fmt.Errorf("word %d: want a box inside that of the line, a confidence of 0 to 1, and text without white space", i)
		}
	}
	return nil
}

// text is true for what a word may hold: no white space, no control characters, nothing that is not a character. That
// keeps it fit for XML as well.
func text(s string) bool {
	for _, r := range s {
		if unicode.IsSpace(r) || unicode.IsControl(r) || r == '\uFFFE' || r == '\uFFFF' {
			return false
		}
	}
	return utf8.ValidString(s)
}

// spaceless leaves the blanks out: an edit may join or part words.
func spaceless(s string) string { return strings.ReplaceAll(s, " ", "") }

func fraction(f float64) bool { return f >= 0 && f <= 1 }

func whole(p *document.Page) document.Box { return document.Box{W: p.Width, H: p.Height} }

// holds is true where inner has an area and lies inside outer. The sums cannot overflow: inner's corner is inside
// outer, which lies inside a page, before its size is added.
func holds(outer, inner document.Box) bool {
	return inner.W >= 1 && inner.H >= 1 && inner.X >= outer.X && inner.Y >= outer.Y &&
		inner.W <= outer.W && inner.H <= outer.H &&
		inner.X <= outer.X+outer.W-inner.W && inner.Y <= outer.Y+outer.H-inner.H
}

package pipe

import (
	"bytes"
	"errors"
	"fmt"
	"image/jpeg"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"uncial/impl/ocr"
	"uncial/internal/document"
	"uncial/internal/format/pdf"
	"uncial/internal/language"
)

// checkDocument checks every rule of package document, so that the writers of formats can rely on these rules even if a hostile
// image has taken over the worker. Indexes in its errors count from 0.
func checkDocument(d *document.Document) error {
	switch {
	case len(d.Pages) == 0 || len(d.Pages) > ocr.MaxPages:
		return fmt.Errorf("pipe: document.pages has %d entries; expected 1 to %d", len(d.Pages), ocr.MaxPages)
	case d.Language == "":
		return errors.New("pipe: document.language is empty")
	case !isFraction(d.Confidence):
		return fmt.Errorf("pipe: document.confidence is %v; expected 0 to 1", d.Confidence)
	case d.Proofreader != "":
		return errors.New("pipe: document.proofreader is set; a worker cannot use a language model")
	case !d.Enhanced && len(d.Edits) > 0:
		return errors.New("pipe: document.edits is set, but document.enhanced is not")
	}
	for i := range d.Pages {
		if err := checkPage(&d.Pages[i]); err != nil {
			return fmt.Errorf("pipe: page %d: %w", i, err)
		}
	}
	if len(d.Models) > maxModels {
		return fmt.Errorf("pipe: document.models has %d entries; expected at most %d", len(d.Models), maxModels)
	}
	for i, m := range d.Models {
		if m.Name == "" || !isWordText(m.Name) || !digest.MatchString(m.Digest) {
			return fmt.Errorf("pipe: model %d: expected a name without blanks, and the SHA-256 of its weights as digest", i)
		}
	}
	for i, e := range d.Edits {
		if e.Page < 0 || e.Page >= len(d.Pages) || e.Rule == "" || !isFraction(e.Confidence) ||
			!isWordText(withoutSpaces(e.Before)) || !isWordText(withoutSpaces(e.After)) {
			return fmt.Errorf("pipe: edit %d: expected a page, a rule, a confidence from 0 to 1 and printable text", i)
		}
		if !contains(pageBox(&d.Pages[e.Page]), e.Box) {
			return fmt.Errorf("pipe: edit %d: its box is not inside the page", i)
		}
	}
	return nil
}

// maxModels is the maximum number of models of a document, as in openapi.yaml. Few models read a page.
const maxModels = 64

var digest = regexp.MustCompile(`^sha256:[0-9a-f]{64}$`)

// checkAsked checks that the answer has what was requested.
func (a *Answer) checkAsked(r Request) error {
	switch {
	case a.Error != nil:
		return nil
	case (a.Strips != nil) != (r.Cut != nil), a.Strips != nil && len(a.Strips.Widths) != len(r.Cut.Lines):
		return errors.New("pipe: the answer's strips are not those that were requested")
	case a.Document != nil:
		return checkAsked(a.Document, r)
	}
	return nil
}

// tag matches the language in the answer to a request for und. Package workerpool checks that it is one of the worker's
// languages.
var tag = regexp.MustCompile(`^[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*$`)

// checkAsked checks that the document has what was requested and nothing else, so that a worker that a hostile image has taken
// over cannot answer in another language, or with corrections that were not requested.
func checkAsked(d *document.Document, r Request) error {
	switch {
	case d.Language != r.Language && (r.Language != language.Undetermined || !tag.MatchString(d.Language)):
		return fmt.Errorf("pipe: document.language is %.20q; expected %.20q", d.Language, r.Language)
	case d.Enhanced && !r.Enhance:
		return errors.New("pipe: document.enhanced without a request for it")
	}
	for i := range d.Pages {
		if (d.Pages[i].Picture != nil) != r.Picture {
			return fmt.Errorf("pipe: page %d has a picture: %t; requested: %t", i, d.Pages[i].Picture != nil, r.Picture)
		}
		if d.Pages[i].Preview != nil && !r.Preview {
			return fmt.Errorf("pipe: page %d has a preview without a request for it", i)
		}
	}
	return nil
}

// checkPage checks one page and everything on it. The error does not name the page.
func checkPage(p *document.Page) error {
	switch {
	case p.Width < 1 || p.Height < 1 || p.Width > ocr.MaxSide || p.Height > ocr.MaxSide:
		return fmt.Errorf("%d x %d pixels; expected 1 to %d per side", p.Width, p.Height, ocr.MaxSide)
	case p.DPI < 0:
		return fmt.Errorf("dpi is %d; expected 0 or more", p.DPI)
	case !isFraction(p.Confidence):
		return fmt.Errorf("confidence is %v; expected 0 to 1", p.Confidence)
	case p.Rotation != 0 && p.Rotation != 90 && p.Rotation != 180 && p.Rotation != 270:
		return fmt.Errorf("rotation is %d; expected 0, 90, 180 or 270", p.Rotation)
	}
	if err := checkPreview(p.Preview); err != nil {
		return err
	}
	if err := checkPicture(p); err != nil {
		return err
	}
	if len(p.Doubts) > document.MaxDoubts {
		return fmt.Errorf("%d doubts; expected at most %d", len(p.Doubts), document.MaxDoubts)
	}
	for i, d := range p.Doubts {
		if !contains(pageBox(p), d.Box) || !isFraction(d.Confidence) || d.Characters < 1 ||
			d.Reason != document.UnreadInk && d.Reason != document.DoubtfulOrder {
			return fmt.Errorf("doubt %d: expected a box inside the page, a confidence from 0 to 1, at least 1 character and a known reason", i)
		}
	}
	if len(p.Graphics) > document.MaxGraphics {
		return fmt.Errorf("%d graphics; expected at most %d", len(p.Graphics), document.MaxGraphics)
	}
	for i, g := range p.Graphics {
		if !contains(pageBox(p), g.Box) || !g.Kind.IsKnown() {
			return fmt.Errorf("graphic %d: expected a box inside the page and a known kind", i)
		}
	}
	return checkBlocks(p)
}

// checkBlocks checks the blocks of a page. The error names the position of the first block or line that breaks a rule.
func checkBlocks(p *document.Page) error {
	for i := range p.Blocks {
		b := &p.Blocks[i]
		if !contains(pageBox(p), b.Box) || len(b.Lines) == 0 {
			return fmt.Errorf("block %d: expected lines, and a box inside the page", i)
		}
		for j := range b.Lines {
			if err := checkLine(b, &b.Lines[j]); err != nil {
				return fmt.Errorf("block %d, line %d: %w", i, j, err)
			}
		}
	}
	return nil
}

// checkPicture checks the size and the header of a page's picture, if it has one. It does not decode the pixels: programs that
// open the PDF will.
func checkPicture(p *document.Page) error {
	switch {
	case p.Orientation < 0 || p.Orientation > 8:
		return fmt.Errorf("orientation is %d; expected 0 to 8", p.Orientation)
	case p.Picture == nil:
		return nil
	case len(p.Picture) > document.MaxPictureBytes:
		return fmt.Errorf("picture has %d bytes; expected at most %d", len(p.Picture), document.MaxPictureBytes)
	}
	return pdf.Picture{Data: p.Picture}.Check()
}

// checkPreview checks the size and the header of a page's preview, if it has one. It does not decode the pixels: the browser
// will.
func checkPreview(preview []byte) error {
	if preview == nil {
		return nil
	}
	if len(preview) > document.MaxPreviewBytes {
		return fmt.Errorf("preview has %d bytes; expected at most %d", len(preview), document.MaxPreviewBytes)
	}
	size, err := jpeg.DecodeConfig(bytes.NewReader(preview))
	if err != nil {
		return fmt.Errorf("preview: %w", err)
	}
	if max(size.Width, size.Height) > document.MaxPreviewSide {
		return fmt.Errorf("preview: %d x %d pixels; expected at most %d per side", size.Width, size.Height, document.MaxPreviewSide)
	}
	return nil
}

// checkLine checks a line and its words. Boxes must be nested: a word inside its line, and a line inside its block.
func checkLine(b *document.Block, l *document.Line) error {
	if !contains(b.Box, l.Box) || len(l.Words) == 0 {
		return errors.New("expected words, and a box inside that of the block")
	}
	if len(l.Baseline) == 1 {
		return errors.New("the baseline has one point; expected none, or at least two")
	}
	for i, p := range l.Baseline {
		if p.X < l.Box.X || p.Y < l.Box.Y || p.X > l.Box.X+l.Box.W || p.Y > l.Box.Y+l.Box.H || i > 0 && p.X < l.Baseline[i-1].X {
			return errors.New("expected a baseline inside the box of the line, from left to right")
		}
	}
	for i := range l.Words {
		w := &l.Words[i]
		if !contains(l.Box, w.Box) || !isFraction(w.Confidence) || w.Text == "" || !isWordText(w.Text) || !isWordText(w.Whole) {
			return fmt.Errorf("word %d: expected a box inside that of the line, a confidence from 0 to 1, and text without white space", i)
		}
		if len(w.Alternatives) > document.MaxAlternatives {
			return fmt.Errorf("word %d has %d alternatives; expected at most %d", i, len(w.Alternatives), document.MaxAlternatives)
		}
		for _, a := range w.Alternatives {
			if a.Text == "" || !isWordText(a.Text) || !isFraction(a.Confidence) {
				return fmt.Errorf("word %d: expected alternatives with a confidence from 0 to 1, and text without white space", i)
			}
		}
	}
	return nil
}

// isWordText reports whether s may be the text of a word: valid UTF-8 without white space, control characters and
// noncharacters. Such text is also valid in XML 1.0 (section 2.2, Char).
func isWordText(s string) bool {
	for _, r := range s {
		if unicode.IsSpace(r) || unicode.IsControl(r) || r == '\uFFFE' || r == '\uFFFF' {
			return false
		}
	}
	return utf8.ValidString(s)
}

// withoutSpaces removes the spaces from the text of an edit, which may join or split words.
func withoutSpaces(s string) string { return strings.ReplaceAll(s, " ", "") }

// isFraction reports whether f is 0 to 1. It reports false for NaN.
func isFraction(f float64) bool { return f >= 0 && f <= 1 }

func pageBox(p *document.Page) document.Box { return document.Box{W: p.Width, H: p.Height} }

// contains reports whether inner has an area and is inside outer. The sums cannot overflow, whatever a worker sent: outer is
// inside a page, and the size of inner is compared with that of outer before it is used.
func contains(outer, inner document.Box) bool {
	return inner.W >= 1 && inner.H >= 1 && inner.X >= outer.X && inner.Y >= outer.Y &&
		inner.W <= outer.W && inner.H <= outer.H &&
		inner.X <= outer.X+outer.W-inner.W && inner.Y <= outer.Y+outer.H-inner.H
}

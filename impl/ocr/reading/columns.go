package reading

import (
	"context"
	"errors"
	"image"
	"slices"

	"uncial/impl/ocr/imaging"
	"uncial/impl/ocr/layout"
	"uncial/impl/ocr/tesseract"
	"uncial/internal/document"
)

// hasLetterHeight reports whether the page has enough letters to determine their usual height.
func hasLetterHeight(p *page) bool { return p.sheet.letterHeight > 0 }

// findColumns divides the sheet at its rules and gutters. Without leaders, an index would look like a table with columns of
// numbers.
func findColumns(_ context.Context, p *page) error {
	s := &p.sheet
	marks := slices.Concat(s.marks, s.leaderMarks(), imaging.HorizontalRules(s.img, s.letterHeight))
	s.regions = layout.Regions(marks, s.letterHeight, s.img.Rect.Size(), p.rules())
	s.regions = layout.DivideAtStaves(s.regions, s.staves, s.marks, s.letterHeight, s.img.Rect.Size())
	return nil
}

// rules returns the vertical rules of the sheet. It searches for them on the page: where a rule borders on the desk behind the
// page, the sheet is white and no longer shows the rule. But if scratches were erased from the sheet, the page has more rules.
func (p *page) rules() []layout.Rule {
	if p.sheet.isScratched {
		return layout.Rules(p.sheet.img)
	}
	rules := layout.Rules(p.gray)
	for i, r := range rules {
		rules[i] = p.sheet.ruleOnSheet(r)
	}
	return rules
}

// ruleOnSheet converts a rule of the page to one of the sheet. Straightening lines does not move it sideways.
func (s sheet) ruleOnSheet(r layout.Rule) layout.Rule {
	h := float64(s.img.Rect.Dy())
	x0, y0 := s.rotated(r.Top+(r.Bottom-r.Top)/4, h/4, s.angle)
	x1, y1 := s.rotated(r.Bottom-(r.Bottom-r.Top)/4, h*3/4, s.angle)
	slope := (x1 - x0) / (y1 - y0)
	return layout.Rule{Top: x0 - slope*y0, Bottom: x0 + slope*(h-y0), Above: r.Above}
}

// joinTornLines joins the torn lines of each region.
func joinTornLines(ctx context.Context, p *page) error {
	return onReadings(p.onRegions(layout.JoinTornLines))(ctx, p)
}

// putInOrder puts the lines of each region in order.
func putInOrder(ctx context.Context, p *page) error {
	return onReadings(p.onRegions(layout.InOrder))(ctx, p)
}

// placeHeadings puts the headings in the margin before their paragraphs. It comes after all steps that work region by region,
// because the margin may be a region.
func placeHeadings(_ context.Context, p *page) error {
	p.attempts[0].blocks = layout.PlaceHeadings(p.attempts[0].blocks)
	return nil
}

// onRegions returns a function of the blocks of a reading that applies f to the blocks of each region.
func (p *page) onRegions(f func([]document.Block) []document.Block) func([]document.Block) []document.Block {
	return func(blocks []document.Block) []document.Block {
		var all []document.Block
		for _, part := range p.sheet.byRegion(blocks) {
			all = append(all, f(part)...)
		}
		return all
	}
}

// byRegion divides the blocks of a reading among the regions. A block whose centre is in no region goes to that of the previous
// block.
func (s sheet) byRegion(blocks []document.Block) [][]document.Block {
	parts := make([][]document.Block, max(len(s.regions), 1))
	at := 0
	for _, b := range blocks {
		at = s.regionAt(b.Box, at)
		parts[at] = append(parts[at], b)
	}
	return parts
}

// regionAt returns the index of the region that contains the centre of a box, or the value of otherwise if there is none.
func (s sheet) regionAt(b document.Box, otherwise int) int {
	if i := slices.IndexFunc(s.regions, func(r layout.Region) bool { return r.Holds(b.Rectangle()) }); i >= 0 {
		return i
	}
	return otherwise
}

// read reads the sheet, region by region, scaled by a factor. Boxes are in pixels of the sheet.
func (s sheet) read(ctx context.Context, src Source, model string, factor float64) (attempt, error) {
	parts := s.parts()
	found, err := make([][]document.Block, len(parts)), make([]error, len(parts))
	sources, problem := sourcesFor(src, model, parts)
	if problem != nil {
		return attempt{}, problem
	}
	inTurn(len(sources), len(parts), func(reader, part int) bool {
		mode := tesseract.Auto
		if parts[part].IsSong {
			mode = tesseract.SingleBlock
		}
		found[part], err[part] = s.readPart(ctx, sources[reader], parts[part], model, factor, mode)
		return err[part] == nil
	})
	all := slices.Concat(found...)
	return attempt{model: model, factor: factor, blocks: all, raw: all, confidence: meanConfidence(all)}, errors.Join(err...)
}

// parts returns the regions to read, in reading order.
func (s sheet) parts() []layout.Region {
	if s.regions != nil {
		return s.regions
	}
	return []layout.Region{layout.Whole(s.img.Rect.Size(), max(s.letterHeight, 1))}
}

// readPart reads a region of the sheet, scaled by a factor.
func (s sheet) readPart(ctx context.Context, src Source, r layout.Region, model string, factor float64, mode tesseract.Mode) ([]document.Block, error) {
	part, size := s.img, r.Box.Size()
	if s.regions != nil || size != s.img.Rect.Size() {
		part = r.Cut(s.img)
	}
	if factor != 1 {
		part = scaled(part, factor)
	}
	blocks, err := s.source(src).Read(ctx, part, int(float64(s.dpi)*factor), model, mode)
	if factor != 1 {
		blocks = rescaled(blocks, size, part.Rect.Size())
	}
	return movedBy(blocks, r.Box.Min), err
}

// readUnread reads the parts of the sheet that have lines of letters but were left out by the layout analysis of a reading.
func readUnread(ctx context.Context, p *page) error {
	for i := range p.attempts {
		a := &p.attempts[i]
		if a.whole || a.tidy {
			continue
		}
		parts := p.sheet.unread(a.blocks)
		found, err := p.sheet.readParts(ctx, p.src, a, parts)
		if err != nil {
			return err
		}
		a.whole = true
		if len(found) > 0 {
			a.blocks = append(a.blocks, found...)
			a.raw, a.confidence = a.blocks, meanConfidence(a.blocks)
		}
		if len(parts) > 0 {
			for _, part := range p.sheet.unread(a.blocks) {
				a.unreadLetters += part.Letters(p.sheet.marks)
			}
		}
	}
	return nil
}

// unread returns the parts of the sheet that have lines of letters outside the lines of a reading.
func (s sheet) unread(blocks []document.Block) []layout.Region {
	var lines []image.Rectangle
	for l := range document.Lines(blocks) {
		lines = append(lines, l.Box.Rectangle())
	}
	var all []layout.Region
	for _, r := range s.parts() {
		all = append(all, r.Unread(s.marks, lines)...)
	}
	return all
}

// readParts reads parts of the sheet, each as one column, with the model and at the size of a reading, and returns the blocks
// of those that are legible.
func (s sheet) readParts(ctx context.Context, src Source, a *attempt, parts []layout.Region) ([]document.Block, error) {
	var all []document.Block
	for _, part := range parts {
		blocks, err := s.readPart(ctx, src, part, a.model, a.factor, tesseract.SingleColumn)
		if err != nil {
			return nil, err
		}
		if meanConfidence(blocks) >= minUnreadConfidence {
			all = append(all, blocks...)
		}
	}
	return all, nil
}

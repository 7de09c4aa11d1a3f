package reading

import (
	"context"
	"image"
	"slices"
	"unicode/utf8"

	"uncial/impl/ocr/hand"
	"uncial/impl/ocr/imaging"
	"uncial/internal/document"
)

// side is the part of a page on the left or the right of a vertical cut.
type side struct {
	box   image.Rectangle // in pixels of the page
	tally tally
}

// tally counts characters in a part of a page.
type tally struct {
	read    float64 // what was read
	correct float64 // of these, likely to be correct
	printed float64 // of these, read as print
	letters float64 // letter-shaped components of ink
}

func (t tally) plus(o tally) tally {
	return tally{t.read + o.read, t.correct + o.correct, t.printed + o.printed, t.letters + o.letters}
}

func (t tally) minus(o tally) tally {
	return t.plus(tally{-o.read, -o.correct, -o.printed, -o.letters})
}

// written returns the number of characters that were read as handwriting and are likely to be correct.
func (t tally) written() float64 { return t.correct - t.printed }

// share returns the estimated share of correct characters, 0..1. Letters that were not read count as wrong.
func (t tally) share() float64 { return t.correct / max(t.read, t.letters, 1) }

// isReadWell reports whether the part holds text that was read well. Letters that were not read may be ornaments.
func (t tally) isReadWell() bool {
	return t.correct >= surePrintSide*t.read && t.read >= max(minSideLetters, minReadSide*t.letters)
}

// isPrint reports whether the part holds print that was read well.
func (t tally) isPrint() bool { return t.isReadWell() && t.printed >= surePrintSide*t.correct }

// isDoubtful reports whether the part may be handwriting: much of it is wrong or was not read.
func (t tally) isDoubtful() bool {
	return t.letters >= minSideLetters && t.share() < surePrintSide && !t.isReadWell()
}

// mayHoldHandwrittenSide reports whether the page was read as print, and a model for handwriting is installed.
func mayHoldHandwrittenSide(p *page) bool { return mayHoldHandwriting(p) && !p.isHandwritten }

// readDoubtfulSide reads one side of a printed page as handwriting if only the other side was read well, and keeps that reading
// if it is likely to have more correct characters. This is how a handwritten page that faces a printed one is read.
func readDoubtfulSide(ctx context.Context, p *page) error {
	s, ok := p.doubtfulSide()
	if !ok {
		return nil
	}
	var letters []image.Rectangle
	for _, l := range p.sheet.letters {
		if imaging.Middle(l).In(s.box) {
			letters = append(letters, l.Sub(s.box.Min))
		}
	}
	part := newHandwriting(p, imaging.Crop(p.withoutLeaders(), s.box), letters)
	read, ok, err := p.readIfHandwriting(ctx, part, s.tally.share())
	if err == nil && ok {
		p.replaceSide(s, read)
	}
	return err
}

// doubtfulSide returns the side of the page that was read so much worse than the other that it may be handwriting.
func (p *page) doubtfulSide() (worst side, found bool) {
	lead := 0.0
	for _, pair := range p.sides() {
		for i, bad := range pair {
			good := pair[1-i]
			more := good.tally.share() - bad.tally.share()
			if bad.tally.isDoubtful() && good.tally.isPrint() && p.isProse(good.box) && more > lead {
				worst, found, lead = bad, true, more
			}
		}
	}
	return worst, found
}

// isProse reports whether most of the print in a part of the page is in long lines, unlike the labels of a form, which belong
// to what was written beside them.
func (p *page) isProse(part image.Rectangle) bool {
	long, all := 0, 0
	for line := range document.Lines(p.read.Blocks) {
		if line.Handwritten || !imaging.Middle(line.Box.Rectangle()).In(part) {
			continue
		}
		n := utf8.RuneCountInString(line.Text())
		if all += n; n > maxCellLength {
			long += n
		}
	}
	return 2*long > all
}

// sides returns the ways to cut an image of two facing pages, which is wider than it is high, between columns. Each side is at
// least minFacingWidth of the image wide.
func (p *page) sides() (pairs [][2]side) {
	width := p.gray.Rect.Dx()
	if float64(width) < minFacingShape*float64(p.gray.Rect.Dy()) {
		return nil
	}
	before := p.tallies()
	for _, at := range p.gutters() {
		if float64(min(at, width-at)) < minFacingWidth*float64(width) {
			continue
		}
		left, right := cutAt(p.gray.Rect, at)
		pairs = append(pairs, [2]side{{left, before[at]}, {right, before[width].minus(before[at])}})
	}
	return pairs
}

// cutAt returns the parts of a box on the left and the right of a vertical cut at x.
func cutAt(box image.Rectangle, x int) (left, right image.Rectangle) {
	left, right = box, box
	left.Max.X, right.Min.X = x, x
	return left, right
}

// tallies returns, for each x from 0 to the width of the page, the tally of everything on the left of it.
func (p *page) tallies() []tally {
	width := p.gray.Rect.Dx()
	before := make([]tally, width+1)
	after := func(b image.Rectangle) *tally { return &before[min(max(imaging.Middle(b).X, 0), width-1)+1] }
	for line := range document.Lines(p.read.Blocks) {
		for _, w := range line.Words {
			after(w.Box.Rectangle()).count(w, line.Handwritten)
		}
	}
	for _, l := range p.sheet.letters {
		after(l).letters++
	}
	for x := range width {
		before[x+1] = before[x+1].plus(before[x])
	}
	return before
}

// count adds a word to the tally.
func (t *tally) count(w document.Word, handwritten bool) {
	n := float64(utf8.RuneCountInString(w.Text))
	t.read, t.correct = t.read+n, t.correct+n*w.Confidence
	if !handwritten {
		t.printed += n * w.Confidence
	}
}

// tallyOf returns the tally of what was read, without letters that were not.
func tallyOf(blocks []document.Block) (t tally) {
	for line := range document.Lines(blocks) {
		for _, w := range line.Words {
			t.count(w, line.Handwritten)
		}
	}
	return t
}

// gutters returns the positions at which a vertical cut divides hardly any words or letters: the middles of the gaps between
// columns.
func (p *page) gutters() []int {
	width := p.gray.Rect.Dx()
	crossed := make([]int, width) // words and letters at each position
	for _, r := range slices.Concat(wordBoxes(p.read.Blocks), p.sheet.letters) {
		for x := max(r.Min.X, 0); x < min(r.Max.X, width); x++ {
			crossed[x]++
		}
	}
	most := len(slices.Collect(document.Lines(p.read.Blocks))) / gutterLines
	var gutters []int
	run := 0
	for x, n := range crossed {
		if n <= most {
			run++
			continue
		}
		if run > 0 {
			gutters = append(gutters, x-run/2)
		}
		run = 0
	}
	return gutters
}

// replaceSide replaces what was read on one side of the page by its reading as handwriting, whose boxes are relative to the
// side.
func (p *page) replaceSide(s side, read hand.Result) {
	p.written = append(p.written, document.BoxOf(s.box))
	p.attempts[0] = p.withoutHandwriting(p.attempts[0])
	written := movedBy(read.Blocks, s.box.Min)
	edits := slices.DeleteFunc(slices.Clone(p.read.Edits), func(e document.Edit) bool { return s.contains(e.Box) })
	edits = append(edits, movedEdits(read.Edits, s.box.Min)...)
	others := deleteWords(p.read.Blocks, func(w document.Word) bool { return s.contains(w.Box) })
	n, m := float64(characters(others)), float64(characters(written))
	confidence := (float64(n*p.attempts[0].right) + float64(m*read.Confidence)) / max(n+m, 1)
	if s.box.Min.X == 0 {
		p.read = hand.Result{Blocks: slices.Concat(written, others), Confidence: confidence, Edits: edits}
	} else {
		p.read = hand.Result{Blocks: slices.Concat(others, written), Confidence: confidence, Edits: edits}
	}
}

// separateFacing puts the lines of the left page before those of the right one if one is print and the other handwriting, which
// was inserted by its height, between lines of print.
func separateFacing(_ context.Context, p *page) error {
	if p.cut = p.facingCut(tally.apartFrom); p.cut > 0 {
		left, right := cutAt(p.gray.Rect, p.cut)
		p.read.Blocks = slices.Concat(p.linesIn(side{box: left}), p.linesIn(side{box: right}))
	}
	return nil
}

// facingCut returns the x of the gutter between two facing pages of which one is print and the other handwriting, or 0. share
// tells how clearly the tally of handwriting differs from that of print, 0..1. Without a gutter, facingCut returns the one that
// was found before: later steps may add words that cross it.
func (p *page) facingCut(share func(written, printed tally) float64) int {
	cut, least := p.cut, minFacingShare
	for _, pair := range p.sides() {
		for i, written := range pair {
			if printed := pair[1-i]; p.isProse(printed.box) {
				if n := share(written.tally, printed.tally); n > least {
					cut, least = pair[1].box.Min.X, n
				}
			}
		}
	}
	return cut
}

// isFacing reports whether the page shows two pages, of which one is handwriting and the other has print, even if much of the
// print was taken for handwriting too.
func isFacing(p *page) bool { return foundHandwriting(p) && p.facingCut(tally.besidePrint) > 0 }

// readHalves reads each of two facing pages as a page of its own, because the layout analysis takes handwriting beside print
// for columns of the print. It keeps that reading if it shows that one is print and the other handwriting, unlike those of a
// register, whose rows may cross the gutter, and unless clearly fewer characters are likely to be correct.
func readHalves(ctx context.Context, p *page) error {
	cut := p.facingCut(tally.besidePrint)
	left, right := cutAt(p.gray.Rect, cut)
	boxes := [2]image.Rectangle{left, right}
	var halves [2]*page
	var tallies [2]tally
	read, correct := 0.0, 0.0
	for i, box := range boxes {
		half, err := p.readHalf(ctx, box)
		if err != nil {
			return err
		}
		n := float64(characters(half.read.Blocks))
		halves[i], tallies[i] = half, tallyOf(half.read.Blocks)
		read, correct = read+n, correct+n*half.read.Confidence
	}
	if !areApart(tallies[0], tallies[1]) || correct < separateShare*float64(characters(p.read.Blocks))*p.read.Confidence {
		return nil
	}
	p.cut, p.edits, p.graphics, p.illegible = cut, nil, nil, nil
	p.read = hand.Result{Confidence: correct / max(read, 1)}
	for i, half := range halves {
		p.add(half, boxes[i].Min)
	}
	return nil
}

// readHalf reads a part of the page as a page of its own.
func (p *page) readHalf(ctx context.Context, box image.Rectangle) (*page, error) {
	o := p.options
	o.Language = p.language
	half := newPage(imaging.Crop(p.gray, box), o, p.src, p.model)
	return half, half.run(ctx, uprightSteps)
}

// add appends what was read on a part of the page that begins at a point.
func (p *page) add(half *page, at image.Point) {
	p.read.Blocks = slices.Concat(p.read.Blocks, movedBy(half.read.Blocks, at))
	p.read.Edits = slices.Concat(p.read.Edits, movedEdits(half.edits, at), movedEdits(half.read.Edits, at))
	for _, g := range half.graphics {
		g.Box = movedBox(g.Box, at)
		p.graphics = append(p.graphics, g)
	}
	for _, d := range half.illegible {
		d.Box = movedBox(d.Box, at)
		p.illegible = append(p.illegible, d)
	}
	p.curtailed = p.curtailed || half.curtailed
}

// apartFrom returns the share of the handwriting that is in t, or the share of the print that is in o, whichever is less. It
// returns 0 if there is little of one of them.
func (t tally) apartFrom(o tally) float64 { return t.apart(o, t.plus(o).written()) }

// areApart reports whether one part is print and the other handwriting.
func areApart(a, b tally) bool { return max(a.apartFrom(b), b.apartFrom(a)) > minFacingShare }

// besidePrint is like apartFrom, but with the share of handwriting in t.
func (t tally) besidePrint(o tally) float64 { return t.apart(o, t.correct) }

// apart returns the ratio of the handwriting in t to all, or the share of the print that is in o, whichever is less. It returns
// 0 if there is little of one of them.
func (t tally) apart(o tally, all float64) float64 {
	if min(t.written(), o.printed) < minSideLetters {
		return 0
	}
	return min(t.written()/all, o.printed/(t.printed+o.printed))
}

// contains reports whether the middle of a box is on the side horizontally, even beyond the edge of the page.
func (s side) contains(b document.Box) bool {
	x := imaging.Middle(b.Rectangle()).X
	if s.box.Min.X == 0 {
		return x < s.box.Max.X
	}
	return x >= s.box.Min.X
}

// linesIn returns the lines on one side of the page. Blocks that other lines had divided are joined again.
func (p *page) linesIn(s side) []document.Block {
	var blocks []document.Block
	for _, b := range p.read.Blocks {
		lines := slices.DeleteFunc(slices.Clone(b.Lines), func(l document.Line) bool { return !s.contains(l.Box) })
		if len(lines) == 0 {
			continue
		}
		if last := len(blocks) - 1; last >= 0 && continues(blocks[last], lines[0]) {
			blocks[last] = document.BlockOf(slices.Concat(blocks[last].Lines, lines))
			continue
		}
		blocks = append(blocks, document.BlockOf(lines))
	}
	return blocks
}

// continues reports whether a line is of the same kind as a block, and directly below its last line.
func continues(b document.Block, l document.Line) bool {
	last := b.Lines[len(b.Lines)-1]
	gap := l.Box.Y - (last.Box.Y + last.Box.H)
	isBelow := l.Box.Y > last.Box.Y && gap < min(l.Box.H, last.Box.H) && min(l.Box.Right(), last.Box.Right()) > max(l.Box.X, last.Box.X)
	return isBelow && last.Handwritten == l.Handwritten
}

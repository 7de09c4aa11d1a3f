package reading

import (
	"cmp"
	"context"
	"image"
	"math"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"uncial/impl/ocr/correct"
	"uncial/impl/ocr/imaging"
	"uncial/impl/ocr/layout"
	"uncial/internal/document"
)

// recoverMissed reads the ink outside the boxes of all words, and inserts the lines of writing that it finds. What the model of
// the page cannot read is read by our own network for print. Single letters and digits are read next, and lines that were
// dropped as false text last.
func recoverMissed(ctx context.Context, p *page) error {
	rows := p.missedRows(p.claims())
	var tried []image.Rectangle
	for _, found := range rows {
		tried = append(tried, found.box)
	}
	err := p.insertPatches(rows, func(found *patch) (document.Line, error) {
		line, err := found.read(ctx, p.sheet.source(p.src), p.sheet.img, p.attempts[0].model)
		if err != nil || len(line.Words) > 0 || !mayUseNetwork(p) {
			return line, err
		}
		return p.readByNetwork(ctx, found, maxPatchShare)
	})
	if err != nil || !mayUseNetwork(p) {
		return err
	}
	if err := p.readSingles(ctx); err != nil {
		return err
	}
	return p.readDropped(ctx, newBoxIndex(tried))
}

// missedRows returns the patches of several letters outside what is claimed.
func (p *page) missedRows(claimed []document.Block) []patch {
	return slices.DeleteFunc(findMissed(p.sheet.img.Rect, p.sheet.marks, claimed, 1), func(found patch) bool { return found.isSingle() })
}

// readSingles reads the single letters and digits on the baselines of lines, and those that are alone in their row, such as the
// number of a page.
func (p *page) readSingles(ctx context.Context) error {
	blocks := p.attempts[0].blocks
	singles := slices.DeleteFunc(findMissed(p.sheet.img.Rect, p.sheet.marks, blocks, 1), func(found patch) bool { return !found.isSingle() })
	for i := range singles {
		singles[i].isLed = p.sheet.followsLeader(singles[i].last)
		singles[i].isItem = singles[i].isLed || singles[i].inColumn(singles)
	}
	singles = slices.DeleteFunc(singles, func(s patch) bool { return s.row(blocks) == nil && !s.isAlone(p.sheet.marks) })
	return p.insertPatches(singles, func(found *patch) (document.Line, error) {
		if row := found.row(blocks); row != nil {
			return p.readSingle(ctx, found, row)
		}
		return p.readAlone(ctx, found)
	})
}

// readAlone reads a single capital or digit that is alone in its row, with the network for print, because Tesseract reads
// single letters badly. The line has no words if the readings differ or are unsure, or if the text is a stroke or a ring
// without a stop, which may be a stain or an ornament.
func (p *page) readAlone(ctx context.Context, found *patch) (document.Line, error) {
	all, err := p.readingsByNetwork(ctx, found)
	if err != nil || len(all) == 0 || !isCapitalOrDigit(all[0].Text()) || strings.Contains("1I0O", all[0].Text()) {
		return document.Line{}, err
	}
	for _, l := range all {
		if l.Text() != all[0].Text() || meanWordConfidence(l.Words) < minAloneConfidence {
			return document.Line{}, nil
		}
	}
	return all[0], nil
}

// isCapitalOrDigit reports whether a text is a capital or a digit, perhaps with a stop or brackets.
func isCapitalOrDigit(text string) bool {
	core := []rune(strings.Trim(text, ".()"))
	return len(core) == 1 && (unicode.IsUpper(core[0]) || unicode.IsDigit(core[0]))
}

// readDropped reads the ink of lines that were dropped as false text, and inserts those that the network for print is sure of,
// such as page numbers between dashes and short titles. It does not read the patches again that have been tried.
func (p *page) readDropped(ctx context.Context, tried boxIndex) error {
	dropped := slices.DeleteFunc(p.missedRows(p.attempts[0].blocks), func(found patch) bool { return len(found.cut) > 0 || tried.contains(found.box) })
	return p.insertPatches(dropped, func(found *patch) (document.Line, error) {
		line, err := p.readByNetwork(ctx, found, maxPatchShare)
		if meanWordConfidence(line.Words) < minDroppedConfidence {
			return document.Line{}, err
		}
		return line, err
	})
}

// claims returns what was read, and what was dropped of it, except columns of letters or digits that were read as one line.
func (p *page) claims() []document.Block {
	a := &p.attempts[0]
	all := slices.Clone(a.blocks)
	for l := range document.Lines(a.raw) {
		if l.Box.H <= maxClaimed*p.sheet.letterHeight {
			all = append(all, oneLine(*l)...)
		}
	}
	return all
}

// readSingle reads a single letter or digit on the baseline of a line that was read. It is what the network for print reads, if
// that is or looks like a digit, in two cases: above and below others, as in a list, or after a leader, if the network is sure
// of it; and as far from a line with a number as the cells of a table are from each other. Otherwise, and for a stroke, which
// may be a rule, the line has no words unless the network and the model of the page read the same, one of them reads a letter
// that looks like the digit of the other, or the model reads the letter twice.
func (p *page) readSingle(ctx context.Context, found *patch, row *document.Line) (document.Line, error) {
	line, err := p.readByNetwork(ctx, found, 1)
	if err != nil || len(line.Words) != 1 {
		return document.Line{}, err
	}
	read := &line.Words[0]
	read.Box = document.BoxOf(found.box) // without the blank beside it
	line.Box = read.Box
	if number, ok := numberOf(read.Text); ok && found.isItem && (found.isLed || number != "1") && read.Confidence >= minItemConfidence {
		read.Text = number
		return line, nil
	}
	before, isCell := read.Text, slices.ContainsFunc(row.Words, beginsWithDigit) && isApart(row, found.last)
	if isCell {
		if read.Text = correct.DigitFor(before); beginsWithDigit(*read) && read.Text != "1" {
			return line, nil
		}
	}
	byModel, err := readLine(ctx, p.sheet.source(p.src), p.sheet.img, p.attempts[0].model, document.BoxOf(found.box))
	if err != nil {
		return document.Line{}, err
	}
	switch other := byModel.Text(); {
	case isCell && correct.DigitFor(other) == read.Text, isDoubled(other, before) && read.Confidence >= minDoubledConfidence:
		return line, nil
	case !found.isWriting(byModel, 1):
	case other == before, correct.DigitFor(other) == before:
		read.Text = before
		return line, nil
	case correct.DigitFor(before) == other:
		read.Text = other
		return line, nil
	}
	return document.Line{}, nil
}

// numberOf returns the number of an item of a list or a cell, perhaps with a stop or brackets, with digits in place of letters
// that look like them. It reports false if a text is no number.
func numberOf(text string) (string, bool) {
	core := strings.Trim(text, ".()")
	digit := correct.DigitFor(core)
	return strings.Replace(text, core, digit, 1), core != "" && beginsWithDigit(document.Word{Text: digit})
}

// isDoubled reports whether a text is a letter twice, in capitals or not, but not a stroke twice. Tesseract often reads a C
// that stands alone as Cc.
func isDoubled(text, letter string) bool {
	r, n := utf8.DecodeRuneInString(letter)
	return n == len(letter) && unicode.IsLetter(r) && correct.DigitFor(letter) == letter && strings.EqualFold(text, letter+letter)
}

// isApart reports whether a letter or digit is as far from the words of a line as the cells of a table are from each other.
func isApart(line *document.Line, letter image.Rectangle) bool {
	return !slices.ContainsFunc(line.Words, func(w document.Word) bool {
		return max(letter.Min.X-w.Box.Right(), w.Box.X-letter.Max.X) <= minCellGap*letter.Dy()
	})
}

// beginsWithDigit reports whether a word begins with a digit and has no letters.
func beginsWithDigit(w document.Word) bool {
	return w.Text >= "0" && w.Text < ":" && !strings.ContainsFunc(w.Text, unicode.IsLetter)
}

// inColumn reports whether there are enough others of the patches above and below the patch.
func (p *patch) inColumn(patches []patch) bool {
	others := 0
	for _, other := range patches {
		if other.box != p.box && other.box.Min.X < p.box.Max.X && p.box.Min.X < other.box.Max.X {
			others++
		}
	}
	return others >= minOtherItems
}

// row returns the line on whose baseline a single letter or digit stands, or nil if there is none. The digits in a column may
// reach below it, as those of old style do.
func (p *patch) row(blocks []document.Block) *document.Line {
	most := maxOffBaseline
	if p.isItem {
		most = maxItemOff
	}
	for l := range document.Lines(blocks) {
		if len(l.Baseline) < 2 || !layout.InRow(l.Box, document.BoxOf(p.last)) {
			continue
		}
		end := l.Baseline[0]
		if imaging.Middle(p.last).X > l.Box.X+l.Box.W/2 {
			end = l.Baseline[len(l.Baseline)-1]
		}
		if off := p.last.Max.Y - end.Y; float64(max(off, -off)) <= most*float64(p.last.Dy()) {
			return l
		}
	}
	return nil
}

// insertPatches reads patches, those with the most letters first, as long as enough of them are writing, and inserts their
// lines into the reading, from top to bottom.
func (p *page) insertPatches(found []patch, read func(*patch) (document.Line, error)) error {
	order := make([]int, len(found))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(found[j].letters, found[i].letters) })
	lines, hits := make([]document.Line, len(found)), 0
	for tries, i := range order {
		if tries >= minTriedPatches && hits*maxTriesPerHit < tries {
			break
		}
		var err error
		if lines[i], err = read(&found[i]); err != nil {
			return err
		}
		if len(lines[i].Words) > 0 {
			hits++
		}
	}
	if hits == 0 {
		return nil
	}
	a := &p.attempts[0]
	a.blocks = p.sheet.withLines(a.blocks, lines, func(s *layout.Sequence, i int) { s.Insert(lines[i], found[i].cut) })
	a.estimate(len(p.sheet.letters))
	return nil
}

// withLines inserts lines of the sheet that have words into blocks. insert inserts line i into the lines of its region.
func (s sheet) withLines(blocks []document.Block, lines []document.Line, insert func(s *layout.Sequence, i int)) (all []document.Block) {
	var sequences []*layout.Sequence // of the lines of each region
	for _, part := range s.byRegion(blocks) {
		sequences = append(sequences, layout.SequenceOf(part))
	}
	for i, line := range lines {
		if len(line.Words) > 0 {
			insert(sequences[s.regionAt(line.Box, 0)], i)
		}
	}
	for _, s := range sequences {
		all = append(all, s.Blocks()...)
	}
	return all
}

// read reads a patch as one line. If the patch is not writing, the line has no words.
func (p *patch) read(ctx context.Context, src Source, img *image.Gray, model string) (document.Line, error) {
	line, err := readLine(ctx, src, img, model, document.BoxOf(p.box))
	if err != nil {
		return document.Line{}, err
	}
	line.Words = slices.DeleteFunc(line.Words, func(w document.Word) bool { return !imaging.Middle(w.Box.Rectangle()).In(p.box) })
	line.Box = document.WordsBox(line.Words)
	if !p.isWriting(line, maxPatchShare) {
		return document.Line{}, nil
	}
	return line, nil
}

// isWriting reports whether a line that was read in the patch is writing: it was read with confidence, has about as many
// letters and digits as the patch has components, at most maxShare for each, and few other characters except brackets.
func (p *patch) isWriting(l document.Line, maxShare float64) bool {
	n, brackets := 0, 0
	for _, w := range l.Words {
		n += lettersAndDigits(w.Text)
		brackets += strings.Count(w.Text, "(") + strings.Count(w.Text, ")")
	}
	others := characters(oneLine(l)) - n - brackets
	return meanWordConfidence(l.Words) >= minPatchConfidence &&
		n > 0 && n+brackets >= min(p.parts, minPatchLetters) && n >= others && float64(n+brackets) >= minPatchShare*float64(p.letters) &&
		(float64(n) <= maxShare*float64(p.parts) || len(p.cut) > 0)
}

// claimedAreas returns the areas of the page that belong to words. The recognizer often gives a word the box of a single
// letter, so its area has the height of its line, and extends on both sides as far as its characters need and its neighbours
// allow. width is the width that a character needs, in pixels.
func claimedAreas(blocks []document.Block, width int) []image.Rectangle {
	var all []image.Rectangle
	for l := range document.Lines(blocks) {
		for i, w := range l.Words {
			from, to := math.MinInt, math.MaxInt
			if i > 0 {
				from = l.Words[i-1].Box.Right()
			}
			if i+1 < len(l.Words) {
				to = l.Words[i+1].Box.X
			}
			all = append(all, claimedArea(w, l.Box, width, from, to))
		}
	}
	return all
}

// usualWidth returns the median width of a character in long words, or otherwise if there are none.
func usualWidth(blocks []document.Block, otherwise int) int {
	var all []int
	for w := range document.Words(blocks) {
		if n := utf8.RuneCountInString(w.Text); n >= minSizeLetters {
			all = append(all, w.Box.W/n)
		}
	}
	if len(all) == 0 {
		return otherwise
	}
	slices.Sort(all)
	return all[len(all)/2]
}

// claimedArea returns the area that belongs to a word of a line, between from and to. The area of punctuation is its box.
func claimedArea(w document.Word, line document.Box, width, from, to int) image.Rectangle {
	r := w.Box.Rectangle()
	n := lettersAndDigits(w.Text)
	if n == 0 {
		return r
	}
	lacking := max(n*width-w.Box.W, 0)
	return image.Rect(
		min(r.Min.X, max(r.Min.X-lacking, from)), line.Y,
		max(r.Max.X, min(r.Max.X+lacking, to)), line.Y+line.H,
	)
}

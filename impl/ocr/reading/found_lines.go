package reading

import (
	"cmp"
	"context"
	"image"
	"maps"
	"slices"
	"unicode"
	"unicode/utf8"

	"uncial/impl/ocr/correct"
	"uncial/impl/ocr/hand"
	"uncial/impl/ocr/imaging"
	"uncial/impl/ocr/layout"
	"uncial/internal/document"
)

// mayHaveLostLines reports whether much of the print on a page in Latin letters, without Greek, may have been read wrongly or
// not at all, and our own networks can read it. The line finder does not find lines of syllables that are far apart, as under
// staves.
func mayHaveLostLines(p *page) bool {
	return mayUseNetwork(p) && p.handwriting.page != nil && !p.hasGreek() && len(p.sheet.staves) == 0 &&
		(p.read.Confidence < doubtfulLines || p.lostShare() >= minLostShare)
}

// lostShare returns the share of the page's letters that were not read.
func (p *page) lostShare() float64 {
	lost := 0
	for _, d := range p.unreadInk(nil) {
		lost += d.Characters
	}
	return float64(lost) / float64(max(len(p.sheet.letters), 1))
}

// readFoundLines reads the page once more, with the network for print and along the lines that our own line finder finds, and
// keeps that reading if the network is sure enough of it. On rough paper, or where type is blurred or smudged, Tesseract's
// layout analysis loses lines that the finder finds. It does not change a page with much handwriting beside the
// print; a few words of handwriting are read like the print.
func readFoundLines(ctx context.Context, p *page) error {
	found, err := p.handwriting.page.Lines(ctx, p.handwriting.reader)
	if err != nil {
		return err
	}
	strips, images, parts := p.foundStrips(found)
	read, err := p.readStrips(ctx, p.networksForPrint(), images, func(i int, r image.Rectangle) document.Box { return strips[i].Box(r) })
	if err != nil {
		return err
	}
	text := p.textAlong(strips, parts, read)
	confidence := meanWordConfidence(text.words)
	if confidence < sureFoundLines || float64(len(text.written)) > maxFoundWritten*float64(len(text.words)) {
		return nil
	}
	blocks := text.blocks()
	ratio := expectedCorrect(text.words) / (p.read.Confidence * float64(max(characters(p.read.Blocks), 1)))
	if ratio < minFoundText || !p.keepsListedWords(append(blocks, text.elsewhere), ratio) {
		return nil
	}
	p.read = hand.Result{Blocks: p.joinedOnSheet(blocks, text.elsewhere), Confidence: confidence}
	p.alongFound = true
	return nil
}

// foundPart is a block of found lines in a region of the sheet.
type foundPart struct{ region, block int }

// foundStrips returns the strips of the found lines outside graphics, their images, and the part to which each belongs.
func (p *page) foundStrips(found *layout.Page) (strips []layout.Strip, images []*image.Gray, parts []foundPart) {
	at := map[document.Box]int{}
	for _, l := range found.Lines() {
		at[l.Box()] = p.regionOf(l.Box())
	}
	for region := range p.sheet.parts() {
		inside := found
		if p.sheet.regions != nil {
			inside = found.Only(func(line document.Box) bool { return at[line] == region })
		}
		for i, block := range inside.Blocks {
			for _, l := range block {
				if s, ok := l.Strip(); ok && !p.isInGraphic(l.Box()) {
					strips, images, parts = append(strips, s), append(images, s.Image), append(parts, foundPart{region, i})
				}
			}
		}
	}
	return strips, images, parts
}

// regionOf returns the index of the region of the sheet in which a box of the page is: 0 if the sheet has no regions, and -1 if
// the box is in none.
func (p *page) regionOf(b document.Box) int {
	if p.sheet.regions == nil {
		return 0
	}
	return p.sheet.regionAt(p.sheet.boxOnSheet(b), -1)
}

// foundText is what was read along found lines.
type foundText struct {
	lines     map[foundPart][]document.Line
	elsewhere document.Block  // lines of the first reading that are in another region than the found line
	words     []document.Word // what the network read, of which lines of the first reading may replace some
	written   []document.Word // those of them that look like handwriting
}

// textAlong returns the text of found lines from what the network read in their strips.
func (p *page) textAlong(strips []layout.Strip, parts []foundPart, read [][]document.Word) foundText {
	text := foundText{lines: map[foundPart][]document.Line{}}
	kept := keptLines(p.read.Blocks, strips, read, p.crossesRegions)
	for i, s := range strips {
		at := parts[i]
		for _, l := range kept[i] {
			if p.regionOf(l.Box) == at.region {
				text.lines[at] = append(text.lines[at], *l)
			} else {
				text.elsewhere.Lines = append(text.elsewhere.Lines, *l)
			}
		}
		words := read[i]
		confidence := meanWordConfidence(words)
		if hand.IsNoise(words, confidence) || isLoneSign(words) {
			continue
		}
		if p.isWritten(s.Line().Box(), confidence) {
			text.written = append(text.written, words...)
		}
		for k := range words {
			words[k].Confidence = hand.ExpectedAccuracy(words[k].Confidence)
		}
		if len(kept[i]) > 0 && confidence >= badlyRead {
			continue // it crosses regions
		}
		text.words = append(text.words, words...)
		if len(kept[i]) == 0 {
			text.lines[at] = append(text.lines[at], document.Line{Words: words, Baseline: s.Baseline(), Box: document.WordsBox(words)})
		}
	}
	return text
}

// blocks returns the lines as blocks, region by region.
func (t foundText) blocks() (blocks []document.Block) {
	byRegion := func(a, b foundPart) int {
		return cmp.Or(cmp.Compare(a.region, b.region), cmp.Compare(a.block, b.block))
	}
	for _, part := range slices.SortedFunc(maps.Keys(t.lines), byRegion) {
		blocks = append(blocks, document.BlockOf(t.lines[part]))
	}
	return blocks
}

// crossesRegions reports whether the ends of a line of the page are in different regions of the sheet.
func (p *page) crossesRegions(b document.Box) bool {
	left, right := b, b
	left.W, right.W = b.H, b.H
	right.X = b.Right() - b.H
	from, to := p.regionOf(left), p.regionOf(right)
	return from >= 0 && to >= 0 && from != to
}

// keptLines returns the lines of the first reading in the place of each found line that is several lines: one that crosses
// regions, unless far fewer characters of the first reading are likely to be right, or one that the network read badly, if more
// characters of the first reading, and a larger share of them, are. The finder takes several lines for one where they are close
// together.
func keptLines(first []document.Block, strips []layout.Strip, read [][]document.Word, crossesRegions func(document.Box) bool) map[int][]*document.Line {
	kept, words := map[int][]*document.Line{}, map[int][]document.Word{}
	crosses := make([]bool, len(strips))
	for i, s := range strips {
		crosses[i] = crossesRegions(s.Line().Box())
	}
	for line := range document.Lines(first) {
		best, most := -1, otherShare
		for i, s := range strips {
			if share := s.Line().Share(line.Words); share > most {
				best, most = i, share
			}
		}
		if best >= 0 && !line.Handwritten && (meanWordConfidence(read[best]) < badlyRead || crosses[best]) {
			kept[best], words[best] = append(kept[best], line), append(words[best], line.Words...)
		}
	}
	maps.DeleteFunc(kept, func(i int, _ []*document.Line) bool {
		first, found := expectedCorrect(words[i]), expectedCorrect(read[i])
		if crosses[i] {
			return first < minFoundText*found
		}
		return first <= found || meanWordConfidence(words[i]) <= meanWordConfidence(read[i])
	})
	return kept
}

// joinedOnSheet inserts more lines into the blocks of the page, and joins torn ones. It does so on the sheet, where the lines
// of a row are at the same height.
func (p *page) joinedOnSheet(blocks []document.Block, more document.Block) []document.Block {
	level := moveAll(append(blocks, more), p.sheet.boxOnSheet, func(at document.Point) document.Point {
		b := p.sheet.boxOnSheet(document.Box{X: at.X, Y: at.Y})
		return document.Point{X: b.X, Y: b.Y}
	})
	last := len(level) - 1
	lines := level[last].Lines
	level = p.sheet.withLines(level[:last], lines, func(s *layout.Sequence, i int) { s.InsertWhole(lines[i]) })
	return p.sheet.onPage(p.onRegions(layout.JoinTornLines)(level))
}

// isLoneSign reports whether a line has only one character, neither a letter nor a digit nor a dash, such as a stamp read as @.
func isLoneSign(words []document.Word) bool {
	if len(words) != 1 {
		return false
	}
	r, n := utf8.DecodeRuneInString(words[0].Text)
	return n == len(words[0].Text) && !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.Is(unicode.Dash, r)
}

// keepsListedWords reports whether a reading consists of words, and has at least as many of them as the reading of the page: by
// the list of the language or that for early print, whichever has more of them, counted in the letters of the longer words.
// What it adds to a page that was read well must consist of words too: lines are also found in woodcuts. If fewer characters of
// it are expected to be correct, by ratio, it must have clearly more words. Without a list it reports false.
func (p *page) keepsListedWords(blocks []document.Block, ratio float64) bool {
	var known, all, before int
	for _, model := range []string{p.model, earlyPrint} {
		if words := p.src.Lexicon(model); words != nil {
			now, of := knownLetters(blocks, words)
			had, _ := knownLetters(p.read.Blocks, words)
			known, all, before = max(known, now), of, max(before, had)
		}
	}
	least := float64(before)
	if ratio < 1 {
		least *= foundLead
	}
	return all > 0 && float64(known) >= least && float64(known) >= minFoundListed*float64(all) &&
		(p.read.Confidence < doubtfulLines || float64(known-before) >= minFoundListed*float64(characters(blocks)-characters(p.read.Blocks)))
}

// isInGraphic reports whether the middle of a box lies in a picture or in staves.
func (p *page) isInGraphic(b document.Box) bool {
	middle := imaging.Middle(b.Rectangle())
	return slices.ContainsFunc(p.graphics, func(g document.Graphic) bool { return middle.In(g.Box.Rectangle()) })
}

// hasGreek reports whether Greek was read on the page.
func (p *page) hasGreek() bool {
	if p.model == ancientGreek || p.attempts[0].model == p.withGreek() {
		return true
	}
	for w := range document.Words(p.read.Blocks) {
		if isGreek(w.Text) {
			return true
		}
	}
	return false
}

// isWritten reports whether a found line holds handwriting: a line that was read as handwriting, unless the network for print
// is far surer of its words there. own is the network's own confidence in them.
func (p *page) isWritten(at document.Box, own float64) bool {
	for l := range document.Lines(p.read.Blocks) {
		box := l.Box.Rectangle()
		if l.Handwritten && 2*imaging.Area(at.Rectangle().Intersect(box)) > imaging.Area(box) &&
			logOdds(hand.ExpectedAccuracy(own))-logOdds(meanWordConfidence(l.Words)) < networkLead {
			return true
		}
	}
	return false
}

// readAlongFound reads the lines again that the network for print is not sure of, each along the line that our own line finder
// found there, if that line holds no other. The new reading replaces the first one if it has more characters that are likely to
// be right: Tesseract's boxes often lack the first letter or the last word of a line.
func (p *page) readAlongFound(ctx context.Context, lines []*document.Line, readings []correct.Readings) error {
	doubtful := map[*document.Line]*[]document.Word{}
	for i, line := range lines {
		_, joined := p.withoutInitial(*line) // the line finder cuts initials off
		if words := &readings[i].Network[0]; joined == nil && meanWordConfidence(*words) < doubtfulStrip {
			doubtful[line] = words
		}
	}
	if len(doubtful) == 0 || p.handwriting.page == nil {
		return nil
	}
	found, err := p.handwriting.page.Lines(ctx, p.handwriting.reader)
	if err != nil {
		return err
	}
	var strips []layout.Strip
	var images []*image.Gray
	var of []*[]document.Word // the first reading of each strip
	for _, l := range found.Lines() {
		words := doubtful[p.onlyLineOn(l)]
		if words == nil {
			continue
		}
		if s, ok := l.Strip(); ok {
			strips, images, of = append(strips, s), append(images, s.Image), append(of, words)
		}
	}
	read, err := p.readStrips(ctx, p.networks, images, func(i int, r image.Rectangle) document.Box { return strips[i].Box(r) })
	if err != nil {
		return err
	}
	for i, again := range read {
		if expectedCorrect(again) > expectedCorrect(*of[i]) {
			*of[i] = again
		}
	}
	return nil
}

// onlyLineOn returns the line that was read where the line finder found a line, or nil if it is longer than that line, or if
// words of other lines are there too.
func (p *page) onlyLineOn(found layout.Line) (only *document.Line) {
	for line := range document.Lines(p.read.Blocks) {
		switch share := found.Share(line.Words); {
		case share < otherShare:
		case share < wholeShare || only != nil:
			return nil
		default:
			only = line
		}
	}
	return only
}

// expectedCorrect returns the number of characters of some words that are likely to be right.
func expectedCorrect(words []document.Word) (sum float64) {
	for _, w := range words {
		sum += float64(utf8.RuneCountInString(w.Text)) * w.Confidence
	}
	return sum
}

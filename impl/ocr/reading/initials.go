package reading

import (
	"context"
	"image"
	"image/draw"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"uncial/impl/ocr/imaging"
	"uncial/impl/ocr/layout"
	"uncial/impl/ocr/tesseract"
	"uncial/internal/document"
)

// initial is an initial that was joined to its word. Boxes are in pixels of the page; that of the word is without the initial.
type initial struct {
	letter    rune
	box, word document.Box
}

// joinInitials drops the words that were read inside initials, and adds the letter of each initial to the word that it begins,
// if the letter can be read.
func joinInitials(ctx context.Context, p *page) error {
	a := &p.attempts[0]
	p.initials = nil // those of another reading
	for _, box := range layout.Initials(p.sheet.img, p.sheet.marks, p.sheet.letterHeight) {
		inside := func(w document.Word) bool {
			return imaging.Middle(w.Box.Rectangle()).In(box) && w.Box.Right() <= box.Max.X+p.sheet.letterHeight
		}
		if lines := p.beside(box, a.blocks); len(lines) < linesBeside || holdsWords(a.blocks, inside) {
			continue
		}
		a.blocks = deleteWords(a.blocks, inside)
		for w := range document.Words(a.blocks) { // a word beside it whose box begins in it
			if right := w.Box.Right(); imaging.Middle(w.Box.Rectangle()).In(box) {
				w.Box.X, w.Box.W = box.Max.X, right-box.Max.X
			}
		}
		if lines := p.beside(box, a.blocks); len(lines) > 0 && lines[0].Box.Y-box.Min.Y <= initialTop*p.sheet.letterHeight {
			if err := p.joinInitial(ctx, box, lines[0]); err != nil {
				return err
			}
		}
	}
	for i := range a.blocks {
		a.blocks[i] = document.BlockOf(a.blocks[i].Lines)
	}
	return nil
}

// holdsWords reports whether one of the words inside an initial is text: it is sure, and either long or in lower case.
func holdsWords(blocks []document.Block, inside func(document.Word) bool) bool {
	for w := range document.Words(blocks) {
		n := lettersAndDigits(w.Text)
		if inside(*w) && w.Confidence >= sureInPicture && (n > maxScrapLetters || n > 1 && w.Text == strings.ToLower(w.Text)) {
			return true
		}
	}
	return false
}

// beside returns the lines whose text begins to the right of an initial, from top to bottom, or nil if there is text to its
// left.
func (p *page) beside(box image.Rectangle, blocks []document.Block) []*document.Line {
	var lines []*document.Line
	for l := range document.Lines(blocks) {
		i := slices.IndexFunc(l.Words, func(w document.Word) bool { return imaging.Middle(w.Box.Rectangle()).X >= box.Max.X })
		if i < 0 {
			continue
		}
		y := imaging.Middle(l.Words[i].Box.Rectangle()).Y
		if y < box.Min.Y-p.sheet.letterHeight || y >= box.Max.Y || l.Words[i].Box.X-box.Max.X > initialGap*p.sheet.letterHeight {
			continue
		}
		if slices.ContainsFunc(l.Words[:i], func(w document.Word) bool {
			return w.Confidence >= sureInPicture && imaging.Middle(w.Box.Rectangle()).X < box.Min.X
		}) {
			return nil // it is in the middle of a line
		}
		lines = append(lines, l)
	}
	slices.SortStableFunc(lines, func(a, b *document.Line) int { return a.Box.Y + a.Box.H - b.Box.Y - b.Box.H })
	return lines
}

// joinInitial adds the letter of an initial to the first word to its right in a line. A single letter cannot be read alone, so
// joinInitial scales the initial to the size of a capital and reads it together with the next words.
func (p *page) joinInitial(ctx context.Context, box image.Rectangle, line *document.Line) error {
	i := slices.IndexFunc(line.Words, func(w document.Word) bool { return imaging.Middle(w.Box.Rectangle()).X >= box.Max.X })
	w := &line.Words[i]
	words := document.WordsBox(line.Words[i:min(i+wordsWithInitial, len(line.Words))])
	img, base := p.sheet.withCapital(box, w.Box.Rectangle(), words.Rectangle())
	blocks, err := p.sheet.source(p.src).Read(ctx, img, p.sheet.dpi, p.attempts[0].model, tesseract.SingleLine)
	if err != nil {
		return err
	}
	var first document.Word
	for word := range document.Words(blocks) {
		first = *word
		break
	}
	letter, ok := initialIn(first, w.Text)
	if !ok && mayUseNetwork(p) {
		if first, err = p.firstByNetwork(ctx, img, base); err != nil {
			return err
		}
		letter, ok = initialIn(first, w.Text)
	}
	if ok {
		p.initials = append(p.initials, initial{letter, p.sheet.boxOnPage(document.BoxOf(box)), p.sheet.boxOnPage(w.Box)})
		w.Text, w.Box = string(letter)+w.Text, w.Box.Union(document.BoxOf(box))
		line.Box = line.Box.Union(w.Box)
	}
	return nil
}

// firstByNetwork returns the first word that the network for print reads in an image of words with their baseline at base, and
// an empty word if it reads none.
func (p *page) firstByNetwork(ctx context.Context, img *image.Gray, base int) (document.Word, error) {
	height := float64(p.sheet.letterHeight)
	strip, ok := layout.Given(img, []layout.Band{{
		Baseline: []layout.Vertex{{X: 0, Y: float64(base)}}, X1: float64(img.Rect.Dx()), Up: bandMargin * capitalHeight * height / 2, Down: height / 2,
	}})[0].Strip()
	if !ok {
		return document.Word{}, nil
	}
	read, err := p.readStrips(ctx, p.networksForPrint(), []*image.Gray{strip.Image}, func(_ int, r image.Rectangle) document.Box { return strip.Box(r) })
	if err != nil || len(read[0]) == 0 {
		return document.Word{}, err
	}
	return read[0][0], nil
}

// initialIn returns the letter of an initial in a word that was read with it. It reports false unless the word is sure, and the
// rest of it was read as before.
func initialIn(word document.Word, rest string) (rune, bool) {
	letter, n := utf8.DecodeRuneInString(word.Text)
	return letter, word.Confidence >= sureInitial && unicode.IsUpper(letter) && strings.EqualFold(word.Text[n:], rest)
}

// withoutInitial returns a line without the initial that was joined to one of its words, and the initial, or nil if there is
// none.
func (p *page) withoutInitial(line document.Line) (document.Line, *initial) {
	for i, w := range line.Words {
		letter, n := utf8.DecodeRuneInString(w.Text)
		for k := range p.initials {
			in := &p.initials[k]
			if imaging.Middle(in.box.Rectangle()).In(w.Box.Rectangle()) && letter == in.letter && n < len(w.Text) {
				line.Words = slices.Clone(line.Words)
				line.Words[i].Text, line.Words[i].Box = w.Text[n:], in.word
				return line, in
			}
		}
	}
	return line, nil
}

// withInitial returns what was read without an initial in a line, with the initial before the word in its place.
func withInitial(read []document.Word, in *initial) []document.Word {
	for i, w := range read {
		if w.Box.Right() > in.word.X && w.Box.X < in.word.Right() {
			read[i].Text, read[i].Box = string(in.letter)+w.Text, w.Box.Union(in.box)
			break
		}
	}
	return read
}

// withCapital returns an image of words of a line, preceded by an initial that is scaled to the size of a capital, and the y of
// their baseline.
func (s sheet) withCapital(initial, first, words image.Rectangle) (img *image.Gray, base int) {
	h := s.letterHeight
	capital := imaging.Resize(imaging.Crop(s.img, initial), max(initial.Dx()*capitalHeight*h/2/initial.Dy(), 1), capitalHeight*h/2)
	words = image.Rect(first.Min.X, words.Min.Y-h/2, words.Max.X+h/2, words.Max.Y+h/2).Intersect(s.img.Rect)
	left := h + capital.Rect.Dx() + h/4
	out := image.NewGray(image.Rect(0, 0, left+words.Dx(), words.Dy()))
	draw.Draw(out, out.Rect, image.White, image.Point{}, draw.Src)
	imaging.Copy(out, image.Rect(left, 0, out.Rect.Max.X, out.Rect.Max.Y), s.img, words.Min)
	base = first.Max.Y - words.Min.Y
	imaging.Copy(out, image.Rect(h, base-capital.Rect.Dy(), h+capital.Rect.Dx(), base), capital, image.Point{})
	return out, base
}

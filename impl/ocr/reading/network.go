package reading

import (
	"cmp"
	"context"
	"fmt"
	"image"
	"math"
	"slices"

	"uncial/impl/ocr/correct"
	"uncial/impl/ocr/hand"
	"uncial/impl/ocr/imaging"
	"uncial/impl/ocr/layout"
	"uncial/impl/ocr/models/own"
	"uncial/impl/ocr/neural"
	"uncial/impl/ocr/tesseract"
	"uncial/internal/document"
)

// mayUseNetwork reports whether the page has print that the network for print can read.
func mayUseNetwork(p *page) bool {
	_, ok := p.src.(hand.Reader)
	return ok && !p.isHand && p.src.Has(own.Print) && isLatinScript(p.language)
}

// passage is a part of a line of print that the network reads: doubtful words and their neighbours.
type passage struct {
	line  *document.Line
	words document.Box // their box
	// left and right are the columns between which it is cut out: the middles of the gaps before and after the words, or their edges
	// where boxes overlap.
	left, right int
	least       float64 // confidence of the least sure word
	length      float64 // share of the line
	read        []document.Word
}

// voteByNetwork reads the most doubtful passages of print with our own network too, and corrects them where that reading is likelier to be right.
func voteByNetwork(ctx context.Context, p *page) error {
	passages := p.doubtfulPassages(surePassage, networkShare)
	if len(passages) == 0 { // on clean pages, the vote of the network would spoil as much as it corrects
		return nil
	}
	trust, err := p.readByNetwork(ctx, passages)
	if err != nil || trust < minNetworkTrust {
		return err
	}
	knowledge, err := p.knowledge()
	if err != nil {
		return err
	}
	knowledge.NetworkAlone, knowledge.NetworkTrust, p.networkReads = true, trust, true
	other := p.otherLines()
	lines, readings := byLine(passages)
	for i, line := range lines {
		readings[i].Other = wordsNear(other, line)
		if p.options.Candidates != nil && !p.options.Enhance {
			p.options.Candidates(line.Words, knowledge.Candidates(line.Words, readings[i]))
			continue
		}
		knowledge.Vote(line, readings[i])
		correct.Confirm(line.Words, readings[i].Network)
	}
	return nil
}

// doubtfulPassages returns the passages of print with words less confident than sure, the most doubtful first. All together they are
// at most as long as a share of the page's lines, or minNetworkLines if that is more.
func (p *page) doubtfulPassages(sure, share float64) []passage {
	var out []passage
	for _, line := range doubtfulLines(p.read.Blocks) {
		for from := 0; from < len(line.Words); from++ {
			if line.Words[from].Confidence >= sure {
				continue
			}
			to := from + 1
			for i := to; i < min(to+2*networkContext+1, len(line.Words)); i++ { // the contexts would overlap or touch
				if line.Words[i].Confidence < sure {
					to = i + 1
				}
			}
			out = append(out, newPassage(line, max(from-networkContext, 0), min(to+networkContext, len(line.Words))))
			from = to
		}
	}
	slices.SortStableFunc(out, func(a, b passage) int { return cmp.Compare(a.least, b.least) })
	lines := 0
	for range document.Lines(p.read.Blocks) {
		lines++
	}
	return withinLength(out, max(share*float64(lines), minNetworkLines))
}

// newPassage returns the words [from, to) of a line.
func newPassage(line *document.Line, from, to int) passage {
	words := line.Words[from:to]
	out := passage{line: line, words: document.WordsBox(words), least: 1, left: math.MinInt32, right: math.MaxInt32}
	for _, w := range words {
		out.least = min(out.least, w.Confidence)
	}
	if from > 0 {
		out.left = min((rightEdge(line.Words[from-1].Box)+out.words.X)/2, out.words.X)
	}
	if to < len(line.Words) {
		out.right = max((rightEdge(out.words)+line.Words[to].Box.X)/2, rightEdge(out.words))
	}
	out.length = float64(out.words.W) / float64(max(document.WordsBox(line.Words).W, 1))
	return out
}

// withinLength returns as many of the first passages as are together at most so many lines long.
func withinLength(passages []passage, lines float64) []passage {
	for i, p := range passages {
		if lines -= p.length; lines < 0 {
			return passages[:i]
		}
	}
	return passages
}

// readByNetwork reads passages, the most doubtful of which come first, with the network for print, and returns how far it is to be trusted. It
// reads the surest of them first; if it reads these badly, it reads no others. If it reads all of them badly, it is not trusted either.
func (p *page) readByNetwork(ctx context.Context, passages []passage) (trust float64, err error) {
	surest := max(len(passages)-networkProbe, 0)
	for _, part := range [][]passage{passages[surest:], passages[:surest]} {
		read, err := p.readPassages(ctx, part, 1)
		if err != nil {
			return 0, err
		}
		for i := range part {
			part[i].read = read[i]
		}
		if trust = correct.NetworkTrust(byLine(passages)); trust < minNetworkTrust {
			return trust, nil
		}
	}
	return trust, nil
}

// byLine returns the lines of passages, in the order of their first passages, and what was read in each.
func byLine(passages []passage) (lines []*document.Line, readings []correct.Readings) {
	at := map[*document.Line]int{}
	for _, p := range passages {
		i, ok := at[p.line]
		if !ok {
			i = len(lines)
			at[p.line], lines, readings = i, append(lines, p.line), append(readings, correct.Readings{})
		}
		readings[i].Network = append(readings[i].Network, correct.Passage{Box: p.words, Words: p.read})
	}
	return lines, readings
}

// readPassages reads passages with the network, at a multiple of their width. There are no words for a passage that is too narrow or blank. Boxes
// of words are in pixels of the page; confidences are the network's own.
func (p *page) readPassages(ctx context.Context, passages []passage, width float64) ([][]document.Word, error) {
	bands := make([]layout.Band, len(passages))
	usual := p.usualHeight()
	for i, at := range passages {
		bands[i] = p.bandOf(at, usual)
	}
	var strips []layout.Strip
	var images []*image.Gray
	var of []int // the index of each strip's passage
	for i, l := range layout.Given(p.sheetRead(), bands) {
		if s, ok := l.Strip(); ok {
			strips, images, of = append(strips, s), append(images, stretched(s.Image, width)), append(of, i)
		}
	}
	read, err := p.src.(hand.Reader).ReadStrips(ctx, own.Print, images)
	if err != nil {
		return nil, err
	}
	out := make([][]document.Word, len(passages))
	for k, words := range read {
		for _, w := range words {
			if text := document.WordText(w.Text); text != "" {
				out[of[k]] = append(out[of[k]], document.Word{
					Text: text, Box: p.sheet.boxOnPage(strips[k].Box(narrowed(w.Box, width))), Confidence: w.Confidence / 100, Model: own.Print, Signals: w.Signals,
				})
			}
		}
	}
	return out, nil
}

// stretched returns an image at a multiple of its width.
func stretched(g *image.Gray, width float64) *image.Gray {
	if width == 1 {
		return g
	}
	return imaging.Resize(g, int(math.Round(width*float64(g.Rect.Dx()))), g.Rect.Dy())
}

// narrowed returns a box of a stretched image in pixels of the original.
func narrowed(r image.Rectangle, width float64) image.Rectangle {
	return image.Rect(int(float64(r.Min.X)/width), r.Min.Y, int(math.Ceil(float64(r.Max.X)/width)), r.Max.Y)
}

// bandOf returns where the ink of a passage lies on the sheet. usual is how far the letters of most lines reach above their baseline.
func (p *page) bandOf(at passage, usual float64) layout.Band {
	band := p.heightOf(at.line, usual)
	words := p.sheet.boxOnSheet(at.words)
	band.X0, band.X1 = float64(words.X), float64(words.X+words.W)
	padding := layout.Padding * (band.Up + band.Down) // which the strip adds
	if at.left > math.MinInt32 {
		band.X0 = max(band.X0, float64(p.sheet.boxOnSheet(document.Box{X: at.left, Y: at.words.Y}).X)+padding)
	}
	if at.right < math.MaxInt32 {
		band.X1 = min(band.X1, float64(p.sheet.boxOnSheet(document.Box{X: at.right, Y: at.words.Y}).X)-padding)
	}
	return band
}

// heightOf returns a band of the height of a line, without ends.
func (p *page) heightOf(line *document.Line, usual float64) layout.Band {
	if len(line.Baseline) < 2 {
		box := p.sheet.boxOnSheet(document.WordsBox(line.Words))
		height, foot := float64(box.H), float64(box.Y)+bandFoot*float64(box.H)
		return layout.Band{Baseline: []layout.Vertex{{X: float64(box.X), Y: foot}}, Up: bandUp * height, Down: bandDown * height}
	}
	up, down, vertices := p.reach(line)
	up = max(up, min(usual, maxTaller*up))
	down = max(min(down, maxDown*up), minDown*up)
	return layout.Band{Baseline: vertices, Up: bandMargin * up, Down: bandMargin * down}
}

// reach returns how far the boxes of a line's words reach above and below its baseline, and the baseline on the sheet.
func (p *page) reach(line *document.Line) (up, down float64, baseline []layout.Vertex) {
	for _, v := range line.Baseline {
		at := p.sheet.boxOnSheet(document.Box{X: v.X, Y: v.Y})
		baseline = append(baseline, layout.Vertex{X: float64(at.X), Y: float64(at.Y)})
	}
	b := layout.Band{Baseline: baseline}
	for _, w := range line.Words {
		box := p.sheet.boxOnSheet(w.Box)
		foot := b.At(float64(box.X) + float64(box.W)/2)
		up, down = max(up, foot-float64(box.Y)), max(down, float64(box.Y+box.H)-foot)
	}
	return up, down, baseline
}

// usualHeight returns the median of how far the letters of the lines reach above their baseline.
func (p *page) usualHeight() float64 {
	var all []float64
	for line := range document.Lines(p.read.Blocks) {
		if !line.Handwritten && len(line.Baseline) > 1 {
			up, _, _ := p.reach(line)
			all = append(all, up)
		}
	}
	if len(all) == 0 {
		return 0
	}
	slices.Sort(all)
	return all[len(all)/2]
}

// prints reads lines with the network for print, which it loads before it reads the first one.
type prints struct {
	model *neural.Model
	recognizers
}

// read reads each strip as one line, on at most the given number of threads, and at least one.
func (n *prints) read(ctx context.Context, strips []*image.Gray, threads int) ([][]tesseract.Word, error) {
	if n.model == nil {
		model, err := neural.Load(own.PrintFile())
		if err != nil {
			return nil, fmt.Errorf("%s: %w", own.Print, err)
		}
		n.model = model
	}
	out := make([][]tesseract.Word, len(strips))
	open := func() *neural.Recognizer { return neural.NewRecognizer(n.model, nil) }
	err := n.each(ctx, len(strips), threads, open, func(r *neural.Recognizer, i int) { out[i] = toPrinted(r.Read(strips[i])) })
	return out, err
}

// toPrinted converts words that the network for print read. Their confidence is the probability of their least certain character.
func toPrinted(words []neural.Word) []tesseract.Word {
	var out []tesseract.Word
	for _, w := range words {
		least, sum := 1.0, 0.0
		for _, c := range w.Characters {
			least, sum = min(least, c.Prob), sum+c.Prob
		}
		out = append(out, tesseract.Word{
			Text: w.Text, Box: w.Box, Confidence: 100 * least, Signals: &document.Signals{Letters: sum / float64(len(w.Characters))},
		})
	}
	return out
}

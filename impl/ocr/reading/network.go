package reading

import (
	"cmp"
	"context"
	"image"
	"math"
	"slices"

	"uncial/impl/ocr/correct"
	"uncial/impl/ocr/hand"
	"uncial/impl/ocr/imaging"
	"uncial/impl/ocr/layout"
	"uncial/impl/ocr/models/own"
	"uncial/impl/ocr/tesseract"
	"uncial/internal/document"
)

// mayUseNetwork reports whether the network for print is installed and reads the page's script, and the page is not all
// handwriting.
func mayUseNetwork(p *page) bool {
	_, ok := p.src.(hand.Reader)
	return ok && !p.isHandwritten && p.src.Has(own.Print) && isLatinScript(p.language)
}

// passage is a part of a line of print that the network reads: doubtful words and their neighbours.
type passage struct {
	line  *document.Line
	words document.Box // the box of the words, in pixels of the page
	// left and right are the columns of the page between which the passage is cut out: the middles of the gaps before and after
	// the words, or the edges of the words where boxes overlap. At an end of the line they are unlimited.
	left, right int
	lowest      float64         // lowest confidence of a word
	length      float64         // width as a share of the width of the line
	read        []document.Word // what the network read
}

// voteByNetwork reads the doubtful passages of print again with our own network, and corrects them where its reading is
// more likely to be right.
func voteByNetwork(ctx context.Context, p *page) error {
	passages := p.doubtfulPassages(surePassage, 1)
	if len(passages) == 0 { // on clean pages, its corrections would do as much harm as good
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

// doubtfulPassages returns the passages of print with words less confident than sure, the most doubtful first. Their total
// length is at most that share of the number of lines of the page, or minNetworkLines lines if that is more. Passages do not
// overlap, so that a share of 1 gives all.
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
	slices.SortStableFunc(out, func(a, b passage) int { return cmp.Compare(a.lowest, b.lowest) })
	lines := 0
	for range document.Lines(p.read.Blocks) {
		lines++
	}
	return withinLength(out, max(share*float64(lines), minNetworkLines))
}

// newPassage returns the passage of the words [from, to) of a line. It must have at least one word.
func newPassage(line *document.Line, from, to int) passage {
	words := line.Words[from:to]
	out := passage{line: line, words: document.WordsBox(words), lowest: 1, left: math.MinInt32, right: math.MaxInt32}
	for _, w := range words {
		out.lowest = min(out.lowest, w.Confidence)
	}
	if from > 0 {
		out.left = min((line.Words[from-1].Box.Right()+out.words.X)/2, out.words.X)
	}
	if to < len(line.Words) {
		out.right = max((out.words.Right()+line.Words[to].Box.X)/2, out.words.Right())
	}
	out.length = float64(out.words.W) / float64(max(document.WordsBox(line.Words).W, 1))
	return out
}

// withinLength returns as many of the first passages as have a total length of at most that many lines.
func withinLength(passages []passage, lines float64) []passage {
	for i, p := range passages {
		if lines -= p.length; lines < 0 {
			return passages[:i]
		}
	}
	return passages
}

// readByNetwork reads passages, sorted from the most to the least doubtful, with the network for print, and returns the trust
// in the network (correct.NetworkTrust). It reads the networkProbe least doubtful passages first. If the trust is below
// minNetworkTrust then, it does not read the others.
func (p *page) readByNetwork(ctx context.Context, passages []passage) (trust float64, err error) {
	surest := max(len(passages)-networkProbe, 0)
	for _, part := range [][]passage{passages[surest:], passages[:surest]} {
		if len(part) == 0 {
			break
		}
		read, err := p.readPassages(ctx, part, 1)
		if err != nil {
			return 0, err
		}
		for i := range part {
			part[i].read = read[0][i]
		}
		if trust = correct.NetworkTrust(byLine(passages)); trust < minNetworkTrust {
			return trust, nil
		}
	}
	return trust, nil
}

// byLine groups passages by line. It returns the lines, in the order of their first passages, and what the network read in each
// line.
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

// readPassages reads passages with the network once for each width, a factor by which it scales them horizontally. It returns
// the words of each passage by width. A passage that is blank or too narrow has no words. Boxes of words are in pixels of the
// page; confidences are the network's own.
func (p *page) readPassages(ctx context.Context, passages []passage, widths ...float64) ([][][]document.Word, error) {
	bands := make([]layout.Band, len(passages))
	usual := p.usualHeight()
	for i, at := range passages {
		bands[i] = p.bandOf(at, usual)
	}
	var strips []layout.Strip
	var of []int // the index of each strip's passage
	for i, l := range layout.Given(p.sheetRead(), bands) {
		if s, ok := l.Strip(); ok {
			strips, of = append(strips, s), append(of, i)
		}
	}
	out := make([][][]document.Word, len(widths))
	for n, width := range widths {
		images := make([]*image.Gray, len(strips))
		for k, s := range strips {
			images[k] = stretched(s.Image, width)
		}
		read, err := p.src.(hand.Reader).ReadStrips(ctx, own.Print, images)
		if err != nil {
			return nil, err
		}
		out[n] = make([][]document.Word, len(passages))
		for k, words := range read {
			out[n][of[k]] = p.toWords(words, strips[k], width)
		}
	}
	return out, nil
}

// toWords returns what the network read in a strip that was scaled horizontally by the factor width, without blank words.
func (p *page) toWords(read []tesseract.Word, strip layout.Strip, width float64) []document.Word {
	var words []document.Word
	for _, w := range read {
		if text := document.WordText(w.Text); text != "" {
			words = append(words, document.Word{
				Text: text, Box: p.sheet.boxOnPage(strip.Box(narrowed(w.Box, width))), Confidence: w.Confidence / 100, Model: own.Print, Signals: w.Signals,
			})
		}
	}
	return words
}

// stretched returns an image scaled horizontally by the factor width.
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

// bandOf returns the band of a passage on the sheet. usual is the distance that the letters of most lines reach above their
// baseline, in pixels of the sheet.
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

// heightOf returns a band with the baseline and the height of a line on the sheet. The caller sets X0 and X1.
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

// reach returns how far the boxes of a line's words reach above and below its baseline, and the baseline, all in pixels of the
// sheet.
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

// usualHeight returns the median distance that the words of printed lines reach above their baseline, in pixels of the sheet.
// It is 0 if no line has a baseline.
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

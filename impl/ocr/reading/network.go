package reading

import (
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

// voteByNetwork reads the most doubtful lines of print with our own network too, and corrects them where that reading is likelier to be right.
func voteByNetwork(ctx context.Context, p *page) error {
	lines := doubtfulLines(p.read.Blocks)
	lines = lines[:min(len(lines), p.maxReadings(networkShare, minNetworkLines))]
	if len(lines) == 0 {
		return nil
	}
	read, err := p.readByNetwork(ctx, lines)
	if err != nil {
		return err
	}
	knowledge, err := p.knowledge()
	if err != nil {
		return err
	}
	readings, other := make([]correct.Readings, len(lines)), p.otherLines()
	for i, line := range lines {
		readings[i] = correct.Readings{Network: [][]document.Word{read[i]}, Other: wordsNear(other, line)}
	}
	knowledge.NetworkAlone, knowledge.NetworkTrust = true, correct.NetworkTrust(lines, readings)
	p.byNetwork = map[*document.Line][]document.Word{}
	for i, line := range lines {
		p.byNetwork[line] = read[i]
		if p.options.Candidates != nil && !p.options.Enhance {
			p.options.Candidates(line.Words, knowledge.Candidates(line.Words, readings[i]))
			continue
		}
		knowledge.Vote(line, readings[i])
		correct.Confirm(line.Words, read[i])
	}
	return nil
}

// readByNetwork reads lines, the most doubtful of which come first, with the network for print. It reads the surest of
// them first; if it reads these badly, it reads no others, and there are no readings. Otherwise there is one for each line, nil for a line that is too
// narrow or blank.
func (p *page) readByNetwork(ctx context.Context, lines []*document.Line) ([][]document.Word, error) {
	out := make([][]document.Word, len(lines))
	surest := max(len(lines)-networkProbe, 0)
	probe, err := p.readStrips(ctx, lines[surest:], 1)
	if err != nil {
		return nil, err
	}
	readings := make([]correct.Readings, len(probe))
	for i := range probe {
		readings[i].Network = [][]document.Word{probe[i]}
	}
	if correct.NetworkTrust(lines[surest:], readings) < minNetworkTrust {
		return out, nil
	}
	others, err := p.readStrips(ctx, lines[:surest], 1)
	if err != nil {
		return nil, err
	}
	return append(others, probe...), nil
}

// readStrips reads lines of print with the network, at a multiple of their width. Boxes of words are in pixels of the page; confidences are the network's own.
func (p *page) readStrips(ctx context.Context, lines []*document.Line, width float64) ([][]document.Word, error) {
	bands := make([]layout.Band, len(lines))
	usual := p.usualHeight()
	for i, line := range lines {
		bands[i] = p.bandOf(line, usual)
	}
	var strips []layout.Strip
	var images []*image.Gray
	var of []int // the index of each strip's line
	for i, l := range layout.Given(p.sheetRead(), bands) {
		if s, ok := l.Strip(); ok {
			strips, images, of = append(strips, s), append(images, stretched(s.Image, width)), append(of, i)
		}
	}
	read, err := p.src.(hand.Reader).ReadStrips(ctx, own.Print, images)
	if err != nil {
		return nil, err
	}
	out := make([][]document.Word, len(lines))
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

// bandOf returns where the ink of a line of print lies on the sheet. usual is how far the letters of most lines reach above their baseline.
func (p *page) bandOf(line *document.Line, usual float64) layout.Band {
	box := p.sheet.boxOnSheet(document.WordsBox(line.Words))
	if len(line.Baseline) < 2 {
		height, foot := float64(box.H), float64(box.Y)+bandFoot*float64(box.H)
		return layout.Band{
			Baseline: []layout.Vertex{{X: float64(box.X), Y: foot}}, X0: float64(box.X), X1: float64(box.X + box.W),
			Up: bandUp * height, Down: bandDown * height,
		}
	}
	up, down, vertices := p.reach(line)
	up = max(up, min(usual, maxTaller*up))
	down = max(min(down, maxDown*up), minDown*up)
	return layout.Band{Baseline: vertices, X0: float64(box.X), X1: float64(box.X + box.W), Up: bandMargin * up, Down: bandMargin * down}
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

package reading

import (
	"context"
	"errors"
	"image"
	"math"
	"regexp"
	"slices"

	"uncial/impl/ocr/correct"
	"uncial/impl/ocr/hand"
	"uncial/impl/ocr/imaging"
	"uncial/impl/ocr/layout"
	"uncial/impl/ocr/models/own"
	"uncial/impl/ocr/tesseract"
	"uncial/internal/document"
)

// mayUseNetwork reports whether the network for print is installed, reads the page's script, and has not read the page along
// found lines, and the page is print that makes sense.
func mayUseNetwork(p *page) bool {
	_, ok := p.src.(hand.Reader)
	return ok && !p.isHandwritten && !p.isGibberish && !p.alongFound && (isLatinScript(p.language) || p.model == ancientGreek) &&
		!slices.ContainsFunc(p.networksForPrint(), func(network string) bool { return !p.src.Has(network) })
}

// networksForPrint returns the names of the networks that read the print of the page: print and greek if Greek was read,
// iberian in Spanish and Portuguese, and print otherwise.
func (p *page) networksForPrint() []string {
	if p.hasGreek() {
		return []string{own.Print, own.Greek}
	}
	if isLanguage(p.language, "es", "pt") {
		return []string{own.Iberian}
	}
	return []string{own.Print}
}

// voteByNetwork reads the lines of print with our own network too, and replaces their words where its reading is more likely to
// be right. It reads the last networkProbe lines, the least doubtful ones, first. If the trust in the network is below
// minNetworkTrust then, it does not read the others, and changes nothing.
func voteByNetwork(ctx context.Context, p *page) error {
	p.networks = p.networksForPrint()
	lines := slices.DeleteFunc(linesByDoubt(p.read.Blocks), isOurs) // they may be legible only in a wider strip than here
	readings, trust := make([]correct.Readings, len(lines)), 0.0
	surest := max(len(lines)-networkProbe, 0)
	for _, span := range [][2]int{{surest, len(lines)}, {0, surest}} {
		if span[0] == span[1] {
			continue
		}
		read, err := p.readLines(ctx, lines[span[0]:span[1]], 1)
		if err != nil {
			return err
		}
		for i, words := range read[0] {
			readings[span[0]+i].Network = [][]document.Word{words}
		}
		if trust = correct.NetworkTrust(lines, readings); trust < minNetworkTrust {
			break
		}
	}
	if p.networkTrust = trust; trust < minNetworkTrust {
		return nil
	}
	if err := p.readAlongFound(ctx, lines, readings); err != nil && !errors.Is(err, context.DeadlineExceeded) {
		return err // without the time for it, the readings that there are suffice
	}
	return p.correctByNetwork(lines, readings)
}

// isOurs reports whether a line was read by a network for print alone.
func isOurs(l *document.Line) bool {
	return !slices.ContainsFunc(l.Words, func(w document.Word) bool { return !own.ReadsPrint(w.Model) })
}

// correctByNetwork replaces words of lines that the network for print has read.
func (p *page) correctByNetwork(lines []*document.Line, readings []correct.Readings) error {
	correct.WithoutFalseLongS(lines, readings)
	knowledge, err := p.knowledge()
	if err != nil {
		return err
	}
	knowledge.NetworkAlone = true
	knowledge.LongS = knowledge.LongS || correct.ReadsLongS(readings)
	ink := newBoxIndex(p.sheet.components)
	for i, line := range lines {
		correct.Confirm(line.Words, readings[i].Network[0])
		if p.options.Candidates != nil && !p.options.Enhance {
			p.options.Candidates(line.Words, knowledge.Candidates(line.Words, readings[i]))
			continue
		}
		had := slices.Clone(line.Words)
		knowledge.Vote(line, readings[i])
		p.dropFalseMarks(line, had, ink)
		knowledge.DigitsInCells(line)
	}
	fitBlocks(p.read.Blocks)
	return nil
}

// readLines reads lines with the networks for print once for each width, a factor by which it scales them horizontally. It
// returns the words of each line by width. A line that is blank or too narrow has no words. Boxes of words are in pixels of the
// page; confidences are the network's own. Initials that were joined to their words are not read again.
func (p *page) readLines(ctx context.Context, lines []*document.Line, widths ...float64) ([][][]document.Word, error) {
	bands, initials := make([]layout.Band, len(lines)), make([]*initial, len(lines))
	usual := p.usualHeight()
	for i, line := range lines {
		var rest document.Line
		rest, initials[i] = p.withoutInitial(*line)
		bands[i] = p.bandOf(&rest, usual)
	}
	var strips []layout.Strip
	var of []int // the index of each strip's line
	for i, l := range layout.Given(p.sheet.img, bands) {
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
		read, err := p.readStrips(ctx, p.networks, images, func(k int, r image.Rectangle) document.Box {
			return p.sheet.boxOnPage(strips[k].Box(narrowed(r, width)))
		})
		if err != nil {
			return nil, err
		}
		out[n] = make([][]document.Word, len(lines))
		for k, words := range read {
			if in := initials[of[k]]; in != nil {
				words = withInitial(words, in)
			}
			out[n][of[k]] = words
		}
	}
	return out, nil
}

// readStrips returns the words that networks for print read in strips. Where the network for Greek reads, the one for Latin
// letters comes first, because it reads Latin words better. place returns the box on the page of a box in pixels of a
// strip, which it gets by index.
func (p *page) readStrips(
	ctx context.Context, networks []string, strips []*image.Gray, place func(strip int, r image.Rectangle) document.Box,
) ([][]document.Word, error) {
	out := make([][]document.Word, len(strips))
	for n, network := range networks {
		read, err := p.src.(hand.Reader).ReadStrips(ctx, network, strips)
		if err != nil {
			return nil, err
		}
		for i, words := range read {
			found := networkWords(network, words, func(r image.Rectangle) document.Box { return place(i, r) })
			if n > 0 {
				found = correct.WithLatin(found, out[i])
			}
			p.inOwnLetters(found)
			out[i] = found
		}
	}
	return out, nil
}

// denominators matches a fraction with the digit under its bar, which a network often reads twice.
var denominators = regexp.MustCompile("(½)2|([¼¾])4")

// networkWords returns what a network for print read in a strip, without blank words and with the network's own confidences.
// place returns the box on the page of a box in pixels of the strip.
func networkWords(network string, read []tesseract.Word, place func(image.Rectangle) document.Box) []document.Word {
	var words []document.Word
	for _, w := range read {
		if text := document.WordText(denominators.ReplaceAllString(w.Text, "$1$2")); text != "" {
			words = append(words, document.Word{
				Text: text, Box: place(w.Box), Confidence: w.Confidence / 100, Model: network, Signals: w.Signals,
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

// bandOf returns the band of a line on the sheet. usual is the distance that the letters of most lines reach above their
// baseline, in pixels of the sheet.
func (p *page) bandOf(line *document.Line, usual float64) layout.Band {
	box := p.sheet.wordsOnSheet(line.Words)
	band := layout.Band{X0: float64(box.X), X1: float64(box.X + box.W)}
	if len(line.Baseline) < 2 {
		height, foot := float64(box.H), float64(box.Y)+bandFoot*float64(box.H)
		band.Baseline, band.Up, band.Down = []layout.Vertex{{X: float64(box.X), Y: foot}}, bandUp*height, bandDown*height
		return band
	}
	up, down, vertices := p.reach(line)
	up = max(up, min(usual, maxTaller*up))
	down = max(min(down, maxDown*up), minDown*up)
	band.Baseline, band.Up, band.Down = vertices, bandMargin*up, bandMargin*down
	return band
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

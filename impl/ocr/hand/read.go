package hand

import (
	"context"
	"image"
	"slices"
	"strings"
	"unicode/utf8"

	"uncial/impl/ocr/layout"
	"uncial/impl/ocr/tesseract"
	"uncial/internal/document"
)

// reading is the reading of one line.
type reading struct {
	at         document.Box // of the line that was found
	line       document.Line
	listed     []document.Word // Readings.Listed, placed on the page
	thorough   []document.Word // Readings.Thorough, placed on the page
	confidence float64         // the recognizer's own, 0..1, weighted by the length of the words
	characters int
	edits      []document.Edit
}

// readLines reads lines with the handwriting model. It reads each line only once, and caches the reading. The readings of lines
// without text are empty; lines too narrow for a strip are left out.
func (p *Page) readLines(ctx context.Context, r Reader, all []layout.Line) ([]reading, error) {
	fresh := slices.DeleteFunc(slices.Clone(all), func(l layout.Line) bool {
		_, ok := p.known[l.Box()]
		return ok
	})
	err := p.choose(ctx, r, fresh)
	if err != nil {
		return nil, err
	}
	strips, images := cut(fresh)
	readings, err := r.ReadStripsAgain(ctx, p.models.Handwriting, images, Search{Known: p.models.Known, Language: p.models.Language, Thorough: p.models.Enhance})
	if err != nil {
		return nil, err
	}
	for i, s := range strips {
		read := p.models.reading(s, readings[i].First)
		read.listed, read.thorough = p.models.words(s, readings[i].Listed), p.models.words(s, readings[i].Thorough)
		p.known[s.Line().Box()] = read
	}
	var out []reading
	for _, l := range all {
		if read, ok := p.known[l.Box()]; ok {
			out = append(out, read)
		}
	}
	return out, nil
}

// cut returns the strips of the lines that are wide enough for one, and their images.
func cut(all []layout.Line) (strips []layout.Strip, images []*image.Gray) {
	for _, l := range all {
		if s, ok := l.Strip(); ok {
			strips = append(strips, s)
			images = append(images, s.Image)
		}
	}
	return strips, images
}

// reading returns the reading of a strip, given its words.
func (m *Models) reading(s layout.Strip, words []tesseract.Word) reading {
	out := reading{at: s.Line().Box(), line: document.Line{Baseline: s.Baseline(), Handwritten: true}}
	out.confidence, out.characters = meanConfidence(words)
	out.line.Words = m.words(s, words)
	out.line.Box = document.WordsBox(out.line.Words)
	return out
}

// words returns the words of a strip with boxes in pixels of the page. It drops those of > and < alone, which stand for what
// was struck out in the texts that the model learnt from.
func (m *Models) words(s layout.Strip, read []tesseract.Word) []document.Word {
	var words []document.Word
	boxes := withoutOverlap(read)
	for i, w := range read {
		if text := document.WordText(w.Text); strings.Trim(text, "><") != "" {
			words = append(words, document.Word{Box: s.Box(boxes[i]), Text: text, Confidence: ExpectedAccuracy(confidenceOf(w)), Model: m.Handwriting, Signals: w.Signals})
		}
	}
	return words
}

// isNoise reports whether a line of handwriting is probably not writing on this side of the page; see IsNoise.
func (r reading) isNoise() bool {
	return r.line.Handwritten && IsNoise(r.line.Words, r.confidence)
}

// IsNoise reports whether the words that a network read in a line are probably not writing on this side of the page, but a
// stain, an ornament, or writing that shows through. own is the network's own confidence in them, 0..1. Hardly any character of
// such lines is likely to be right. Most are short, and the search found many other likely texts for them.
func IsNoise(words []document.Word, own float64) bool {
	right, n := ExpectedAccuracy(own), 0
	for _, w := range words {
		n += utf8.RuneCountInString(w.Text)
	}
	switch {
	case right < noiseLine:
		return true
	case n < tinyLine:
		return posterior(words) < scatteredTiny
	case n < shortLine:
		return right < shortNoise && posterior(words) < scatteredTexts
	}
	return false
}

// posterior returns the mean posterior probability of words, weighted by their length. Words that have none, which the network
// for print read, count as 1 if it is sure of them, and otherwise as 0.
func posterior(words []document.Word) float64 {
	var sum, n float64
	for _, w := range words {
		share := 1.0
		if s := w.Signals; s != nil {
			if share = s.Posterior; share == 0 && w.Confidence >= surePrinted {
				share = 1
			}
		}
		length := float64(utf8.RuneCountInString(w.Text))
		sum, n = sum+length*share, n+length
	}
	return sum / max(n, 1)
}

// meanConfidence returns the mean confidence of words, 0..1, weighted by their length, and the number of their characters.
func meanConfidence(words []tesseract.Word) (confidence float64, characters int) {
	var sum float64
	for _, w := range words {
		n := utf8.RuneCountInString(document.WordText(w.Text))
		sum += float64(n) * confidenceOf(w)
		characters += n
	}
	return sum / float64(max(characters, 1)), characters
}

// confidenceOf returns the recognizer's confidence in a word as 0..1.
func confidenceOf(w tesseract.Word) float64 { return min(max(w.Confidence/100, 0), 1) }

// withoutOverlap returns the boxes of words, shortened so that each ends where the next begins. The recognizer makes some boxes
// half a line wide.
func withoutOverlap(words []tesseract.Word) []image.Rectangle {
	boxes := make([]image.Rectangle, len(words))
	for i, w := range words {
		boxes[i] = w.Box
		if i == 0 {
			continue
		}
		before, here := &boxes[i-1], &boxes[i]
		switch {
		case before.Max.X <= here.Min.X:
		case before.Min.X < here.Min.X:
			before.Max.X = here.Min.X
		case before.Max.X < here.Max.X:
			here.Min.X = before.Max.X
		}
	}
	return boxes
}

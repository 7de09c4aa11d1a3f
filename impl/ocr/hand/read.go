package hand

import (
	"context"
	"image"
	"slices"
	"unicode/utf8"

	"uncial/impl/ocr/layout"
	"uncial/impl/ocr/tesseract"
	"uncial/internal/document"
)

// reading is what was read of one line.
type reading struct {
	at         document.Box // of the line that was found
	line       document.Line
	read       []tesseract.Word // those of the line, with the recognizer's other choices
	confidence float64          // the recognizer's own, 0..1, weighted by the length of the words
	characters int
	edits      []document.Edit
}

// readLines reads lines with the model for hands, each once. Lines without text remain, empty; those that are too narrow
// for a strip do not.
func (p *Page) readLines(ctx context.Context, r Reader, all []layout.Line) ([]reading, error) {
	fresh := slices.DeleteFunc(slices.Clone(all), func(l layout.Line) bool {
		_, ok := p.known[l.Box()]
		return ok
	})
	strips, images := cut(fresh, layout.Stretch)
	words, err := r.ReadStrips(ctx, p.models.Hand, images, tesseract.Detail(p.models.Enhance))
	if err != nil {
		return nil, err
	}
	for i, s := range strips {
		p.known[s.Line().Box()] = p.models.reading(s, words[i])
	}
	var out []reading
	for _, l := range all {
		if read, ok := p.known[l.Box()]; ok {
			out = append(out, read)
		}
	}
	return out, nil
}

// cut is the strips of the lines that are wide enough for one.
func cut(all []layout.Line, stretch float64) ([]layout.Strip, []*image.Gray) {
	var strips []layout.Strip
	var images []*image.Gray
	for _, l := range all {
		if s, ok := l.Strip(stretch); ok {
			strips = append(strips, s)
			images = append(images, s.Image)
		}
	}
	return strips, images
}

// settle corrects what was read of a hand, where that is asked for and the model has learnt its language, and claims of it
// what may be claimed. The words are copied, for the page keeps those that were read.
func (m *Models) settle(all []reading, learnt bool) {
	for i := range all {
		all[i].line.Words = slices.Clone(all[i].line.Words)
		for j, w := range all[i].read {
			word := &all[i].line.Words[j]
			word.Confidence = claimed(word.Confidence, learnt)
			if !m.Enhance || !learnt {
				continue
			}
			if better, ok := correct(w, m.Learnt); ok {
				before := word.Text
				word.Text = document.WordText(better)
				all[i].edits = append(all[i].edits, document.Edit{
					Box: word.Box, Before: before, After: word.Text, Rule: RuleLexicon, Confidence: word.Confidence,
				})
			}
			word.Known = m.Learnt != nil && m.Learnt.Known(word.Text)
		}
	}
}

// inTurn are the boxes of words, each ending where the next begins: the recognizer gives some the width of half a line.
func inTurn(words []tesseract.Word) []image.Rectangle {
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

// reading puts the words of a strip to their place on the page.
func (m *Models) reading(s layout.Strip, words []tesseract.Word) reading {
	out := reading{at: s.Line().Box(), line: document.Line{Baseline: s.Baseline(), Handwritten: true}}
	boxes := inTurn(words)
	for i, w := range words {
		text, own := document.WordText(w.Text), min(max(w.Confidence/100, 0), 1)
		if text == "" {
			continue
		}
		word := document.Word{Box: s.Box(boxes[i]), Text: text, Confidence: likelyWord(own), Model: m.Hand}
		n := utf8.RuneCountInString(text)
		out.confidence += own * float64(n)
		out.characters += n
		out.line.Words, out.read = append(out.line.Words, word), append(out.read, w)
		out.line.Box = out.line.Box.Union(word.Box)
	}
	if out.characters > 0 {
		out.confidence /= float64(out.characters)
	}
	return out
}

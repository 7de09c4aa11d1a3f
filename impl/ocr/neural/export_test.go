package neural

import (
	"math"
	"slices"
)

// Recognizers returns a recognizer for each instruction set of this processor, by the name of the set.
func Recognizers(m *Model, l *Language) map[string]*Recognizer {
	out := map[string]*Recognizer{}
	for _, k := range available() {
		out[k.name] = newRecognizer(m, l, k)
	}
	return out
}

// Scores returns the log probabilities of the classes at each step. ink has 48 rows of width values.
func (r *Recognizer) Scores(ink []float32, width int) [][]float32 {
	rows, steps := r.net.scores(ink, width)
	out := make([][]float32, steps)
	for t := range out {
		out[t] = append([]float32(nil), rows[t*r.net.out.stride:t*r.net.out.stride+r.net.out.classes]...)
	}
	return out
}

// Text returns the text of a line, given the network's probabilities of the classes at each step.
func (r *Recognizer) Text(probabilities [][]float32) string { return r.TextKnowing(nil, probabilities) }

// TextKnowing is Text with word lists.
func (r *Recognizer) TextKnowing(known func(string) bool, probabilities [][]float32) string {
	g := r.guide
	g.known = known
	text := ""
	for _, c := range r.characters(g, r.rows(probabilities), len(probabilities)) {
		text += c.Text
	}
	return text
}

// Prefixes returns the texts of a search that drops prefixes from limit on, the likeliest first, and the largest number of
// prefixes that it held after a step. limit 0 is the usual one.
func (r *Recognizer) Prefixes(probabilities [][]float32, limit int) (texts []string, most int) {
	rows := r.rows(probabilities)
	b := r.net.newBeam(r.guide, r.guide.language.begin())
	for t := range probabilities {
		if limit > 0 {
			b.limit = limit
		}
		b.advance(t, rows[t*r.net.out.stride:t*r.net.out.stride+r.net.out.classes])
		most = max(most, len(b.all))
	}
	for _, t := range b.texts(0) {
		texts = append(texts, r.net.spell(t.classes))
	}
	return texts, most
}

// Compare returns the text that an ensemble finds likeliest. Each view has the probabilities of the classes at each step.
func (r *Recognizer) Compare(views ...[][]float32) string {
	j := newEnsemble(r.net, r.guide)
	for _, l := range views {
		rows := r.rows(l)
		j.add(rows, len(l), r.net.search(r.guide, rows, len(l)))
	}
	return r.net.spell(j.decide()[0].classes)
}

// Likelihood returns the probability of a text in a view.
func (r *Recognizer) Likelihood(text string, probabilities [][]float32) float64 {
	j := newEnsemble(r.net, r.guide)
	j.add(r.rows(probabilities), len(probabilities), nil)
	var classes []int
	for _, c := range text {
		classes = append(classes, slices.Index(r.net.info.Alphabet, string(c))+1)
	}
	return math.Exp(j.views[0].likelihood(classes))
}

// Words is like Text, and returns the words with their signals.
func (r *Recognizer) Words(probabilities [][]float32) []Word {
	rows, steps := r.rows(probabilities), len(probabilities)
	width := steps * step
	blank := make([]float32, lineHeight*width)
	out := words(r.characters(r.guide, rows, steps), blank, columnInk(blank, width))
	r.addSignals(out, rows, steps)
	return out
}

func (r *Recognizer) rows(probabilities [][]float32) []float32 {
	rows := make([]float32, len(probabilities)*r.net.out.stride)
	for t, p := range probabilities {
		copy(rows[t*r.net.out.stride:], p)
	}
	return rows
}

func (r *Recognizer) characters(g guide, rows []float32, steps int) []Character {
	return r.net.align(r.net.search(g, rows, steps)[0].classes, rows, steps)
}

// After returns the log probability of the last character of a text, given the others.
func (l *Language) After(text string) float64 {
	c, logp := l.begin(), 0.0
	for _, r := range text {
		symbol := uint16(0)
		for i, a := range l.alphabet {
			if a == string(r) {
				symbol = uint16(i + 1)
			}
		}
		logp, c = l.after(c, symbol)
	}
	return logp
}

// Finders returns a finder for each instruction set of this processor, by the name of the set.
func Finders(m *FinderModel) map[string]*Finder {
	out := map[string]*Finder{}
	for _, k := range available() {
		out[k.name] = newFinder(m, k)
	}
	return out
}

// ErrLanguage is wrapped by every error of LoadLanguage.
var ErrLanguage = errLanguage

// Limits and format of line models.
const (
	Format   = format
	MaxWidth = maxLineWidth
)

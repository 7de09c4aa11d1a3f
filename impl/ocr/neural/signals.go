package neural

import (
	"math"
	"slices"

	"uncial/internal/document"
	edit "uncial/internal/text"
)

// flatten is what the logarithms of likely readings of a word are multiplied by before they are compared: the network is surer of
// neighbouring steps together than of each by itself. Tuned with the weights of confidence, see impl/ocr/reading.
const flatten = 0.5

// addSignals records how sure network and character model are of each word of a line.
func (r *Recognizer) addSignals(words []Word, rows []float32, steps int) {
	before := r.guide.language.begin()
	for i := range words {
		w := &words[i]
		from, to := r.reach(words, i, rows, steps)
		w.Signals = &document.Signals{
			Wrong:   r.expectedErrors(w.classes(), rows, from, to, before),
			Entropy: r.net.entropy(w.Characters, rows, steps),
		}
		for _, c := range append(w.classes(), int(r.guide.space)) {
			_, before = r.guide.language.after(before, r.guide.symbols[c])
		}
	}
}

// reach returns the steps that word i may extend over: from the likeliest place of a space in front of it to that behind it.
func (r *Recognizer) reach(words []Word, i int, rows []float32, steps int) (from, to int) {
	space := func(from, to int) int {
		best := from
		for t := from; t < to; t++ {
			if rows[t*r.net.out.stride+int(r.guide.space)] > rows[best*r.net.out.stride+int(r.guide.space)] {
				best = t
			}
		}
		return best
	}
	first, last := words[i].ends()
	to = steps
	if i > 0 {
		_, left := words[i-1].ends()
		from = min(space(left+1, first)+1, first)
	}
	if i+1 < len(words) {
		right, _ := words[i+1].ends()
		to = max(space(last+1, right), last+1)
	}
	return from, to
}

// expectedErrors returns the share of a word's characters that are wrong, on average over the likely readings of its steps: the number of
// changes that make the word of each reading, for each of its characters, at most 1.
func (r *Recognizer) expectedErrors(word []int, rows []float32, from, to int, before context) float64 {
	texts := r.net.searchWord(r.guide, rows, from, to, before)
	var sum, errors float64
	for _, t := range texts {
		weight := math.Exp(flatten * (t.score - texts[0].score))
		sum += weight
		errors += weight * float64(edit.Distance(r.trimmed(t.classes), word))
	}
	return min(errors/sum/float64(len(word)), 1)
}

// trimmed returns classes without blanks at the beginning and end; nil if there is nothing else.
func (r *Recognizer) trimmed(classes []int) []int {
	isLetter := func(c int) bool { return c != int(r.guide.space) }
	first := slices.IndexFunc(classes, isLetter)
	if first < 0 {
		return nil
	}
	last := len(classes)
	for !isLetter(classes[last-1]) {
		last--
	}
	return classes[first:last]
}

// classes returns the class of each character in the alphabet of the model, 1 for the first.
func (w *Word) classes() []int {
	var out []int
	for _, c := range w.Characters {
		out = append(out, c.class)
	}
	return out
}

// ends returns the steps of the first and the last character.
func (w *Word) ends() (first, last int) {
	return w.Characters[0].step, w.Characters[len(w.Characters)-1].step
}

// entropy returns the largest entropy of the network's classes, in nats, at any step of a word.
func (n *network) entropy(word []Character, rows []float32, steps int) float64 {
	const minLog = -12 // smaller probabilities add nothing
	most := 0.0
	for t := max(word[0].step-1, 0); t <= min(word[len(word)-1].step+1, steps-1); t++ {
		e := 0.0
		for _, v := range rows[t*n.out.stride : t*n.out.stride+n.out.classes] {
			if v > minLog {
				e -= math.Exp(float64(v)) * float64(v)
			}
		}
		most = max(most, e)
	}
	return most
}

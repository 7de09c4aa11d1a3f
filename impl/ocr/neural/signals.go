package neural

import (
	"math"
	"slices"

	"uncial/internal/document"
	edit "uncial/internal/text"
)

// flattening is the factor by which the log probabilities of a word's likely readings are multiplied before they are compared.
// Without it they would be too far apart, because the scores of neighbouring steps depend on each other. Tuned together with
// the weights of confidence; see impl/ocr/reading.
const flattening = 0.5

// addSignals records how sure the network and the character model are of each word of a line.
func (r *Recognizer) addSignals(words []Word, rows []float32, steps int) {
	before := r.guide.language.begin()
	for i := range words {
		w := &words[i]
		from, to := r.stepsOfWord(words, i, rows, steps)
		w.Signals = &document.Signals{
			Wrong:   r.expectedErrors(w.classes(), rows, from, to, before),
			Entropy: r.net.entropy(w.Characters, rows, steps),
		}
		for _, c := range append(w.classes(), int(r.guide.space)) {
			_, before = r.guide.language.after(before, r.guide.symbols[c])
		}
	}
}

// stepsOfWord returns the range of steps in which word i is: from after the likeliest step of the space before it to the
// likeliest step of the space after it.
func (r *Recognizer) stepsOfWord(words []Word, i int, rows []float32, steps int) (from, to int) {
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

// expectedErrors returns the expected share of a word's characters that are wrong, 0..1: the mean edit distance between the
// word and the likely readings of its steps, weighted by their probabilities and divided by the length of the word.
func (r *Recognizer) expectedErrors(word []int, rows []float32, from, to int, before context) float64 {
	texts := r.net.searchWord(r.guide, rows, from, to, before)
	var sum, errors float64
	for _, t := range texts {
		weight := math.Exp(flattening * (t.score - texts[0].score))
		sum += weight
		errors += weight * float64(edit.Distance(r.trimmed(t.classes), word))
	}
	return min(errors/sum/float64(len(word)), 1)
}

// trimmed returns classes without spaces at the beginning and the end, or nil if there are only spaces.
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

// classes returns the class of each character: its index in the model's alphabet plus 1.
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
	const minLog = -12 // smaller probabilities contribute almost nothing
	largest := 0.0
	for t := max(word[0].step-1, 0); t <= min(word[len(word)-1].step+1, steps-1); t++ {
		e := 0.0
		for _, v := range rows[t*n.out.stride : t*n.out.stride+n.out.classes] {
			if v > minLog {
				e -= math.Exp(float64(v)) * float64(v)
			}
		}
		largest = max(largest, e)
	}
	return largest
}

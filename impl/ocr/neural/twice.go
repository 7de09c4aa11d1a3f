package neural

import "image"

// ReadTwice reads a line as Read does, and once more with word lists and a wider search. known reports whether a list has a word. The
// network runs once, so that the second reading adds a fifth to the time of the first.
func (r *Recognizer) ReadTwice(line *image.Gray, known func(word string) bool) (plain, again []Word) {
	rows, steps := r.score(line)
	plain = r.words(r.guide, rows, steps, line)
	if len(plain) == 0 || r.guide.language == nil {
		return plain, plain
	}
	wide := r.guide
	wide.width, wide.known = wideBeamWidth, remembered(known)
	return plain, r.words(wide, rows, steps, line)
}

// remembered returns known with a cache, because a search asks for the same words again and again.
func remembered(known func(string) bool) func(string) bool {
	memory := map[string]bool{}
	return func(word string) bool {
		is, ok := memory[word]
		if !ok {
			is = known(word)
			memory[word] = is
		}
		return is
	}
}

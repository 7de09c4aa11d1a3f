package neural

import (
	"image"
	"math"
	"slices"

	"uncial/impl/ocr/imaging"
)

// viewWidths are the widths at which a thorough reading reads a line again, as shares of its own width. Tuned on held-back
// lines of the training collections, and checked on collections that are not used for training.
var viewWidths = [...]float64{0.87, 0.93, 1.07, 1.15}

// maxSteps is the maximum length of a line that is read thoroughly, in steps of 4 pixels. Even lines across a double page are
// shorter.
const maxSteps = 1000

// A line is doubtful, and therefore read thoroughly, if its likeliest text has at most maxDoubtfulShare of the probability of
// all texts that a search found. Of the lines that were held back from training and those of unseen collections, 56 % are
// doubtful. They have 87 % of the errors that a thorough reading of all lines would correct.
const maxDoubtfulShare = 0.3

// Search configures the readings of a line.
type Search struct {
	// Known reports whether a word is listed; nil without word lists.
	Known func(word string) bool
	// First is the character model of the first reading. If it is nil, the first reading uses the recognizer's own.
	First *Language
	// CharacterModel is the character model of the search with lists. If it is nil, the search uses that of the first reading.
	CharacterModel *Language
	// Thorough requests that the line also be read at other widths if it is doubtful. Each further width takes about as long as
	// the first reading.
	Thorough bool
}

// Readings are the readings of a line.
type Readings struct {
	First    []Word // the words that Read returns, or those read with Search.First
	Listed   []Word // read with word lists; nil without them
	Thorough []Word // read with word lists and at several widths; nil if not requested, or the line is not doubtful or too long
}

// ReadAgain reads a line as Read does, but with s.First if that is set, and adds the further readings that s requests.
func (r *Recognizer) ReadAgain(line *image.Gray, s Search) Readings {
	rows, steps := r.score(line)
	g := r.guide
	if s.First != nil {
		g = newGuide(r.net.Model, s.First, languageWeight)
	}
	if steps == 0 || g.language == nil || len(r.net.best(rows, steps)) == 0 {
		return Readings{First: r.words(g, rows, steps, line)}
	}
	texts := r.net.search(g, rows, steps)
	out := Readings{First: r.placed(texts, rows, steps, line)}
	if s.Known != nil {
		if s.CharacterModel != nil {
			g = newGuide(r.net.Model, s.CharacterModel, listedWeight)
		}
		g.known = remembered(s.Known)
		texts = r.net.search(g, rows, steps)
		out.Listed = r.placed(texts, rows, steps, line)
	}
	if s.Thorough && steps <= maxSteps && sharesOf(texts)[0] <= maxDoubtfulShare {
		g.weight = languageWeight // with listedWeight, the CER of one page rose by 0.011
		e := newEnsemble(r.net, g)
		e.add(rows, steps, texts)
		out.Thorough = r.readAtWidths(e, rows, steps, line)
	}
	return out
}

// readAtWidths adds further views of the line to an ensemble, and returns the words of the text that the ensemble finds
// likeliest. rows are the scores of the line at its own width.
func (r *Recognizer) readAtWidths(e *ensemble, rows []float32, steps int, line *image.Gray) []Word {
	own := slices.Clone(rows) // r.score writes over them
	for _, share := range viewWidths {
		width := int(math.Round(share * float64(line.Rect.Dx())))
		if other, n := r.score(imaging.Resize(line, max(width, 1), lineHeight)); n > 0 {
			e.add(other, n, r.net.search(e.tree.guide, other, n))
		}
	}
	r.ink = inkOf(line, r.ink)
	return r.placed(e.decide(), own, steps, line)
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

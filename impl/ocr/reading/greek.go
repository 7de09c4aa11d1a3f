package reading

import (
	"cmp"
	"context"
	"image"
	"slices"
	"unicode"
	"unicode/utf8"

	"uncial/internal/document"
)

// ancientGreek is the name of the model for Greek with its accents.
const ancientGreek = "grc"

const (
	// doubtful is the confidence below which a word may be in another script than the model reads.
	doubtful = 0.6
	// doubtfulLetters is how many letters of doubtful words a line has at least to be worth a look.
	doubtfulLetters = 5
	// probeLines is how many lines are looked at. The most doubtful one is the only one if it has no word of Greek.
	probeLines = 3
	// greekWord is the confidence from which on a word of Greek letters is taken to be Greek. The model reads Latin
	// words too, as Greek letters of the same shape, but is not sure of them.
	greekWord = 0.7
	// greekWords is how many such words make a page one with Greek in it.
	greekWords = 3
)

// showsGreek reads the most doubtful lines of a page with the Greek model and says whether it is sure of them.
func showsGreek(ctx context.Context, src Source, img *image.Gray, blocks []document.Block) (bool, error) {
	found := 0
	for i, l := range doubtfulOnes(blocks) {
		if i > 0 && found == 0 {
			break
		}
		greek, err := readLine(ctx, src, img, ancientGreek, l.Box)
		if err != nil {
			return false, err
		}
		if found += countGreek(greek.Words); found >= greekWords {
			return true, nil
		}
	}
	return false, nil
}

func doubtfulOnes(blocks []document.Block) []document.Line {
	type candidate struct {
		line    document.Line
		letters int
	}
	var lines []candidate
	for _, b := range blocks {
		for _, l := range b.Lines {
			n := 0
			for _, w := range l.Words {
				if k := letters(w.Text); w.Confidence < doubtful && k >= 3 {
					n += k
				}
			}
			if n >= doubtfulLetters {
				lines = append(lines, candidate{l, n})
			}
		}
	}
	slices.SortStableFunc(lines, func(a, b candidate) int { return cmp.Compare(b.letters, a.letters) })
	var most []document.Line
	for _, c := range lines[:min(len(lines), probeLines)] {
		most = append(most, c.line)
	}
	return most
}

func countGreek(words []document.Word) int {
	n := 0
	for _, w := range words {
		if w.Confidence >= greekWord && isGreek(w.Text) {
			n++
		}
	}
	return n
}

// isGreek says whether a word has at least three letters and all of them are Greek.
func isGreek(word string) bool {
	n := 0
	for _, r := range word {
		switch {
		case unicode.Is(unicode.Greek, r):
			n++
		case unicode.IsLetter(r):
			return false
		}
	}
	return n >= 3
}

func letters(word string) int {
	n := 0
	for _, r := range word {
		if unicode.IsLetter(r) {
			n++
		}
	}
	return min(n, utf8.RuneCountInString(word))
}

// around is a line's box with the margin that the recognizer wants, inside the page.
func around(b document.Box, page image.Rectangle) image.Rectangle {
	margin := max(b.H/4, 4)
	return image.Rect(b.X-margin, b.Y-margin, b.X+b.W+margin, b.Y+b.H+margin).Intersect(page)
}

package document

import (
	"iter"
	"unicode/utf8"
)

// Lines yields the lines of blocks in reading order. The pointers lead into the blocks, so lines can be changed in place.
func Lines(blocks []Block) iter.Seq[*Line] {
	return func(yield func(*Line) bool) {
		for i := range blocks {
			for j := range blocks[i].Lines {
				if !yield(&blocks[i].Lines[j]) {
					return
				}
			}
		}
	}
}

// Words yields the words of blocks in reading order. The pointers lead into the blocks, so words can be changed in place.
func Words(blocks []Block) iter.Seq[*Word] {
	return func(yield func(*Word) bool) {
		for line := range Lines(blocks) {
			for i := range line.Words {
				if !yield(&line.Words[i]) {
					return
				}
			}
		}
	}
}

// CorrectShare estimates which share of the characters in blocks is correct, 0..1. It returns 0 if the blocks have no words.
func CorrectShare(blocks []Block) float64 {
	var correct, characters float64
	for w := range Words(blocks) {
		n := float64(utf8.RuneCountInString(w.Text))
		correct, characters = correct+float64(n*w.CorrectShare()), characters+n
	}
	if characters == 0 {
		return 0
	}
	return correct / characters
}

// characterOdds is how much the odds that a character is right grow with each further character of its word, as a multiple of
// the odds that the word is right: the more characters a wrong word has, the larger the share of them that is right. It was
// fitted on the words of the second set of pages; impl/ocr/reading/experiments.md compares other values.
const characterOdds = 0.8

// oddsOfCharacter returns the odds that a character of a word is right, as a multiple of the odds that the word is right.
func oddsOfCharacter(word string) float64 {
	return 1 + float64(characterOdds*float64(max(utf8.RuneCountInString(word)-1, 0)))
}

// CorrectShare returns the estimated share of correct characters of the word, 0..1. Products are converted before they are
// added: a processor with fused multiply-add would otherwise round differently, and the mock and the written formats promise
// the same bytes everywhere.
func (w *Word) CorrectShare() float64 {
	right := float64(oddsOfCharacter(w.Text) * w.Confidence)
	return right / (right + 1 - w.Confidence)
}

// ConfidenceOf is the inverse of Word.CorrectShare: it returns the probability that a word is right, given the share of its
// characters that is expected to be correct, 0..1.
func ConfidenceOf(word string, correctShare float64) float64 {
	return correctShare / (correctShare + float64(oddsOfCharacter(word)*(1-correctShare)))
}

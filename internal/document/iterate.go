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

// MeanConfidence returns the mean confidence of the words of blocks, weighted by their characters; 0 if there are none. The
// product is converted before it is added: a processor with fused multiply-add would otherwise round differently, and
// the mock and the written formats promise the same bytes everywhere.
func MeanConfidence(blocks []Block) float64 {
	var sum, characters float64
	for w := range Words(blocks) {
		n := float64(utf8.RuneCountInString(w.Text))
		sum, characters = sum+float64(n*w.Confidence), characters+n
	}
	if characters == 0 {
		return 0
	}
	return sum / characters
}

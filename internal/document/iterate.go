package document

import "iter"

// Lines yields the lines of blocks in reading order. The pointers lead into the blocks, so that lines can be changed in place.
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

// Words yields the words of blocks in reading order. The pointers lead into the blocks, so that words can be changed in place.
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

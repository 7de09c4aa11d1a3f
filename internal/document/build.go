package document

// BlockOf returns a block of these lines. Its box is the smallest one that contains theirs.
func BlockOf(lines []Line) Block {
	b := Block{Lines: lines}
	for _, l := range lines {
		b.Box = b.Box.Union(l.Box)
	}
	return b
}

// WordsBox returns the smallest box that contains those of all words, the zero Box without words.
func WordsBox(words []Word) Box {
	var box Box
	for _, w := range words {
		box = box.Union(w.Box)
	}
	return box
}

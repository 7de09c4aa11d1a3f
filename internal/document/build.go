package document

// BlockOf returns a block of lines, with the box around theirs.
func BlockOf(lines []Line) Block {
	b := Block{Lines: lines}
	for _, l := range lines {
		b.Box = b.Box.Union(l.Box)
	}
	return b
}

// WordsBox returns the box around words.
func WordsBox(words []Word) Box {
	var box Box
	for _, w := range words {
		box = box.Union(w.Box)
	}
	return box
}

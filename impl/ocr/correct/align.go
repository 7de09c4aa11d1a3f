package correct

import (
	"slices"
	"unicode/utf8"

	"uncial/internal/document"
)

// pair is a part of an alignment: the indexes of two characters aligned with each other; -1 where one has no partner.
type pair struct{ a, b int }

// maxAligned is the maximum product of the lengths of two texts that are aligned: 4,000 characters each, far more than a line
// has.
const maxAligned = 16_000_000

// align returns an alignment of two texts at the lowest cost, where inserting, dropping and replacing a character cost the
// same. In texts that are too long, no character has a partner.
func align(a, b []rune) []pair {
	if len(a)*len(b) > maxAligned {
		return unaligned(a, b)
	}
	width := len(b) + 1
	costs := make([]int32, (len(a)+1)*width)
	for i := range len(a) + 1 {
		for j := range width {
			switch {
			case i == 0:
				costs[j] = int32(j)
			case j == 0:
				costs[i*width] = int32(i)
			default:
				costs[i*width+j] = min(costs[(i-1)*width+j-1]+replacementCost(a[i-1], b[j-1]), costs[(i-1)*width+j]+1, costs[i*width+j-1]+1)
			}
		}
	}
	var pairs []pair
	for i, j := len(a), len(b); i > 0 || j > 0; {
		cost := costs[i*width+j]
		switch {
		case i > 0 && j > 0 && cost == costs[(i-1)*width+j-1]+replacementCost(a[i-1], b[j-1]):
			i, j = i-1, j-1
			pairs = append(pairs, pair{i, j})
		case i > 0 && cost == costs[(i-1)*width+j]+1:
			i--
			pairs = append(pairs, pair{i, -1})
		default:
			j--
			pairs = append(pairs, pair{-1, j})
		}
	}
	slices.Reverse(pairs)
	return pairs
}

// unaligned returns an alignment without partners.
func unaligned(a, b []rune) []pair {
	var pairs []pair
	for i := range a {
		pairs = append(pairs, pair{i, -1})
	}
	for i := range b {
		pairs = append(pairs, pair{-1, i})
	}
	return pairs
}

// replacementCost returns the cost of reading b for a, in characters.
func replacementCost(a, b rune) int32 {
	if a == b {
		return 0
	}
	return 1
}

// aligned is a further reading of a line, aligned word by word with the words that were read first.
type aligned struct {
	stretches []stretch
	slots     []string // slots[i] is what the reading has for character i of the line
}

// stretch is a minimal group of neighbouring words that begins and ends at a word boundary both in the line and in a reading.
type stretch struct {
	from, to int // the words [from, to) of the line
	words    []document.Word
	same     bool // both have the same text, whatever its type; see foldSigns
}

// offsetOf returns the number of characters of a line before a word.
func offsetOf(line []document.Word, word int) int {
	if word == 0 {
		return 0
	}
	return utf8.RuneCountInString(joined(line[:word])) + 1 // the space before the word
}

// alignWords aligns the words of a further reading with those of a line. Neither may be empty.
func alignWords(line, read []document.Word) aligned {
	a, b := []rune(joined(line)), []rune(joined(read))
	out := aligned{slots: make([]string, len(a))}
	here, first := stretch{}, 0 // the first word of this stretch in the reading
	end := func(to, until int) {
		here.to, here.words = to, read[first:until]
		here.same = foldSigns(joined(line[here.from:here.to])) == foldSigns(joined(here.words))
		out.stretches = append(out.stretches, here)
		here, first = stretch{from: to}, until
	}
	word, at, next := 0, 0, 0 // current word of the line, current word of the reading, current character of the line's words
	for _, p := range align(a, b) {
		if p.b >= 0 {
			out.slots[slotOf(a, p.a, next)] += string(b[p.b])
		}
		lineBlank, readBlank := p.a >= 0 && a[p.a] == ' ', p.b >= 0 && b[p.b] == ' '
		if lineBlank {
			word++
		}
		if readBlank {
			at++
		}
		if lineBlank && readBlank {
			end(word, at)
		}
		if p.a >= 0 {
			next = p.a + 1
		}
	}
	end(len(line), len(read))
	return out
}

// slotOf returns the slot of a character of a reading. The character stands for character i of the line, or, if i is negative,
// was inserted before character next. An inserted character gets the slot of the character before it, unless that is a blank.
func slotOf(line []rune, i, next int) int {
	switch {
	case i >= 0:
		return i
	case next == 0 || line[next-1] == ' ' && next < len(line):
		return next
	}
	return next - 1
}

package accuracy

import "slices"

// Part is a stretch of tokens of an alignment: either equal tokens, or what the ground truth has and what was read instead. One
// of the two may be empty.
type Part struct {
	Equal bool
	Truth []string
	Text  []string
}

// Align pairs as many tokens of a text as possible with equal ones of the ground truth, in their order. Neighbouring tokens of
// the same kind are one part. It takes time and memory proportional to len(truth)*len(text).
func Align(truth, text []string) []Part {
	moves := alignment(truth, text)
	var parts []Part
	add := func(equal bool, t, x []string) {
		if n := len(parts); n == 0 || parts[n-1].Equal != equal {
			parts = append(parts, Part{Equal: equal})
		}
		p := &parts[len(parts)-1]
		p.Truth = append(p.Truth, t...)
		p.Text = append(p.Text, x...)
	}
	for i, j := 0, 0; i < len(truth) || j < len(text); {
		switch moves[i*(len(text)+1)+j] {
		case moveBoth:
			add(truth[i] == text[j], truth[i:i+1], text[j:j+1])
			i, j = i+1, j+1
		case moveTruth:
			add(false, truth[i:i+1], nil)
			i++
		default:
			add(false, nil, text[j:j+1])
			j++
		}
	}
	return parts
}

// The moves of an alignment: one token of both sides, of the ground truth alone, or of the text alone.
const (
	moveBoth = iota
	moveTruth
	moveText
)

// alignment returns, for each pair of positions, the first move of the cheapest way to the end of both.
func alignment(truth, text []string) []byte {
	width := len(text) + 1
	moves := make([]byte, (len(truth)+1)*width)
	below, here := make([]int, width), make([]int, width)
	for j := range width {
		below[j] = len(text) - j
		moves[len(truth)*width+j] = moveText
	}
	for i, t := range slices.Backward(truth) {
		here[len(text)] = len(truth) - i
		moves[i*width+len(text)] = moveTruth
		for j := len(text) - 1; j >= 0; j-- {
			cost, move := below[j+1], byte(moveBoth)
			if t != text[j] {
				cost += 2 // as much as one deletion and one insertion
			}
			if c := below[j] + 1; c < cost {
				cost, move = c, moveTruth
			}
			if c := here[j+1] + 1; c < cost {
				cost, move = c, moveText
			}
			here[j], moves[i*width+j] = cost, move
		}
		below, here = here, below
	}
	return moves
}

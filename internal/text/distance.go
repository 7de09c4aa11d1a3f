package text

// Distance returns the Levenshtein distance of two sequences: the minimum number of insertions, deletions and substitutions
// that turn one into the other. It is exact and takes len(a)*len(b)/64 steps (Myers 1999, in the block form of Hyyrö 2003), so
// that pages of many thousand characters compare in milliseconds.
func Distance[T comparable](a, b []T) int {
	a, b = trimCommon(a, b)
	if len(a) == 0 || len(b) == 0 {
		return len(a) + len(b)
	}
	const width = 64
	blocks := (len(a) + width - 1) / width
	equal := make(map[T][]uint64)
	for i, x := range a {
		if equal[x] == nil {
			equal[x] = make([]uint64, blocks)
		}
		equal[x][i/width] |= 1 << (i % width)
	}
	column := make([]deltas, blocks)
	for i := range column {
		column[i].up = ^uint64(0)
	}
	none := make([]uint64, blocks)
	lastBit := uint64(1) << ((len(a) - 1) % width)
	distance := len(a)
	for _, y := range b {
		eq := equal[y]
		if eq == nil {
			eq = none
		}
		carry := 1
		for i := range blocks - 1 {
			carry = column[i].advance(eq[i], carry, 1<<(width-1))
		}
		distance += column[blocks-1].advance(eq[blocks-1], carry, lastBit)
	}
	return distance
}

// deltas holds the vertical differences of 64 rows in one column of the distance matrix: +1 where up is set, -1 where down is
// set, else 0.
type deltas struct{ up, down uint64 }

// advance moves the block on by one column. carry is the horizontal difference that enters above its first row, -1 to 1;
// advance returns the one that leaves below the row whose bit is last.
func (d *deltas) advance(eq uint64, carry int, last uint64) int {
	vertical := eq | d.down
	if carry < 0 {
		eq |= 1
	}
	horizontal := (((eq & d.up) + d.up) ^ d.up) | eq
	plus := d.down | ^(horizontal | d.up)
	minus := d.up & horizontal
	out := 0
	switch {
	case plus&last != 0:
		out = 1
	case minus&last != 0:
		out = -1
	}
	plus <<= 1
	minus <<= 1
	switch {
	case carry < 0:
		minus |= 1
	case carry > 0:
		plus |= 1
	}
	d.up = minus | ^(vertical | plus)
	d.down = plus & vertical
	return out
}

// trimCommon drops the common beginning and the common end, which cost nothing.
func trimCommon[T comparable](a, b []T) ([]T, []T) {
	for len(a) > 0 && len(b) > 0 && a[0] == b[0] {
		a, b = a[1:], b[1:]
	}
	for len(a) > 0 && len(b) > 0 && a[len(a)-1] == b[len(b)-1] {
		a, b = a[:len(a)-1], b[:len(b)-1]
	}
	return a, b
}

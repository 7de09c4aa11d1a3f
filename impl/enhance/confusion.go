package enhance

import (
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// shapes are groups of characters that recognizers take for one another in print and typescript. u and v, i, j and y
// are in no group together: exchanging them is a matter of spelling.
var shapes = []string{
	"ceoæœ", "aesoæ", "nurmi", "vwx", "ilt1!|", "fst", "jſf", "hbkl", "gqpy", "dcl", "tlrc", "zx2", "s5", "o0", "b6", "g9", "B8", "S5", "O0",
	"CGOQ", "EFPB", "ILTJ", "MNH", "UO", "RKB", "DO", "VY",
}

// merged are shapes that fall together, or apart: two letters for one.
var merged = map[string]string{
	"rn": "m", "nn": "m", "in": "m", "ni": "m", "iu": "m", "ui": "m", "ii": "n", "ri": "n", "cl": "d", "li": "h", "lt": "k", "vv": "w", "fi": "ñ",
}

// confusable says whether a recognizer can have read one word for the other: every difference is between characters of
// like shape, and there are at most a third as many as letters, or one. A difference of accents alone, or one that
// only follows a later spelling, is none of shape.
func confusable(read, meant string) bool {
	a, b := []rune(norm.NFC.String(plain(read))), []rune(norm.NFC.String(plain(meant)))
	if len(a) == 0 || len(b) == 0 || sameSpelling(read, meant) || modernised(string(a), string(b)) {
		return false
	}
	allowed := max(len(a)/3, 1)
	return shapeDistance(a, b, allowed) <= allowed
}

// shapeDistance is the least number of differences of shape, or more than limit where others are needed.
func shapeDistance(a, b []rune, limit int) int {
	never := limit + 1
	width := len(b) + 1
	cost := make([]int, (len(a)+1)*width)
	for i := range cost {
		cost[i] = never
	}
	cost[0] = 0
	reach := func(i, j, c int) { cost[i*width+j] = min(cost[i*width+j], c) }
	for i := range len(a) + 1 {
		for j := range width {
			c := cost[i*width+j]
			if c > limit {
				continue
			}
			if i < len(a) && j < len(b) && a[i] == b[j] {
				reach(i+1, j+1, c)
			}
			if i < len(a) && j < len(b) && alike(a[i], b[j]) {
				reach(i+1, j+1, c+1)
			}
			if i < len(a) && !unicode.IsLetter(a[i]) && !unicode.IsMark(a[i]) {
				reach(i+1, j, c+1) // a speck
			}
			if i+1 < len(a) && j < len(b) && merged[string(a[i:i+2])] == string(b[j]) {
				reach(i+2, j+1, c+1)
			}
			if i < len(a) && j+1 < len(b) && merged[string(b[j:j+2])] == string(a[i]) {
				reach(i+1, j+2, c+1)
			}
		}
	}
	return cost[len(cost)-1]
}

// alike says whether two characters have a like shape. Accents count neither for nor against.
func alike(a, b rune) bool {
	x, y := []rune(bare(string(a))), []rune(bare(string(b)))
	if len(x) != 1 || len(y) != 1 || x[0] == y[0] {
		return false
	}
	for _, s := range shapes {
		if strings.ContainsRune(s, x[0]) && strings.ContainsRune(s, y[0]) {
			return true
		}
	}
	return false
}

// modernised says whether a change follows a later spelling: accents or marks of abbreviation come or go, or "oi"
// becomes "ai" as in French verbs.
func modernised(a, b string) bool {
	return marks(a) != marks(b) || strings.Count(bare(a), "oi") > strings.Count(bare(b), "oi") && strings.Count(bare(a), "ai") < strings.Count(bare(b), "ai")
}

func marks(s string) int {
	n := 0
	for _, r := range norm.NFD.String(s) {
		if unicode.IsMark(r) {
			n++
		}
	}
	return n
}

// bare is a text without its marks.
func bare(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsMark(r) {
			return -1
		}
		return r
	}, norm.NFD.String(s))
}

// sameSpelling says whether two words differ at most in how u and v, i, j and y are told apart, in accents or in case.
func sameSpelling(a, b string) bool { return oldSpelling(a) == oldSpelling(b) }

func oldSpelling(s string) string {
	return strings.NewReplacer("v", "u", "j", "i", "y", "i").Replace(strings.ToLower(bare(plain(s))))
}

package enhance

import (
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// shapes are groups of characters that recognizers take for one another in print and typescript. Letters that a later
// spelling exchanges are in no group together: u and v, i, j and y, c and t, x and z.
var shapes = []string{"ceoæœ", "aesoæ", "nurmi", "vwx", "ilt!|", "fst", "jsf", "hbkl", "gqpy", "dcl", "tlr", "rc"}

// merged are shapes that fall together, or apart: two letters for one.
var merged = map[string]string{
	"rn": "m", "nn": "m", "in": "m", "ni": "m", "iu": "m", "ui": "m", "ii": "n", "ri": "n", "cl": "d", "li": "h", "lt": "k",
}

// confusable says whether a recognizer can have read one word for the other: every difference is between characters of
// like shape, and there are at most a third as many as letters, or one. What a later spelling may change is no
// difference of shape: accents and marks of abbreviation, one vowel for another, hyphens and apostrophes.
func confusable(read, meant string) bool {
	a, b := []rune(norm.NFC.String(plain(read))), []rune(norm.NFC.String(plain(meant)))
	if len(a) == 0 || len(b) == 0 || marks(read) != marks(meant) {
		return false
	}
	allowed := max(len(a)/3, 1)
	distance := shapeDistance(a, b, allowed)
	return distance > 0 && distance <= allowed
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
			if i < len(a) && j < len(b) && alike(a[i], b[j]) && !nasal(a[i:], b[j:]) {
				reach(i+1, j+1, c+1)
			}
			if i < len(a) && isSpeck(a[i]) {
				reach(i+1, j, c+1)
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

// alike says whether two characters have a like shape. Accents count neither for nor against. Two vowels have not: which
// of them stands in a word is often a matter of its time, as in shew and show, æra and era.
func alike(a, b rune) bool {
	x, y := []rune(bare(string(a))), []rune(bare(string(b)))
	if len(x) != 1 || len(y) != 1 || x[0] == y[0] || isVowel(x[0]) && isVowel(y[0]) {
		return false
	}
	for _, s := range shapes {
		if strings.ContainsRune(s, x[0]) && strings.ContainsRune(s, y[0]) {
			return true
		}
	}
	return false
}

func isVowel(r rune) bool { return strings.ContainsRune("aeiouyæœ", r) }

// nasal says whether n and m stand for each other before a lip's sound, where spelling changed: conpte, compte.
func nasal(a, b []rune) bool {
	return strings.ContainsRune("mn", a[0]) && strings.ContainsRune("mn", b[0]) && len(a) > 1 && strings.ContainsRune("mbp", a[1])
}

// isSpeck says whether a character within a word may be dirt. Hyphens, apostrophes and points belong to spelling.
func isSpeck(r rune) bool {
	return isEdge(r) && !unicode.Is(unicode.Dash, r) && !strings.ContainsRune("'.=¬&/", r)
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

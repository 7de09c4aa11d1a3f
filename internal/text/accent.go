package text

import "golang.org/x/text/unicode/norm"

// barred are the letters that Unicode does not decompose into a letter and an accent, with that letter.
var barred = map[rune]rune{
	'Đ': 'D', 'đ': 'd', 'Ð': 'D', 'ð': 'd', 'Ħ': 'H', 'ħ': 'h', 'Ł': 'L', 'ł': 'l', 'Ø': 'O', 'ø': 'o',
}

// WithoutAccent returns a letter without its accent, bar or stroke.
func WithoutAccent(r rune) rune {
	base := []rune(norm.NFD.String(string(r)))[0]
	if bare, ok := barred[base]; ok {
		return bare
	}
	return base
}

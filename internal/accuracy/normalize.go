package accuracy

import (
	"regexp"
	"strings"

	"golang.org/x/text/unicode/norm"
)

// strict returns the text that the strict measure compares: in NFC, without byte order marks, soft hyphens and zero-width
// characters, with one space for each run of white space and none at the ends.
func strict(s string) string {
	return collapse(visible(s))
}

// Folded returns the text that the folded measure compares: the strict form without differences of transcription. A hyphen at a
// line end joins the lines; long s, Latin ligatures, small e above a vowel, dashes, quotes and the ellipsis become their usual
// forms, and two single quotes a double one. Case, u and v, i and j, and abbreviations stay.
func Folded(s string) string {
	folded := folds.Replace(joinHyphenated(visible(s)))
	return collapse(norm.NFC.String(strings.ReplaceAll(folded, "''", `"`)))
}

// Tokens returns the space-separated words of a strict or folded text.
func Tokens(s string) []string { return strings.Fields(s) }

// visible composes characters (NFC) and drops invisible ones: byte order marks, soft hyphens, joiners and marks of direction.
func visible(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\ufeff', r == '\u00ad', r >= '\u200b' && r <= '\u200f', r == '\u2060':
			return -1
		}
		return r
	}, norm.NFC.String(s))
}

// collapse replaces each run of white space with one space, and drops white space at the ends.
func collapse(s string) string { return strings.Join(strings.Fields(s), " ") }

// lineHyphen matches a sign that divides a word at a line end: a hyphen, the not sign that transcribers use, or the double
// hyphen of early and Gothic print. A sign alone or after punctuation divides nothing, and the rest of a word begins with a
// small letter.
var lineHyphen = regexp.MustCompile(`([\pL\pN\pM_])[-\x{2010}\x{2011}\x{00ac}\x{2e17}=]\s*\n\s*(\p{Ll})`)

// joinHyphenated joins words that are divided at the end of a line, as many transcriptions do.
func joinHyphenated(s string) string { return lineHyphen.ReplaceAllString(s, "$1$2") }

// folds replaces forms of letters and signs that transcribers choose by convention, so that a folded error rate does not count
// conventions.
var folds = strings.NewReplacer(
	"ſ", "s",
	"\ufb00", "ff", "\ufb01", "fi", "\ufb02", "fl", "\ufb03", "ffi", "\ufb04", "ffl", "\ufb05", "st", "\ufb06", "st",
	"a\u0364", "ä", "o\u0364", "ö", "u\u0364", "ü", "A\u0364", "Ä", "O\u0364", "Ö", "U\u0364", "Ü",
	"\u2010", "-", "\u2011", "-", "\u2012", "-", "\u2013", "-", "\u2014", "-", "\u2015", "-", "\u2212", "-",
	"\u201c", `"`, "\u201d", `"`, "\u201e", `"`, "\u201f", `"`, "\u00ab", `"`, "\u00bb", `"`, "\u2033", `"`,
	"\u2018", "'", "\u2019", "'", "\u201a", "'", "\u201b", "'", "\u2039", "'", "\u203a", "'", "\u2032", "'",
	"`", "'", "\u00b4", "'",
	"\u2026", "...",
)

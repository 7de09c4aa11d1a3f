package correct

import (
	"maps"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"uncial/internal/document"
	"uncial/internal/text"
)

// The network for print writes all quotation marks and dashes in one form each, and reads them less well than Tesseract.
const (
	doubleQuotes = "\"“”„‟«»"
	singleQuotes = "'‘’‚‛‹›`´"
	quotes       = doubleQuotes + singleQuotes
	dashes       = "-—–―¬⸗"
)

// foldSigns returns words in modern type, with one form of each quotation mark and dash.
func foldSigns(words string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case strings.ContainsRune(doubleQuotes, r):
			return '"'
		case strings.ContainsRune(singleQuotes, r):
			return '\''
		case strings.ContainsRune(dashes, r):
			return '-'
		}
		return r
	}, text.FoldType(words))
}

// elision matches an apostrophe after a Greek letter.
var elision = regexp.MustCompile(`(\p{Greek}\p{M}*)'`)

// laterType replaces what type without long s does not have, but the network for print may read.
var laterType = strings.NewReplacer("ſ", "s", "⁊", "7")

// inTypeOf returns what the network for print read in place of some words of a line, in the type of these words: with their
// quotation marks and dashes, if both have the same number, with the apostrophes of Greek, and, on a page that is set without
// long s, with round s and with 7 for the Tironian sign that resembles it.
func (k *Knowledge) inTypeOf(line, read []document.Word) []document.Word {
	before, out := joined(line), slices.Clone(read)
	for _, signs := range []string{quotes, dashes} {
		if had := signsIn(before, signs); len(had) == len(signsIn(joined(read), signs)) {
			replaceSigns(out, signs, had)
		}
	}
	for i := range out {
		if !k.LongS {
			out[i].Text = laterType.Replace(out[i].Text)
		}
		out[i].Text = elision.ReplaceAllString(out[i].Text, "$1’")
	}
	return out
}

// numberSigns stand before or after numbers. They hardly occur in the lines that the networks for print were trained on: these
// read letters and digits in their place.
const numberSigns = "$€#%+=×÷"

// points divide numbers, such as 2.43. The network for print leaves some of them out.
const points = ".,:"

// fractions are read as % by Tesseract.
const fractions = "½¼¾"

// keepUnlearnt returns what the network for print read in place of the words [from, to) of a line, but with those characters of
// the words that the network cannot be expected to write. If the result has another number of words than read, it returns the
// words of the line.
func (k *Knowledge) keepUnlearnt(whole []document.Word, from, to int, read []document.Word) []document.Word {
	line := whole[from:to]
	context, offset := []rune(joined(whole)), offsetOf(whole, from)
	before, after := []rune(joined(line)), []rune(joined(read))
	kept := make([]bool, len(before))
	for i := range before {
		kept[i] = k.isUnlearnt(context, offset+i) || unicode.IsLetter(before[i]) && !k.writes(before[i]) && k.knows(line)
	}
	keepsCapitals := slices.ContainsFunc(before, isAccentedCapital) && k.trustsCapitals(line, read)
	if !slices.Contains(kept, true) && k.Accents == "" && !keepsCapitals {
		return read
	}
	var out, own, other []rune // own and other are the characters since the last one that both have
	var keeps []rune           // those of own that are kept
	end := func() {
		if len(keeps) > 0 && !isBetter(string(other), string(own), string(keeps)) {
			other = own
		}
		out, own, other, keeps = append(out, other...), nil, nil, nil
	}
	for _, p := range align(before, after) {
		if p.a >= 0 && p.b >= 0 && (before[p.a] == after[p.b] || k.losesAccent(before[p.a], after[p.b]) || keepsCapitals && losesCapital(before[p.a], after[p.b])) {
			end()
			out = append(out, before[p.a])
			continue
		}
		if p.a >= 0 {
			own = append(own, before[p.a])
			if kept[p.a] {
				keeps = append(keeps, before[p.a])
			}
		}
		if p.b >= 0 {
			other = append(other, after[p.b])
		}
	}
	end()
	texts := strings.Fields(string(out))
	if len(texts) != len(read) {
		return line
	}
	words := slices.Clone(read)
	for i := range words {
		words[i].Text = texts[i]
	}
	return words
}

// isBetter reports whether what the network read in place of characters of which some are kept is likely to be right: a
// fraction in place of %, or anything but a blank in place of a point.
func isBetter(read, own, kept string) bool {
	return own == "%" && strings.ContainsAny(read, fractions) || strings.Trim(kept, points) == "" && strings.TrimSpace(read) != ""
}

// losesAccent reports whether what the network read in place of an accented letter of the language is the same letter without
// its accent, or with another.
func (k *Knowledge) losesAccent(had, read rune) bool {
	return strings.ContainsRune(k.Accents, unicode.ToLower(had)) && text.WithoutAccent(had) == text.WithoutAccent(read)
}

// trustsCapitals reports whether accents of capitals that the network does not read are likely to be there: the words are
// listed; or what the network read is not listed either, and the words are sure. It has hardly learnt accented capitals,
// because old prints have few; specks above capitals look like accents.
func (k *Knowledge) trustsCapitals(line, read []document.Word) bool {
	isUnsure := func(w document.Word) bool { return w.Confidence < minAccentConfidence }
	return k.knows(line) || !k.knows(read) && !slices.ContainsFunc(line, isUnsure)
}

// losesCapital reports whether what the network read in place of an accented capital is the same letter without its accent.
func losesCapital(had, read rune) bool {
	return isAccentedCapital(had) && text.WithoutAccent(had) == read
}

// isAccentedCapital reports whether a character is a Latin capital with an accent, bar or stroke.
func isAccentedCapital(r rune) bool {
	return unicode.IsUpper(r) && unicode.Is(unicode.Latin, r) && text.WithoutAccent(r) != r
}

// Accented returns the Latin letters of some words that have an accent, bar or stroke, in lower case.
func Accented(words string) string {
	seen := map[rune]bool{}
	for _, r := range strings.ToLower(norm.NFC.String(words)) {
		if unicode.Is(unicode.Latin, r) && text.WithoutAccent(r) != r {
			seen[r] = true
		}
	}
	return string(slices.Sorted(maps.Keys(seen)))
}

// isUnlearnt reports whether character i of a text is a sign beside a number, an inverted sign before a word, or a letter of
// another script than the network for print writes.
func (k *Knowledge) isUnlearnt(text []rune, i int) bool {
	isDigit := func(at, beyond int) bool {
		if at >= 0 && at < len(text) && text[at] == ' ' {
			at = beyond
		}
		return at >= 0 && at < len(text) && unicode.IsDigit(text[at])
	}
	switch r := text[i]; {
	case strings.ContainsRune(numberSigns, r):
		return isDigit(i-1, i-2) || isDigit(i+1, i+2)
	case strings.ContainsRune(points, r):
		return isDigit(i-1, -1) && isDigit(i+1, -1) && !isYear(text, i)
	case r == '¿', r == '¡':
		return i+1 < len(text) && unicode.IsLetter(text[i+1])
	default:
		return k.Alphabet != nil && unicode.IsLetter(r) && !unicode.Is(unicode.Latin, r) && (!unicode.Is(unicode.Greek, r) || !k.Alphabet['α'])
	}
}

// isYear reports whether point i of a text may be a speck in a year from 1500 to 1999: two digits are on either side.
func isYear(text []rune, i int) bool {
	from, to := i, i+1
	for from > 0 && unicode.IsDigit(text[from-1]) {
		from--
	}
	for to < len(text) && unicode.IsDigit(text[to]) {
		to++
	}
	return i-from == 2 && to-i == 3 && text[from] == '1' && text[from+1] >= '5'
}

// writes reports whether the network for print can write a letter.
func (k *Knowledge) writes(r rune) bool {
	return k.Alphabet == nil || k.Alphabet[r] ||
		!strings.ContainsFunc(norm.NFD.String(text.FoldType(string(r))), func(r rune) bool { return !k.Alphabet[r] })
}

// isLongSForF reports whether a reading of some words has only a long s in place of an f, on a page that is set without long s.
func (k *Knowledge) isLongSForF(line, read []document.Word) bool {
	after := joined(read)
	return !k.LongS && strings.Contains(after, "ſ") && strings.ReplaceAll(after, "ſ", "f") == joined(line)
}

// isRealChange reports whether a reading by the network for print differs from some words in more than their division, has the
// same number of quotation marks, and has no fewer dashes.
func isRealChange(line, read []document.Word) bool {
	before, after := joined(line), joined(read)
	return withoutSpaces(before) != withoutSpaces(after) &&
		len(signsIn(before, quotes)) == len(signsIn(after, quotes)) &&
		len(signsIn(before, dashes)) <= len(signsIn(after, dashes))
}

// signWithSpaces matches signs with the spaces beside them.
var signWithSpaces = regexp.MustCompile(` ?([^\pL\pM\pN ]+) ?`)

// withoutSpacing returns words in the form of foldSigns, without quotation marks and the spaces beside other signs.
func withoutSpacing(words string) string {
	bare := strings.Map(func(r rune) rune {
		if strings.ContainsRune(quotes, r) {
			return -1
		}
		return r
	}, words)
	return signWithSpaces.ReplaceAllString(foldSigns(strings.Join(strings.Fields(bare), " ")), "$1")
}

// withoutSpaces returns words in the form of foldSigns, without the spaces between them.
func withoutSpaces(words string) string { return strings.ReplaceAll(foldSigns(words), " ", "") }

// signsIn returns the characters of words that are among signs, in order.
func signsIn(words, signs string) []rune {
	var out []rune
	for _, r := range words {
		if strings.ContainsRune(signs, r) {
			out = append(out, r)
		}
	}
	return out
}

// replaceSigns replaces each character of words that is among signs with the next element of by, which must have one for each
// of them.
func replaceSigns(words []document.Word, signs string, by []rune) {
	for i := range words {
		words[i].Text = strings.Map(func(r rune) rune {
			if strings.ContainsRune(signs, r) {
				r, by = by[0], by[1:]
			}
			return r
		}, words[i].Text)
	}
}

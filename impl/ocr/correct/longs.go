package correct

import (
	"regexp"
	"strings"
	"unicode/utf8"

	"uncial/impl/ocr/lexicon"
	"uncial/internal/document"
	"uncial/internal/text"
)

// fAsLongS lists what may have been printed where an f was read.
var fAsLongS = lexicon.Variants{'f': {"s", "ſ"}}

// LongS repairs words in which a long s was read as an f. It does so only on a page that shows long s, in unlisted words,
// and if exactly one known word results.
func LongS(blocks []document.Block, known Lexicon) []document.Edit {
	if !ShowsLongS(blocks) {
		return nil
	}
	var edits []document.Edit
	for line := range document.Lines(blocks) {
		if line.Handwritten {
			continue // corrected in impl/ocr/hand
		}
		for i := range line.Words {
			w := &line.Words[i]
			if after, ok := repairLongS(w.Text, known); ok {
				edits = append(edits, document.NewEdit(line.Words[i:i+1], after, ruleLongS, w.Confidence))
				w.Text = after
			}
		}
	}
	return edits
}

// ShowsLongS reports whether a page is set with long s.
func ShowsLongS(blocks []document.Block) bool {
	n := 0
	for w := range document.Words(blocks) {
		if strings.Contains(w.Text, "ſ") {
			n++
		}
	}
	return n >= minLongSWords
}

// ReadsLongS reports whether a page is set with long s by what the network for print read: Tesseract's own models read f in
// its place.
func ReadsLongS(readings []Readings) bool {
	long, round := 0, 0
	for _, r := range readings {
		l, s := countS(r.Network[0])
		long, round = long+l, round+s
	}
	return long >= minLongSWords && long > 2*round
}

// countS returns the numbers of long s, and of round s inside words.
func countS(words []document.Word) (long, round int) {
	read := joined(words)
	return strings.Count(read, "ſ"), len(roundSInside.FindAllString(read, -1))
}

// WithoutFalseLongS replaces the long s of lines by round ones if at least a third of the s inside words are round anyway, and
// the network for print, which must have read each line, read at most half as many long ones. The model for early print writes
// long s on some pages that are set without it; the network, on the other hand, reads that of some incunables as round s.
func WithoutFalseLongS(lines []*document.Line, readings []Readings) {
	long, round, byNetwork := 0, 0, 0
	for i, line := range lines {
		l, s := countS(line.Words)
		long, round = long+l, round+s
		byNetwork += strings.Count(joined(readings[i].Network[0]), "ſ")
	}
	if long > 2*round || 2*byNetwork > long {
		return
	}
	for _, line := range lines {
		for i := range line.Words {
			line.Words[i].Text = strings.ReplaceAll(line.Words[i].Text, "ſ", "s")
		}
	}
}

// roundSInside matches a round s where pages with long s have a long one.
var roundSInside = regexp.MustCompile(`s\pL`)

// repairLongS returns the word with long s for f. It reports false if the word stays unchanged.
func repairLongS(word string, known Lexicon) (string, bool) {
	before, core, after := text.Core(word)
	if !strings.Contains(core, "f") || utf8.RuneCountInString(core) < minRepairedLetters || known.Known(core) ||
		text.IsNumber(core) || text.MayBeName(core) {
		return "", false
	}
	spelled := ""
	for _, m := range known.Match(text.FoldType(core), fAsLongS, maxSpellings) {
		m = text.FoldType(m)
		if strings.HasSuffix(core, "f") && !strings.HasSuffix(m, "f") {
			continue // long s never ends a word
		}
		if spelled != "" && m != spelled {
			return "", false
		}
		spelled = m
	}
	if spelled == "" {
		return "", false
	}
	return before + withLongS(core, spelled) + after, true
}

// withLongS returns the core that was read, with a long s in place of each f that the correction replaces.
func withLongS(read, corrected string) string {
	r, c := []rune(read), []rune(corrected)
	if len(r) != len(c) {
		return corrected
	}
	for i := range r {
		if r[i] == 'f' && c[i] == 's' {
			r[i] = 'ſ'
		}
	}
	return string(r)
}

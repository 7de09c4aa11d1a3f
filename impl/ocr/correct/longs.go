package correct

import (
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

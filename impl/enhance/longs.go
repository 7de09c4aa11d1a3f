package enhance

import (
	"strings"
	"unicode/utf8"

	"uncial/impl/ocr/lexicon"
	"uncial/internal/document"
)

const (
	// longSWords is how many words with a long s a page has at least to be one that is set with it.
	longSWords = 10
	// shortestLongS is the letters of the shortest word that is repaired; shorter ones are too often another word.
	shortestLongS = 4
)

var fOrS = lexicon.Variants{'f': {"s", "ſ"}}

// LongS repairs words in which a long s was read as an f: only on a page that shows long s, only words that no lexicon
// knows, and only where exactly one word comes out. The blocks are changed in place.
func LongS(page int, blocks []document.Block, known Lexicon) []document.Edit {
	if !showsLongS(blocks) {
		return nil
	}
	var edits []document.Edit
	for i := range blocks {
		for j := range blocks[i].Lines {
			words := blocks[i].Lines[j].Words
			if blocks[i].Lines[j].Handwritten {
				continue // has its own corrections
			}
			for k := range words {
				after, ok := repairLongS(words[k].Text, known)
				if !ok {
					continue
				}
				edits = append(edits, NewEdit(page, words[k:k+1], after, RuleLongS, words[k].Confidence))
				words[k].Text = after
			}
		}
	}
	return edits
}

func showsLongS(blocks []document.Block) bool {
	n := 0
	for _, b := range blocks {
		for _, l := range b.Lines {
			for _, w := range l.Words {
				if strings.Contains(w.Text, "ſ") {
					n++
				}
			}
		}
	}
	return n >= longSWords
}

func repairLongS(word string, known Lexicon) (string, bool) {
	before, inner, after := core(word)
	if !strings.Contains(inner, "f") || utf8.RuneCountInString(inner) < shortestLongS || known.Known(inner) || locked(inner, known) {
		return "", false
	}
	spelled := ""
	for _, m := range known.Match(plain(inner), fOrS, 8) {
		m = plain(m)
		if strings.HasSuffix(inner, "f") && !strings.HasSuffix(m, "f") {
			continue // no long s ends a word
		}
		if spelled != "" && m != spelled {
			return "", false
		}
		spelled = m
	}
	if spelled == "" {
		return "", false
	}
	return before + withLongS(inner, spelled) + after, true
}

// withLongS is the word as it was read, with a long s where the correction has an s in the place of an f.
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

// Package guess tells which language a text is in, from its most common words: articles, prepositions, conjunctions. They are
// on nearly every line, and short enough that many survive when a text is misread, or read with the model of another language.
//
// words.txt has the words. The package knows neither models nor images; impl/ocr/reading decides which lines are read and what
// a language is read with. Start with Of.
package guess

import (
	"maps"
	"math"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// Guess is the language of a text.
type Guess struct {
	// Tag is one of the tags that were offered; "" if no word of any of them is in the text.
	Tag string
	// Evidence is the lead of Tag over the best other language. An older stage of a language, or its Fraktur, does not count as
	// another language. A word that only Tag has adds about 3, one that most languages share less than 1.
	Evidence float64
	// Foreign is the lead over Tag of the best language that was not offered, on the same scale; negative if Tag leads.
	Foreign float64
}

// fraktur is the end of the tags of languages in Fraktur.
const fraktur = "-Latf"

// old are the older stages of languages that have one.
var old = map[string]string{"en": "enm", "es": "es-x-old", "fr": "frm", "it": "it-x-old"}

const (
	// longShare is the minimum share of long s among all letters s of a page in Fraktur. On the seven Fraktur pages of the
	// first set it is 0.5 to 0.7. Typescripts have a few by mistake.
	longShare = 0.25
	// maxAccents is the largest share of letters with an accent in printed French of the time before it had any, about 1530.
	// None of the 10 such pages of the first set has any; pages of later print have 0.002 to 0.02.
	maxAccents = 0.0015
	// olderLead is the minimum lead of an older stage over the newer one: about two words that the newer one lacks.
	olderLead = 4.0
)

// Of returns the tag whose language the text is most likely in. Tag is "" if the text has no word of any of the languages. Tags
// without words in words.txt are never guessed.
func Of(text string, among []string) Guess {
	var known []string
	for _, tag := range among {
		if lists()[wordsOf(tag)] != nil {
			known = append(known, tag)
		}
	}
	scores := score(split(text), lists(), known)
	best, second := "", 0.0
	for _, tag := range known {
		if s := scores[tag]; s > 0 && (best == "" || s > scores[best]) {
			best = tag
		}
	}
	if best == "" {
		return Guess{Foreign: foreignLead(text, nil)}
	}
	for _, tag := range known {
		if newer(tag) != newer(best) {
			second = max(second, scores[tag])
		}
	}
	return Guess{Tag: stage(newer(best), text, known, scores), Evidence: scores[best] - second, Foreign: foreignLead(text, known)}
}

// Languages returns the tags of all languages that can be recognized.
func Languages() []string { return slices.Sorted(maps.Keys(lists())) }

// foreignLead returns by how much the best language that is not among the known ones leads over these; see Guess.Foreign.
// Accents do not count, because the model that read the text may not know those of a foreign language.
func foreignLead(text string, known []string) float64 {
	scores := score(split(plain(text)), plainLists(), Languages())
	offered, foreign := 0.0, 0.0
	for tag, s := range scores {
		if slices.ContainsFunc(known, func(k string) bool { return newer(wordsOf(k)) == newer(tag) }) {
			offered = max(offered, s)
		} else {
			foreign = max(foreign, s)
		}
	}
	return foreign - offered
}

// score adds up, for each tag, how strongly words indicate it: more if few of the tags have them in their list.
func score(words []string, lists map[string]map[string]bool, among []string) map[string]float64 {
	scores := map[string]float64{}
	sharing := map[string]int{} // how many languages have a word
	counted := map[string]bool{}
	for _, tag := range among {
		if list := wordsOf(tag); !counted[list] {
			counted[list] = true
			for w := range lists[list] {
				sharing[w]++
			}
		}
	}
	for _, w := range words {
		if sharing[w] == 0 {
			w = withLongS(w)
		}
		if n := sharing[w]; n > 0 {
			for _, tag := range among {
				if lists[wordsOf(tag)][w] {
					scores[tag] += math.Log(1 + float64(len(counted))/float64(n))
				}
			}
		}
	}
	return scores
}

// withLongS returns a word with s for each f that may be a long s, which models for modern print read as f. Words never end in
// a long s.
func withLongS(w string) string {
	if w == "" {
		return w
	}
	return strings.ReplaceAll(w[:len(w)-1], "f", "s") + w[len(w)-1:]
}

// stage chooses between a language, its Fraktur and its older stage, as far as they are among the known tags.
func stage(base, text string, known []string, scores map[string]float64) string {
	earlier := old[base]
	switch {
	case slices.Contains(known, base+fraktur) && (!slices.Contains(known, base) || longS(text) >= longShare):
		return base + fraktur
	case !slices.Contains(known, earlier):
		return base
	case !slices.Contains(known, base):
		return earlier
	case base == "fr":
		if accents(text) <= maxAccents && (longS(text) >= longShare || scores[earlier] > scores[base]) {
			return earlier
		}
	case scores[earlier] >= scores[base]+olderLead:
		return earlier
	}
	return base
}

// newer returns the language of a tag in its present stage and usual script.
func newer(tag string) string {
	for base, earlier := range old {
		if tag == earlier {
			return base
		}
	}
	return strings.TrimSuffix(tag, fraktur)
}

// IsOlder reports whether a tag stands for an older stage of a language.
func IsOlder(tag string) bool { return newer(tag)+fraktur != tag && newer(tag) != tag }

// wordsOf returns the name of the list that has the words of a tag.
func wordsOf(tag string) string { return strings.TrimSuffix(tag, fraktur) }

// longS returns the share of long s among all letters s.
func longS(text string) float64 {
	long, all := strings.Count(text, "ſ"), strings.Count(text, "s")
	return float64(long) / float64(max(long+all, 1))
}

// accents returns the share of the letters that have an accent as French writes it. A tilde or a bar abbreviates.
func accents(text string) float64 {
	n, all := 0, 0
	for _, r := range norm.NFD.String(text) {
		switch {
		case unicode.IsLetter(r):
			all++
		case r == '\u0300', r == '\u0301', r == '\u0302':
			n++
		}
	}
	return float64(n) / float64(max(all, 1))
}

// minLetters is the minimum length of a word that counts: single letters come from initials and from noise.
const minLetters = 2

// split returns the words of a text in the form of the lists.
func split(text string) []string {
	words := strings.FieldsFunc(normal(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsMark(r) })
	return slices.DeleteFunc(words, func(w string) bool { return len([]rune(w)) < minLetters })
}

// forms replaces letters that old texts exchange for each other, and long s.
var forms = strings.NewReplacer("ſ", "s", "v", "u", "j", "i")

// normal returns a text in the form in which words are compared: lower case, NFC, and with one form for letters that old texts
// exchange.
func normal(text string) string { return forms.Replace(norm.NFC.String(strings.ToLower(text))) }

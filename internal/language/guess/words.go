package guess

import (
	_ "embed"
	"strings"
	"sync"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

//go:embed words.txt
var source string

// lists returns the words of each language.
var lists = sync.OnceValue(func() map[string]map[string]bool {
	all := map[string]map[string]bool{}
	for line := range strings.Lines(source) {
		tag, words, _ := strings.Cut(strings.TrimSpace(line), " ")
		if tag == "" || tag == "#" {
			continue
		}
		all[tag] = map[string]bool{}
		for _, w := range split(words) {
			all[tag][w] = true
		}
	}
	return all
})

// plainLists returns the words of each language without accents.
var plainLists = sync.OnceValue(func() map[string]map[string]bool {
	all := map[string]map[string]bool{}
	for tag, words := range lists() {
		all[tag] = map[string]bool{}
		for w := range words {
			all[tag][plain(w)] = true
		}
	}
	return all
})

// unbarred replaces letters whose bar or stroke is no accent in Unicode's tables.
var unbarred = strings.NewReplacer("đ", "d", "ł", "l", "ø", "o", "Đ", "D", "Ł", "L", "Ø", "O")

// plain returns a text without accents.
func plain(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Mn, r) {
			return -1
		}
		return r
	}, norm.NFD.String(unbarred.Replace(text)))
}

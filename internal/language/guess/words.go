package guess

import (
	_ "embed"
	"strings"
	"sync"

	"golang.org/x/text/unicode/norm"

	"uncial/internal/text"
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

// plain returns a text without accents.
func plain(s string) string { return strings.Map(text.WithoutAccent, norm.NFC.String(s)) }

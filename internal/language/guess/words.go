package guess

import (
	_ "embed"
	"strings"
	"sync"
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

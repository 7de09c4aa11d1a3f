package main

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"strings"

	"uncial/internal/accuracy"
)

// passages maps the id of a page to texts that are on it although its ground truth lacks them or has them in another place.
type passages map[string][]string

// loadPassages reads a file with the id of a page, a tab and a passage in each line. Lines that begin with # are comments.
// Without a path there are no passages.
func loadPassages(path string) (passages, error) {
	if path == "" {
		return nil, nil
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("--checked: %w", err)
	}
	all := passages{}
	lines := bufio.NewScanner(bytes.NewReader(text))
	for n := 1; lines.Scan(); n++ {
		line := lines.Text()
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		id, passage, ok := strings.Cut(line, "\t")
		if !ok || len(accuracy.Tokens(passage)) == 0 {
			return nil, fmt.Errorf("--checked: %s, line %d: expected the id of a page, a tab and a passage", path, n)
		}
		all[id] = append(all[id], passage)
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("--checked: %s: %w", path, err)
	}
	return all, nil
}

// apply counts words of the passages as correct if they were read as they are on the page, although they match nothing in the
// ground truth. It returns how many characters they have.
func (p passages) apply(pages []pageWords) (characters int) {
	for _, page := range pages {
		for _, passage := range p[page.Page.ID] {
			characters += apply(passage, page.Words)
		}
	}
	return characters
}

// apply marks as correct those words that match nothing in the ground truth but occur in the passage, in the same order. It
// returns how many characters they have.
func apply(passage string, words []accuracy.WordScore) (characters int) {
	var at []int // words that are wrong as a whole
	var texts []string
	for i, w := range words {
		if !w.IsUnread && (w.Moved || w.Errors >= w.Characters) {
			at, texts = append(at, i), append(texts, w.Text)
		}
	}
	k := 0
	for _, part := range accuracy.Align(accuracy.Tokens(accuracy.Folded(passage)), texts) {
		for range part.Text {
			if w := &words[at[k]]; part.Equal {
				w.Moved, w.Errors = false, 0
				characters += w.Characters
			}
			k++
		}
	}
	return characters
}

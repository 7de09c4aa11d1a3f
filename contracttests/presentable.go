package contracttests

import (
	"fmt"
	"strings"
	"unicode"
)

// presentable is what a server sent or caused, as a report may show it: in one line, without characters that move a
// cursor or turn the direction of writing, no longer than n characters, and without the keys of the run.
func (t Target) presentable(s string, n int) string {
	var b strings.Builder
	for _, r := range shorten(t.withoutKeys(s[:min(len(s), searched)]), n) {
		switch {
		case r == '\n':
			b.WriteString(`\n`)
		case r == ' ' || unicode.IsPrint(r):
			b.WriteRune(r)
		case r <= 0xffff:
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			fmt.Fprintf(&b, `\U%08x`, r)
		}
	}
	return b.String()
}

// searched is as much of an answer as keys are looked for in, in bytes: what can come into view, were it all keys, which
// their names shorten.
const searched = 64 << 10

// telling is how many characters of a key tell it from others: what all keys begin with, and eight of its own.
const telling = len("ocr_live_") + 8

// withoutKeys puts the names of scenarios where keys stand, in any case of letters, also where the end of one is cut off.
func (t Target) withoutKeys(s string) string {
	for scenario, keys := range t.Keys {
		for _, key := range keys {
			s = without(s, key, fmt.Sprintf("<the key of %q>", scenario))
		}
	}
	return s
}

func without(s, key, name string) string {
	start := key[:min(len(key), telling)]
	for i := 0; start != "" && i+len(start) <= len(s); i++ {
		if !strings.EqualFold(s[i:i+len(start)], start) {
			continue
		}
		end := i + len(start)
		for end < len(s) && end-i < len(key) && strings.EqualFold(s[end:end+1], key[end-i:end-i+1]) {
			end++
		}
		s = s[:i] + name + s[end:]
		i += len(name) - 1
	}
	return s
}

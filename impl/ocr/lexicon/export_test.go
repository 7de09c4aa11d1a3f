package lexicon

// EarlySpelling lets tests look words up as Known does.
var EarlySpelling = earlySpelling

// Contains reports whether the list has the word in exactly this spelling.
func (l *Lexicon) Contains(word string) bool { return len(l.Match(word, nil, 1)) > 0 }

package lexicon

// EarlySpelling has the variants that Known uses.
var EarlySpelling = earlySpelling

// Contains reports whether the word is listed in exactly this spelling.
func (l *Lexicon) Contains(word string) bool { return len(l.Match(word, nil, 1)) > 0 }

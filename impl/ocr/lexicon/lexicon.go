// Package lexicon reads the word lists and the alphabets of Tesseract's models, and looks words up in the lists. A listed word
// is probably read correctly. An unlisted word may be correct too: it may be a name or a historical spelling.
//
// This package does not correct anything: packages correct and hand decide how to use the lists. traineddata.go has the file
// format. Start with Read and Lexicon.Known.
package lexicon

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxLetters is the maximum id of a letter in a word graph: a label has 14 bits for it.
const maxLetters = 1<<14 - 1

// Lexicon is the word list of one model. It takes 6 bytes for each edge of its graph, 1-4 MB for the usual models, and is safe
// for concurrent use.
type Lexicon struct {
	graph   *graph
	letters map[string]uint16 // ids by the text of a letter, which may have several characters
	longest int               // length of the longest letter in bytes
}

// graph is a word graph (DAWG). A node is a run of edges. Edge i leads to the node that begins at edge next[i], or to no node
// if that is 0. label[i] has the id of the letter and, in its two lowest bits, the flags below.
type graph struct {
	next  []uint32
	label []uint16
}

// The lowest bits of a label.
const (
	labelLast = 1 // the last edge of its node
	labelEnd  = 2 // a word may end here
)

// Read returns the word list in the content of a traineddata file. It returns an error if the file is damaged or has no word
// list. Some models, such as those for scripts, have none.
func Read(traineddata []byte) (*Lexicon, error) {
	set, err := component(traineddata, unicharset)
	if err != nil {
		return nil, err
	}
	words, err := component(traineddata, wordDAWG)
	if err != nil {
		return nil, err
	}
	letters, err := parseUnicharset(set)
	if err != nil {
		return nil, fmt.Errorf("word list: %w", err)
	}
	g, err := parseDAWG(words)
	if err != nil {
		return nil, fmt.Errorf("word list: %w", err)
	}
	l := &Lexicon{graph: g, letters: make(map[string]uint16, len(letters))}
	for i, s := range letters {
		if i > maxLetters || s == "" {
			continue
		}
		if _, twice := l.letters[s]; !twice {
			l.letters[s] = uint16(i) // #nosec G115 -- at most maxLetters
			l.longest = max(l.longest, len(s))
		}
	}
	return l, nil
}

// Variants lists, for each letter, the letters that may replace it, such as "u" for 'v'. The letter itself need not be among
// them.
type Variants map[rune][]string

// earlySpelling has the variants for spelling that does not distinguish u and v or i and j, and for the long s. They serve to
// look words up, never to change them.
var earlySpelling = Variants{
	'u': {"v"}, 'v': {"u"}, 'U': {"V"}, 'V': {"U"}, 'i': {"j"}, 'j': {"i"}, 'I': {"J"}, 'J': {"I"},
	'ſ': {"s"}, 's': {"ſ"}, '’': {"'"}, '\'': {"’"},
}

// maxEdges is the maximum number of edges that the search for the variants of one word follows: a word of 20 letters with two
// spellings each has a million variants.
const maxEdges = 4096

// Match returns the listed words that equal word if any of its letters may be replaced by a variant: at most limit of them, and
// word itself first if it is listed.
func (l *Lexicon) Match(word string, variants Variants, limit int) []string {
	if word == "" || len(l.graph.next) == 0 {
		return nil
	}
	s := search{l: l, variants: variants, limit: limit, edges: maxEdges}
	s.walk(0, word, make([]byte, 0, len(word)+8))
	return s.found
}

// search follows all variants of one word through the graph.
type search struct {
	l        *Lexicon
	variants Variants
	limit    int
	edges    int // number of edges that may still be followed
	found    []string
}

// walk follows the rest of the word from a node. soFar is the spelling that led there. Letters of the model, such as ligatures,
// may have several characters; the longest one that fits is tried first.
func (s *search) walk(node uint32, rest string, soFar []byte) {
	for n := min(s.l.longest, len(rest)); n > 0; n-- {
		if id, ok := s.l.letters[rest[:n]]; ok {
			s.take(node, id, rest[n:], append(soFar, rest[:n]...))
		}
	}
	r, n := utf8.DecodeRuneInString(rest)
	for _, v := range s.variants[r] {
		if id, ok := s.l.letters[v]; ok {
			s.take(node, id, rest[n:], append(soFar, v...))
		}
	}
}

// take follows the edge of one letter, and records the word if it ends there.
func (s *search) take(node uint32, id uint16, rest string, soFar []byte) {
	if s.edges--; s.edges < 0 || len(s.found) >= s.limit {
		return
	}
	edge, ok := s.l.graph.edge(node, id)
	if !ok {
		return
	}
	if rest == "" {
		if s.l.graph.label[edge]&labelEnd != 0 {
			s.found = append(s.found, string(soFar))
		}
		return
	}
	if next := s.l.graph.next[edge]; next != 0 {
		s.walk(next, rest, soFar)
	}
}

// edge returns the edge of a node with the given letter, and whether there is one.
func (g *graph) edge(node uint32, id uint16) (uint32, bool) {
	for i := node; int(i) < len(g.label); i++ {
		if g.label[i]>>2 == id {
			return i, true
		}
		if g.label[i]&labelLast != 0 {
			break
		}
	}
	return 0, false
}

// Known reports whether a word of a text is listed. It ignores punctuation around the word, accepts capitals and early
// spelling, and looks up the parts of compounds. Numbers and single letters are never known.
func (l *Lexicon) Known(word string) bool {
	word = strings.TrimFunc(word, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsMark(r) })
	if utf8.RuneCountInString(word) < 2 {
		return false
	}
	if l.knownAs(word) {
		return true
	}
	parts := strings.FieldsFunc(word, func(r rune) bool { return r == '-' || r == '\'' || r == '’' })
	if len(parts) < 2 {
		return false
	}
	known := false // a compound of single letters is not a word
	for _, p := range parts {
		if utf8.RuneCountInString(p) < 2 {
			continue
		}
		if !l.knownAs(p) {
			return false
		}
		known = true
	}
	return known
}

// knownAs looks up a word, or one part of a compound: unchanged, in lower case, and, if it is all in capitals, capitalized like
// a name.
func (l *Lexicon) knownAs(word string) bool {
	if len(l.Match(word, earlySpelling, 1)) > 0 {
		return true
	}
	lower := strings.ToLower(word)
	if lower != word && len(l.Match(lower, earlySpelling, 1)) > 0 {
		return true
	}
	if upper := strings.ToUpper(word); upper == word {
		r, n := utf8.DecodeRuneInString(lower)
		return len(l.Match(string(unicode.ToUpper(r))+lower[n:], earlySpelling, 1)) > 0
	}
	return false
}

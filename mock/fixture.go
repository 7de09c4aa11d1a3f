package mock

import (
	"crypto/sha256"
	"embed"
	"encoding/binary"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// The fixtures, one file to a language tag. A fixture is a head of "name: value" lines, an empty line and its text,
// where an empty line begins a block; fixtures are parted by a line "%%". A word that is hard to read is written
// "reading~right~rule": how it is read, what stands there, and the rule by which the enhancement mends it.
//
//go:embed fixtures/*.txt
var fixtureFiles embed.FS

// The two kinds of pages. A fixture's kind is how the mock presents it.
const (
	printed     = "printed"
	handwritten = "handwritten"
)

// Fixture is a text of the public domain that the mock reads from images.
type Fixture struct {
	ID       string `json:"id"`
	Language string `json:"language"` // BCP 47
	Kind     string `json:"kind"`     // "printed" or "handwritten"
	Author   string `json:"author"`
	Work     string `json:"work"`
	Year     int    `json:"year"` // of the work or the edition quoted, often approximate; negative before our era

	blocks    [][][]fixtureWord // blocks of lines of words
	difficult bool              // some word is read wrongly
}

// fixtureWord is a word as it is read and as it stands there; they are the same, and rule is "", for most.
type fixtureWord struct {
	read, right, rule string
	noise             float64 // 0..1, for a confidence that differs from word to word
}

// fixtures are all texts, by language in alphabetical order. The files are part of the program: an error is a fault of ours.
var fixtures = sync.OnceValue(func() []Fixture {
	names, err := fs.Glob(fixtureFiles, "fixtures/*.txt")
	if err != nil {
		panic(err)
	}
	var all []Fixture
	for _, name := range names {
		source, err := fixtureFiles.ReadFile(name)
		if err != nil {
			panic(err)
		}
		for part := range strings.SplitSeq(string(source), "%%\n") {
			f, err := parseFixture(part)
			if err != nil {
				panic(fmt.Sprintf("%s: %v", name, err))
			}
			f.Language = strings.TrimSuffix(path.Base(name), ".txt")
			all = append(all, f)
		}
	}
	return all
})

// Fixtures are all texts that the mock reads, with their sources, by language.
func Fixtures() []Fixture { return slices.Clone(fixtures()) }

// byLanguage are the fixtures of each language tag.
var byLanguage = sync.OnceValue(func() map[string][]*Fixture {
	all := map[string][]*Fixture{}
	for i := range fixtures() {
		f := &fixtures()[i]
		all[f.Language] = append(all[f.Language], f)
	}
	return all
})

// languages are the tags that the mock reads: those of the fixtures, which are those the service ships with.
var languages = sync.OnceValue(func() []string { return slices.Sorted(maps.Keys(byLanguage())) })

func parseFixture(source string) (Fixture, error) {
	head, text, ok := strings.Cut(source, "\n\n")
	if !ok {
		return Fixture{}, fmt.Errorf("no text in %q", source)
	}
	var f Fixture
	for line := range strings.Lines(head) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), ": ")
		var err error
		switch name {
		case "id":
			f.ID = value
		case "kind":
			f.Kind = value
		case "author":
			f.Author = value
		case "work":
			f.Work = value
		case "year":
			f.Year, err = strconv.Atoi(value)
		default:
			err = fmt.Errorf("unknown head %q", name)
		}
		if err != nil {
			return Fixture{}, err
		}
	}
	for block := range strings.SplitSeq(strings.TrimSpace(text), "\n\n") {
		var lines [][]fixtureWord
		for line := range strings.Lines(block) {
			words := parseWords(line)
			f.difficult = f.difficult || slices.ContainsFunc(words, func(w fixtureWord) bool { return w.rule != "" })
			lines = append(lines, words)
		}
		f.blocks = append(f.blocks, lines)
	}
	return f, nil
}

func parseWords(line string) []fixtureWord {
	var words []fixtureWord
	for i, word := range strings.Fields(line) {
		w := fixtureWord{read: word, right: word}
		if parts := strings.Split(word, "~"); len(parts) == 3 {
			w = fixtureWord{read: parts[0], right: parts[1], rule: parts[2]}
		}
		w.noise = float64(digest(line, strconv.Itoa(i)).number()%1000) / 1000
		words = append(words, w)
	}
	return words
}

// choice says which texts stand on an image: a pure function of the request.
type choice struct {
	image    string // its URL
	language string
	pageKind
	seed string
}

// pageKind is what a scenario says of the pages. The zero value is one page of any kind.
type pageKind struct {
	kind      string  // of the fixture; "" is either
	difficult bool    // a text that the enhancement changes
	pages     int     // 0 is one
	blank     bool    // no text at all
	sureness  float64 // factor of every confidence; 0 is 1
}

// pick gives as many fixtures as there are pages, all different where the language has enough. The first is chosen by
// a hash of the choice, so that enhancing changes how a text is read but not which.
func (c choice) pick() []*Fixture {
	candidates := make([]*Fixture, 0, 8) // more than any language has
	for _, f := range byLanguage()[c.language] {
		if (c.kind == "" || f.Kind == c.kind) && (!c.difficult || f.difficult) {
			candidates = append(candidates, f)
		}
	}
	first := digest(c.image, c.language, c.seed).number() % uint64(len(candidates))
	picked := make([]*Fixture, max(c.pages, 1))
	for i := range picked {
		picked[i] = candidates[(first+uint64(i))%uint64(len(candidates))]
	}
	return picked
}

// hash is the first half of a SHA-256.
type hash [16]byte

// digest hashes strings one by one, so that no two lists of strings share theirs by mere concatenation.
func digest(parts ...string) hash {
	h := sha256.New()
	var length [8]byte
	for _, p := range parts {
		binary.BigEndian.PutUint64(length[:], uint64(len(p)))
		h.Write(length[:])
		h.Write([]byte(p))
	}
	return hash(h.Sum(nil)[:16])
}

func (h hash) number() uint64 { return binary.BigEndian.Uint64(h[:]) }

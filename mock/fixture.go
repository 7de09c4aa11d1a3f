package mock

import (
	"crypto/sha256"
	"embed"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"
	"sync"

	"uncial/internal/language"
)

// fixtureFiles has one file per language tag. A fixture is a header of "name: value" lines, an empty line and the text, in
// which an empty line begins a new block; a line "%%" separates fixtures. A misread word is written "read~right~rule": the word
// as read, the word as printed, and the rule by which enhance corrects it. To add a text, append it to the file of its
// language; a new file adds a language, which openapi.yaml and README.md must then list. Either may change which text the
// other images of that language get.
//
//go:embed fixtures/*.txt
var fixtureFiles embed.FS

// The two kinds of pages.
const (
	printed     = "printed"
	handwritten = "handwritten"
)

// Fixture is a text in the public domain that the mock reads from images.
type Fixture struct {
	ID       string `json:"id"`
	Language string `json:"language"` // BCP 47
	Kind     string `json:"kind"`     // how the mock presents it: "printed" or "handwritten"
	Author   string `json:"author"`
	Work     string `json:"work"`
	Year     int    `json:"year"` // of the work or the quoted edition, often approximate; negative for BC

	blocks    [][][]fixtureWord // blocks of lines of words
	difficult bool              // whether a word is misread
}

// fixtureWord is a word as it is read and as it is printed. For most words the two are equal and rule is "".
type fixtureWord struct {
	read, right, rule string
	noise             float64 // 0..1, lowers the confidence
}

// fixtures returns all texts, by language in alphabetical order. The files are part of the program, so an error in
// them is a bug and panics.
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

// Fixtures returns all texts that the mock reads, with their sources, by language.
func Fixtures() []Fixture { return slices.Clone(fixtures()) }

// Languages returns the languages of the texts in alphabetical order.
func Languages() []string { return slices.Clone(languages()) }

const (
	// fixtureModel and handwritingModel stand for the models that read the printed and the handwritten fixtures.
	fixtureModel     = "fixtures"
	handwritingModel = "fixtures-handwriting"
	// mockVersion stands for the version of the service: answers must not change with each build.
	mockVersion = "mock"
)

// model returns the name of the model that reads the fixture.
func (f *Fixture) model() string {
	if f.Kind == handwritten {
		return handwritingModel
	}
	return fixtureModel
}

// fixtureDigest stands for the digest of a model. It changes with the texts, as a real digest changes with the weights.
var fixtureDigest = sync.OnceValue(func() string {
	sum := sha256.New()
	for _, f := range fixtures() {
		_, _ = fmt.Fprintf(sum, "%s %v\n", f.ID, f.blocks) // a hash never fails
	}
	return "sha256:" + hex.EncodeToString(sum.Sum(nil))
})

// byLanguage groups the fixtures by their tag, in the order of their files.
var byLanguage = sync.OnceValue(func() map[string][]*Fixture {
	all := map[string][]*Fixture{}
	for i := range fixtures() {
		f := &fixtures()[i]
		all[f.Language] = append(all[f.Language], f)
	}
	return all
})

// languages returns the tags of the texts, which are those that the service ships with.
var languages = sync.OnceValue(func() []string { return slices.Sorted(maps.Keys(byLanguage())) })

// supported returns the tags that requests can name: those of the texts, and und.
var supported = sync.OnceValue(func() []string {
	return slices.Sorted(slices.Values(append(slices.Clone(languages()), language.Undetermined)))
})

// languageOf returns the language in which an image is read: the requested one or, for und, one that a hash of the image
// selects.
func (p pageKind) languageOf(image, requested string) string {
	switch {
	case requested != language.Undetermined || p.blank:
		return requested
	case p.specimen != "":
		return language.Default
	}
	return languages()[digest(image).number()%uint64(len(languages()))]
}

// parseFixture parses one fixture: header, empty line, text.
func parseFixture(source string) (Fixture, error) {
	header, text, ok := strings.Cut(source, "\n\n")
	if !ok {
		return Fixture{}, fmt.Errorf("no empty line between header and text in %q", source)
	}
	var f Fixture
	for line := range strings.Lines(header) {
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
			err = fmt.Errorf("unknown header line %q; known: id, kind, author, work, year", name)
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
		if lines != nil {
			f.blocks = append(f.blocks, lines)
		}
	}
	return f, nil
}

// parseWords splits a line at spaces. The noise of a word is a hash of its line and position, so it never changes.
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

// choice is everything that decides which texts an image has: values of the request and the seeds.
type choice struct {
	image    string // URL
	language string
	pageKind
	seed string
}

// pageKind is what a scenario says about the pages. The zero value is one page of any kind.
type pageKind struct {
	kind             string  // printed, handwritten, or "" for either
	difficult        bool    // only texts with a misread word
	pages            int     // 0 means one
	blank            bool    // no text
	specimen         string  // a text of specimens
	weak             bool    // a weak place for each reason
	faded            bool    // more weak places than an answer lists
	illustrated      bool    // graphics above the text
	confidenceFactor float64 // scales every confidence; 0 means 1
}

// pick returns one fixture per page, all different if the language has enough. A hash of the choice selects the first.
// Enhancement is not part of the choice: it changes how a text is read, not which text it is.
func (c choice) pick() []*Fixture {
	if c.specimen != "" {
		return specimens()[c.specimen][:max(c.pages, 1)]
	}
	candidates := make([]*Fixture, 0, 8) // at least as many as any language has
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

// hash is the first half of a SHA-256: short enough for map keys, long enough that no two requests share one.
type hash [16]byte

// digest hashes a list of strings. It makes every choice of the mock, so that nothing depends on a random number. Each
// string is preceded by its length, so that different lists with the same concatenation have different digests.
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

// number returns the first 8 bytes, for evenly distributed choices.
func (h hash) number() uint64 { return binary.BigEndian.Uint64(h[:]) }

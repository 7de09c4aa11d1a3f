package lexicon_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/bits"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"uncial/impl/ocr/lexicon"
	"uncial/impl/ocr/models/own"
)

func TestLexicon_Match(t *testing.T) {
	t.Parallel()
	l := MustRead(t, "universe", "vniuerſe", "sea", "fea", "jam", "iam", "cliﬀ")
	for _, c := range []struct {
		why, word string
		variants  lexicon.Variants
		want      []string
	}{
		{"the word itself", "sea", nil, []string{"sea"}},
		{"a part of a word is not a word", "se", nil, nil},
		{"a word with more letters", "seas", nil, nil},
		{"a letter that the model lacks", "sèa", nil, nil},
		{"the empty word", "", nil, nil},
		{"letters of several runes", "cliﬀ", nil, []string{"cliﬀ"}},
		{"the given spelling first, then its variants", "iam", lexicon.EarlySpelling, []string{"iam", "jam"}},
		{"several variants in one word", "vniverse", lexicon.EarlySpelling, []string{"vniuerſe", "universe"}},
		{"other variants", "fea", lexicon.Variants{'f': {"s"}}, []string{"fea", "sea"}},
	} {
		require.ElementsMatch(t, c.want, l.Match(c.word, c.variants, 10), c.why)
		require.Equal(t, slices.Contains(c.want, c.word), l.Contains(c.word), c.why)
	}
	require.Len(t, l.Match("iam", lexicon.EarlySpelling, 1), 1, "at most limit words")
}

func TestLexicon_Known(t *testing.T) {
	t.Parallel()
	l := MustRead(t, "have", "upon", "Paul", "self", "l'ami")
	for _, c := range []struct {
		why, word string
		want      bool
	}{
		{"punctuation around it", "“have,”", true},
		{"a capital at the start of a sentence", "Have", true},
		{"capitals throughout", "HAVE", true},
		{"a name in capitals", "PAUL", true},
		{"a name needs its capital", "paul", false},
		{"v for u", "vpon", true},
		{"a compound", "self-have", true},
		{"an elision", "l’ami", true},
		{"an elision by its parts", "d'upon", true},
		{"a compound with one unknown part", "self-hxve", false},
		{"a compound of single letters, which is noise", "q-z", false},
		{"a number", "1905", false},
		{"a single letter", "h", false},
		{"punctuation alone", "--", false},
	} {
		require.Equal(t, c.want, l.Known(c.word), c.why)
	}
}

func TestRead_properties(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		words := rapid.SliceOfNDistinct(rapid.StringOfN(rapid.SampledFrom([]rune("abſé")), 1, 6, -1), 1, 40, rapid.ID[string]).Draw(t, "words")
		l, err := lexicon.Read(traineddata(words))
		if err != nil {
			t.Fatal(err)
		}
		probe := rapid.StringOfN(rapid.SampledFrom([]rune("abſé")), 1, 6, -1).Draw(t, "probe")
		if l.Contains(probe) != slices.Contains(words, probe) {
			t.Fatalf("%q in %q", probe, words)
		}
		for _, w := range words {
			if !l.Contains(w) {
				t.Fatalf("%q is lost", w)
			}
		}
	})
}

func TestRead_installed(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("/usr/share/tesseract-ocr/*/tessdata/eng.traineddata")
	require.NoError(t, err)
	if len(files) == 0 {
		t.Skip("tesseract-ocr-eng is not installed")
	}
	data, err := os.ReadFile(files[0])
	require.NoError(t, err)
	l, err := lexicon.Read(data)
	require.NoError(t, err)
	for _, w := range []string{"the", "Wednesday", "liberty", "committee"} {
		require.True(t, l.Known(w), w)
	}
	for _, w := range []string{"thcm", "libcrty", "comrnittee", "qwxz"} {
		require.False(t, l.Known(w), w)
	}
}

func TestReadAlphabet(t *testing.T) {
	t.Parallel()
	a, err := lexicon.ReadAlphabet(own.Models()[own.EarlyPrint])
	require.NoError(t, err)
	for _, r := range "aZé7ſãœ" {
		require.True(t, a[r], "%c", r)
	}
	for _, r := range "łığΩ" {
		require.False(t, a[r], "%c", r)
	}
	_, err = lexicon.ReadAlphabet([]byte("not traineddata"))
	require.Error(t, err)
}

func TestRead_damaged(t *testing.T) {
	t.Parallel()
	good := traineddata([]string{"abc"})
	for _, c := range []struct {
		why  string
		data []byte
	}{
		{"no bytes", nil},
		{"another kind of file", []byte("P5\n10 10\n255\n")},
		{"a truncated table", good[:20]},
		{"a truncated graph", good[:len(good)-1]},
	} {
		_, err := lexicon.Read(c.data)
		require.Error(t, err, c.why)
	}
	absent := bytes.Clone(good)
	binary.LittleEndian.PutUint64(absent[4+8*19:], ^uint64(0))
	_, err := lexicon.Read(absent)
	require.ErrorContains(t, err, "the model lacks a component")
}

func FuzzRead(f *testing.F) {
	f.Add(traineddata([]string{"abc", "abd", "b"}), "abc")
	f.Add([]byte("not traineddata"), "")
	f.Fuzz(func(t *testing.T, data []byte, word string) {
		l, err := lexicon.Read(data)
		if err != nil {
			return
		}
		for _, m := range l.Match(word, lexicon.EarlySpelling, 3) {
			if !l.Contains(m) {
				t.Fatalf("%q was found as %q, which is not there", word, m)
			}
		}
		l.Known(word)
	})
}

func MustRead(tb testing.TB, words ...string) *lexicon.Lexicon {
	tb.Helper()
	l, err := lexicon.Read(traineddata(words))
	require.NoError(tb, err)
	return l
}

// traineddata returns a file with a word list: a character set of single runes, and the words as a tree, node after node.
func traineddata(words []string) []byte {
	letters := []rune{' '}
	for _, w := range words {
		for _, r := range w {
			if !slices.Contains(letters, r) {
				letters = append(letters, r)
			}
		}
	}
	var set strings.Builder
	fmt.Fprintf(&set, "%d\nNULL 0\n", len(letters))
	for _, r := range letters[1:] {
		fmt.Fprintf(&set, "%c 3 0\n", r)
	}
	graph := wordGraph(words, letters)
	const n, dawg, unicharset = 24, 19, 21
	head := binary.LittleEndian.AppendUint32(nil, n)
	offsets := slices.Repeat([]uint64{^uint64(0)}, n)
	offsets[unicharset] = 4 + 8*n
	offsets[dawg] = offsets[unicharset] + uint64(set.Len())
	for _, o := range offsets {
		head = binary.LittleEndian.AppendUint64(head, o)
	}
	return slices.Concat(head, []byte(set.String()), graph)
}

func wordGraph(words []string, letters []rune) []byte {
	type node struct {
		prefix string
		next   []rune
	}
	nodes := []node{{}}
	for i := 0; i < len(nodes); i++ {
		for _, w := range words {
			rest, ok := strings.CutPrefix(w, nodes[i].prefix)
			if !ok || rest == "" {
				continue
			}
			r := []rune(rest)[0]
			if !slices.Contains(nodes[i].next, r) {
				nodes[i].next = append(nodes[i].next, r)
				nodes = append(nodes, node{prefix: nodes[i].prefix + string(r)})
			}
		}
	}
	start, edges := map[string]uint64{}, uint64(0)
	for _, n := range nodes {
		start[n.prefix] = edges
		edges += uint64(len(n.next))
	}
	width := bits.Len(uint(len(letters)))
	out := binary.LittleEndian.AppendUint16(nil, 42)
	out = binary.LittleEndian.AppendUint32(out, uint32(len(letters)))
	out = binary.LittleEndian.AppendUint32(out, uint32(edges))
	for _, n := range nodes {
		for i, r := range n.next {
			word := n.prefix + string(r)
			edge := uint64(slices.Index(letters, r))
			if i == len(n.next)-1 {
				edge |= 1 << width
			}
			if slices.Contains(words, word) {
				edge |= 4 << width
			}
			if slices.ContainsFunc(words, func(w string) bool { return len(w) > len(word) && strings.HasPrefix(w, word) }) {
				edge |= start[word] << (width + 3)
			}
			out = binary.LittleEndian.AppendUint64(out, edge)
		}
	}
	return out
}

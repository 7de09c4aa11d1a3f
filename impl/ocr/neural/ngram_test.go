package neural_test

import (
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"uncial/impl/ocr/neural"
)

func mustCount(tb testing.TB, text string, order int) []byte {
	tb.Helper()
	data, err := neural.CountLanguage([]neural.Text{{Lines: strings.NewReader(text), Weight: 1}}, alphabet, neural.Counting{Order: order})
	require.NoError(tb, err)
	return data
}

func mustLanguage(tb testing.TB, data []byte) *neural.Language {
	tb.Helper()
	l, err := neural.LoadLanguage(data)
	require.NoError(tb, err)
	return l
}

func TestLanguage_ProbabilitiesSumUpToOne(t *testing.T) {
	t.Parallel()
	text := strings.Repeat("abc abc cab\nbca a\n", 5) + "aab bbé\n"
	for order := 1; order <= 6; order++ {
		l := mustLanguage(t, mustCount(t, text, order))
		for _, before := range []string{"", "a", "ab", "abc", "abc ", "é", "ccc", "bbé"} {
			sum := 0.0
			for _, next := range append([]string{"\n"}, alphabet...) { // \n is the edge: it is in no alphabet
				sum += math.Exp(l.After(before + next))
			}
			require.InDelta(t, 1, sum, 0.08, "order %d after %q", order, before) // 16 steps to a natural logarithm
		}
	}
}

func TestLanguage_PrefersWhatItHasSeen(t *testing.T) {
	t.Parallel()
	l := mustLanguage(t, mustCount(t, strings.Repeat("abc cab\n", 9), 4))
	require.Greater(t, l.After("ab"+"c"), l.After("ab"+"b"))
	require.Greater(t, l.After("ab"+"b"), l.After("ab"+"é"), "a character that was seen elsewhere is likelier than one that was never seen")
}

func TestCountLanguage_weighsTexts(t *testing.T) {
	t.Parallel()
	count := func(weight int) *neural.Language {
		data, err := neural.CountLanguage([]neural.Text{
			{Lines: strings.NewReader("abb\n"), Weight: weight}, {Lines: strings.NewReader("abc\nabc\n"), Weight: 1},
		}, alphabet, neural.Counting{Order: 4})
		require.NoError(t, err)
		return mustLanguage(t, data)
	}
	require.Greater(t, count(1).After("ab"+"c"), count(1).After("ab"+"b"))
	require.Less(t, count(9).After("ab"+"c"), count(9).After("ab"+"b"))
	_, err := neural.CountLanguage([]neural.Text{{Lines: strings.NewReader("abb\n")}}, alphabet, neural.Counting{Order: 4})
	require.ErrorContains(t, err, "invalid weight 0")
}

func TestCountLanguage_leavesOutNGramsThatShorterOnesPredict(t *testing.T) {
	t.Parallel()
	text := strings.Repeat("abc cab\nacb bca\nb c a\n", 20)
	count := func(minGain float64) []byte {
		data, err := neural.CountLanguage([]neural.Text{{Lines: strings.NewReader(text), Weight: 1}}, alphabet, neural.Counting{Order: 6, MinGain: minGain})
		require.NoError(t, err)
		return data
	}
	whole, pruned, least := count(0), count(2), count(1e9)
	require.Less(t, len(pruned), len(whole))
	require.Less(t, len(least), len(pruned))
	for _, next := range append([]string{"\n"}, alphabet...) {
		require.InDelta(t, mustLanguage(t, whole).After("ca"+next), mustLanguage(t, pruned).After("ca"+next), 0.5, "%q", next)
	}
	l, sum := mustLanguage(t, pruned), 0.0
	for _, next := range append([]string{"\n"}, alphabet...) {
		sum += math.Exp(l.After("abc c" + next))
	}
	require.InDelta(t, 1, sum, 0.08)
}

func TestCountLanguage_RefusesInvalidArguments(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		text     string
		alphabet []string
		order    int
	}{
		"no text":          {"", alphabet, 3},
		"no alphabet":      {"a", nil, 3},
		"an order of 0":    {"a", alphabet, 0},
		"an order of 9":    {"a", alphabet, 9},
		"other characters": {"xyz", alphabet, 3},
	} {
		t.Run("refuses "+name, func(t *testing.T) {
			t.Parallel()
			_, err := neural.CountLanguage([]neural.Text{{Lines: strings.NewReader(c.text), Weight: 1}}, c.alphabet, neural.Counting{Order: c.order})
			require.Error(t, err)
		})
	}
}

// no is the probability of a character that a step of a line does not show.
const no = 1e-6

// row returns the logarithms of the probabilities of blank, " ", a, b, c and é.
func row(p ...float32) []float32 {
	for i := range p {
		p[i] = float32(math.Log(float64(p[i])))
	}
	return p
}

func TestRecognizer_SearchesWithTheCharacterModel(t *testing.T) {
	t.Parallel()
	l := mustLanguage(t, mustCount(t, strings.Repeat("abc\n", 50), 4))
	r := neural.NewRecognizer(mustLoad(t, newSketch().file()), l)
	image := [][]float32{
		row(no, no, 0.97, 0.01, no, no), row(0.99, no, no, no, no, no), row(no, no, no, 0.97, 0.01, no),
		row(0.99, no, no, no, no, no), row(no, no, no, no, 0.45, 0.55), row(0.99, no, no, no, no, no),
	}
	require.Equal(t, "abc", r.Text(image), "c is a little less likely than é in the image and far more likely after ab")
	image[4] = row(no, no, no, no, no, 0.999)
	require.Equal(t, "abé", r.Text(image), "a clear image outweighs the character model")
	image[1], image[2] = row(no, no, 0.99, no, no, no), row(no, no, 0.99, no, no, no)
	require.Equal(t, "aé", r.Text(image), "a character over several steps is read once")
}

func TestLoadLanguage_RefusesDamagedFiles(t *testing.T) {
	t.Parallel()
	good := mustCount(t, "abc cab\nbca\n", 3)
	for name, data := range map[string][]byte{
		"nothing":        nil,
		"another magic":  append([]byte("X"), good[1:]...),
		"cut short":      good[:len(good)-3],
		"something more": append(append([]byte(nil), good...), 0),
		"a node that points beyond the next level": func() []byte {
			bad := append([]byte(nil), good...)
			at := strings.Index(string(bad), "}") + 1 // the first node
			bad[at+7] = 0x7f
			return bad
		}(),
	} {
		t.Run("refuses "+name, func(t *testing.T) {
			t.Parallel()
			_, err := neural.LoadLanguage(data)
			require.ErrorIs(t, err, neural.ErrLanguage)
		})
	}
}

func FuzzLoadLanguage(f *testing.F) {
	f.Add(mustCount(f, "abc cab\nbca\n", 3))
	f.Fuzz(func(_ *testing.T, data []byte) {
		l, err := neural.LoadLanguage(data)
		if err != nil {
			return
		}
		for _, text := range []string{"a", "abc", "é é", "\n\n"} {
			l.After(text)
		}
	})
}

func TestRecognizer_SearchesWithWordLists(t *testing.T) {
	t.Parallel()
	l := mustLanguage(t, mustCount(t, strings.Repeat("abc cab\nabé éab\n", 50), 2))
	r := neural.NewRecognizer(mustLoad(t, newSketch().file()), l)
	blank := func() []float32 { return row(0.99, no, no, no, no, no) }
	image := func(last ...float32) [][]float32 {
		return [][]float32{
			row(no, no, 0.99, no, no, no), blank(), row(no, no, no, 0.99, no, no), blank(), row(no, no, no, no, last[0], last[1]), blank(),
			row(no, 0.99, no, no, no, no), blank(), row(no, no, 0.99, no, no, no), blank(),
		}
	}
	knows := func(word string) func(string) bool { return func(w string) bool { return w == word } }
	for _, c := range []struct {
		name  string
		known func(string) bool
		last  []float32 // probabilities of c and é
		want  string
	}{
		{"reads the likelier letter without a word list", nil, []float32{0.45, 0.55}, "abé a"},
		{"prefers a listed word", knows("abc"), []float32{0.45, 0.55}, "abc a"},
		{"keeps a listed word", knows("abé"), []float32{0.55, 0.45}, "abé a"},
		{"keeps a letter that the image shows clearly", knows("abc"), []float32{no, 0.99}, "abé a"},
		{"does not look up short words", knows("a"), []float32{0.45, 0.55}, "abé a"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, c.want, r.TextKnowing(c.known, image(c.last...)))
		})
	}
}

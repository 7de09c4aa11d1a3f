package text_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"uncial/internal/text"
)

func TestStretches(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, a, b string
		want       []text.Stretch
	}{
		{"finds none in equal texts", "abc", "abc", nil},
		{"finds another letter", "abc", "axc", []text.Stretch{{1, 2, 1, 2}}},
		{"finds a letter more", "abc", "abxc", []text.Stretch{{2, 2, 2, 3}}},
		{"finds a letter less", "abc", "ac", []text.Stretch{{1, 2, 1, 1}}},
		{"finds several", "abcdef", "xbcdyzf", []text.Stretch{{0, 1, 0, 1}, {4, 5, 4, 6}}},
		{"takes texts with nothing in common as one", "ab", "xyz", []text.Stretch{{0, 2, 0, 3}}},
		{"takes a text as one if the other is empty", "", "ab", []text.Stretch{{0, 0, 0, 2}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, c.want, text.Stretches([]byte(c.a), []byte(c.b)))
		})
	}
}

// Replacing all stretches of one sequence by those of the other must make the other.
func TestStretches_makeTheOther(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		letters := rapid.SliceOfN(rapid.ByteRange('a', 'c'), 0, 12)
		a, b := letters.Draw(t, "a"), letters.Draw(t, "b")
		made := slices.Clone(a)
		for _, s := range slices.Backward(text.Stretches(a, b)) {
			made = slices.Replace(made, s.From, s.To, b[s.FromOther:s.ToOther]...)
		}
		require.Equal(t, string(b), string(made))
	})
}

package text_test

import (
	"testing"

	"pgregory.net/rapid"

	"uncial/internal/text"
)

func TestDistance(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		letters := rapid.SampledFrom([]rune("abcſé"))
		a := rapid.SliceOfN(letters, 0, 200).Draw(t, "a")
		b := rapid.SliceOfN(letters, 0, 200).Draw(t, "b")
		if got, want := text.Distance(a, b), tableDistance(a, b); got != want {
			t.Fatalf("%d instead of %d", got, want)
		}
	})
}

func TestDistance_metric(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		runes := rapid.SliceOfN(rapid.RuneFrom([]rune("abc ")), 0, 150)
		a, b, c := runes.Draw(t, "a"), runes.Draw(t, "b"), runes.Draw(t, "c")
		ab, ba := text.Distance(a, b), text.Distance(b, a)
		if ab != ba {
			t.Fatalf("not symmetric: %d, %d", ab, ba)
		}
		if text.Distance(a, a) != 0 {
			t.Fatal("a text differs from itself")
		}
		if text.Distance(a, c) > ab+text.Distance(b, c) {
			t.Fatal("a detour is shorter")
		}
	})
}

// tableDistance is the definition, with one row of the table at a time.
func tableDistance(a, b []rune) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range a {
		diagonal := row[0]
		row[0] = i + 1
		for j := range b {
			substitution := diagonal
			if a[i] != b[j] {
				substitution++
			}
			diagonal = row[j+1]
			row[j+1] = min(substitution, row[j]+1, diagonal+1)
		}
	}
	return row[len(b)]
}

func BenchmarkDistance_FiveThousandCharacters(b *testing.B) {
	x, y := make([]rune, 5000), make([]rune, 5000)
	for i := range x {
		x[i], y[i] = rune('a'+i*7%23), rune('a'+i*11%19)
	}
	for b.Loop() {
		text.Distance(x, y)
	}
}

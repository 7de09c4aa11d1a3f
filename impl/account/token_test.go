package account_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"uncial/impl/account"
)

const base62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

func TestNewToken(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for range 1000 {
		token := account.NewToken()
		require.Regexp(t, `^ocr_live_[0-9A-Za-z]{36}$`, token)
		require.True(t, account.IsWellFormed(token), token)
		require.False(t, seen[token])
		seen[token] = true
	}
}

func TestNewToken_Randomness(t *testing.T) {
	t.Parallel()
	const tokens = 20_000
	count := map[rune]float64{}
	for range tokens {
		for _, c := range account.NewToken()[len("ocr_live_"):][:30] {
			count[c]++
		}
	}
	expected := float64(tokens*30) / float64(len(base62))
	chiSquare := 0.0
	for _, c := range base62 {
		chiSquare += (count[c] - expected) * (count[c] - expected) / expected
	}
	// 61 degrees of freedom: a fair source stays below 150 except in one run in 10^8; bytes modulo 62 give over 2,000.
	require.Less(t, chiSquare, 150.0)
}

func TestIsWellFormed_Typo(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		token := []byte(account.NewToken())
		at := rapid.IntRange(0, len(token)-1).Draw(t, "at")
		other := rapid.SampledFrom([]byte(base62+"_ -")).Draw(t, "other")
		if token[at] == other {
			return
		}
		token[at] = other
		require.False(t, account.IsWellFormed(string(token)))
	})
}

func TestIsWellFormed(t *testing.T) {
	t.Parallel()
	good := account.NewToken()
	for name, token := range map[string]string{
		"nothing":             "",
		"the prefix alone":    "ocr_live_",
		"a key of the mock":   "ocr_test_ok",
		"one character fewer": good[:len(good)-1],
		"one character more":  good + "0",
		"another prefix":      "ocr_test_" + good[len("ocr_live_"):],
		"upper case":          strings.ToUpper(good),
		"a space in front":    " " + good,
		"a NUL":               good[:20] + "\x00" + good[21:],
		"not ASCII":           good[:20] + "é" + good[22:],
	} {
		require.False(t, account.IsWellFormed(token), name)
	}
}

func FuzzIsWellFormed(f *testing.F) {
	f.Add(account.NewToken())
	f.Add("ocr_live_")
	f.Fuzz(func(t *testing.T, token string) {
		if account.IsWellFormed(token) && len(token) != len("ocr_live_")+36 {
			t.Errorf("%q passes", token)
		}
	})
}

package language_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"uncial/internal/language"
)

func TestMatch_undetermined(t *testing.T) {
	t.Parallel()
	for _, want := range []string{"und", "UND"} {
		got, err := language.Match(want, []string{"en", "und", "und-Latn"})
		require.NoError(t, err)
		require.Equal(t, "und", got)
	}
	_, err := language.Match("und", []string{"en", "und-Latn"})
	require.ErrorContains(t, err, `"und" is not supported`)
	for _, want := range []string{"und-GB", "und-Cyrl", "und-x-any"} {
		_, err := language.Match(want, []string{"en", "und", "und-Latn"})
		require.Error(t, err, want)
	}
}

func TestScript(t *testing.T) {
	t.Parallel()
	for tag, want := range map[string]string{
		"en": "Latn", "frm": "Latn", "de-Latf": "Latn", "it-x-old": "Latn", "und-Latf": "Latn", "el": "Grek", "grc": "Grek", "ru": "Cyrl",
		"sr-Latn": "Latn", "und": "", "not a tag": "",
	} {
		require.Equal(t, want, language.Script(tag), tag)
	}
	require.Equal(t, []string{"en", "frm"}, language.InScript([]string{"en", "und-Latn", "grc", "frm", "und", "?"}, "Latn"))
}

func TestMatch(t *testing.T) {
	t.Parallel()
	supported := []string{"en", "de", "de-Latf", "fr", "frm", "la", "it", "zh-Hant"}
	for _, c := range []struct{ want, got, why string }{
		{"en", "en", "the tag itself"},
		{"EN", "en", "tags are case-insensitive"},
		{"en-GB", "en", "a region falls back to its language"},
		{"en-Latn-GB", "en", "the common script is implied"},
		{"de-latf", "de-Latf", "a supported script"},
		{"de-Latf-AT", "de-Latf", "a region falls back to its script"},
		{"de-1901", "de", "a variant falls back"},
		{"fr-Latf", "", "an unusual script never falls back"},
		{"tlh", "", "a language never falls back to another"},
		{"nl", "", "not even a related one"},
		{"de-1901-1901", "", "a variant must not be repeated"},
		{"en-a-bbb-a-ccc", "", "a singleton must not be repeated"},
		{"en-a-bbb-u-ca-gregory-x-a-a", "en", "private subtags may repeat anything"},
		{"x-private", "", "private use has no language"},
		{"not a tag", "", "not BCP 47"},
	} {
		got, err := language.Match(c.want, supported)
		require.Equal(t, c.got, got, c.why)
		if c.got == "" {
			require.ErrorContains(t, err, "de, de-Latf, en, fr, frm, it, la, zh-Hant", c.why)
		} else {
			require.NoError(t, err, c.why)
		}
	}
}

package language_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"uncial/internal/language"
)

func TestMatch(t *testing.T) {
	t.Parallel()
	supported := []string{"en", "de", "de-Latf", "fr", "frm", "la", "it", "zh-Hant"}
	for _, c := range []struct{ want, got, why string }{
		{"en", "en", "the tag itself"},
		{"EN", "en", "tags are case-insensitive"},
		{"en-GB", "en", "a region falls back to its language"},
		{"en-Latn-GB", "en", "the common script is implied"},
		{"de-latf", "de-Latf", "a script that is supported on its own"},
		{"de-Latf-AT", "de-Latf", "a region of a script"},
		{"de-1901", "de", "a variant falls back"},
		{"fr-Latf", "", "another script is another reading"},
		{"tlh", "", "another language is never substituted"},
		{"nl", "", "nor a related one"},
		{"x-private", "", "private use names no language"},
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

package name_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"uncial/internal/language/name"
)

func TestOf(t *testing.T) {
	t.Parallel()
	for tag, want := range map[string]string{
		"de-Latf": "German (Fraktur)", "enm": "Middle English", "it-x-old": "Italian (older stage)", "grc": "Ancient Greek",
		"und-Latf": "Any language (Fraktur)",
		"und":      "Detected on each page", "und-Latn": "Any language (Latin)",
		"not a tag": "not a tag",
	} {
		require.Equal(t, want, name.Of(tag))
	}
}

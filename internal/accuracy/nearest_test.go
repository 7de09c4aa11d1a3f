package accuracy_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"uncial/internal/accuracy"
)

func TestNearest(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		why, line, text, part string
		errors                int
	}{
		{"finds the line itself", "the house", "on the hill the house stands", "the house", 0},
		{"finds it in spite of errors", "tho hovse", "on the hill the house stands", "the house", 2},
		{"counts missing characters", "the huse", "on the hill the house stands", "the house", 1},
		{"counts superfluous characters", "the hoouse", "on the hill the house stands", "the house", 1},
		{"counts all characters of a line that is not there", "xyz", "on", "", 3},
		{"compares characters, not bytes", "été", "l\u2019été fut", "été", 0},
	} {
		part, errors := accuracy.Nearest(c.line, c.text)
		require.Equal(t, c.errors, errors, c.why)
		require.Equal(t, c.part, part, c.why)
	}
}

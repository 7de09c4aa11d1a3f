package text_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"uncial/internal/text"
)

func TestWithoutAccent(t *testing.T) {
	t.Parallel()
	require.Equal(t, "ecLodHa 7.", strings.Map(text.WithoutAccent, "éçŁøðĦą 7."))
}

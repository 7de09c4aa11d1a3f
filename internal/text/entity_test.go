package text_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"uncial/internal/text"
)

func TestWithoutEntities(t *testing.T) {
	t.Parallel()
	require.Equal(t, "Seine & Oise, & Cie", text.WithoutEntities("Seine &amp; Oise, & Cie"))
}

package text_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"uncial/internal/text"
)

func TestNumber(t *testing.T) {
	t.Parallel()
	for n, want := range map[int64]string{0: "0", 999: "999", 1000: "1,000", -1234567: "-1,234,567", 9950: "9,950"} {
		require.Equal(t, want, text.Number(n))
	}
}

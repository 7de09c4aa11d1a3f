package neural

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestWithSpaces shows that a wide blank divides words although the network read no space there.
func TestWithSpaces(t *testing.T) {
	t.Parallel()
	columns := make([]float32, 300)
	for _, x := range []int{10, 40, 150, 160, 290} {
		for i := x - 5; i < x+5; i++ {
			columns[i] = 10
		}
	}
	var read string
	for _, c := range withSpaces([]Character{{Text: "a", X: 10}, {Text: "b", X: 40}, {Text: "3", X: 150}, {Text: " ", X: 155}, {Text: "0", X: 160}, {Text: "8", X: 290}}, columns) {
		read += c.Text
	}
	require.Equal(t, "ab 3 0 8", read)
}

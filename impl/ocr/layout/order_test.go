package layout_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"uncial/impl/ocr/layout"
	"uncial/internal/document"
)

func TestInOrder(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		blocks []document.Block
		want   string
	}{
		"moves a line before the lines below it": {
			[]document.Block{block(line(0, 200, "third")), block(line(0, 100, "first"), line(0, 150, "second"), line(0, 250, "fourth"))},
			"first\nsecond\nthird\nfourth",
		},
		"keeps the order of columns and of notes beside the text": {
			[]document.Block{block(line(0, 100, "left"), line(0, 150, "below")), block(line(600, 100, "right"))},
			"left\nbelow\nright",
		},
		"keeps the order of lines in one row": {
			[]document.Block{block(line(0, 105, "left"), line(40, 100, "right"))},
			"left\nright",
		},
	} {
		require.Equal(t, c.want, textOf(layout.InOrder(c.blocks)), name)
	}
}

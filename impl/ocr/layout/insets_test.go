package layout_test

import (
	"image"
	"testing"

	"github.com/stretchr/testify/require"

	"uncial/impl/ocr/layout"
)

func TestRegions_insets(t *testing.T) {
	t.Parallel()
	// around returns two columns whose lines are narrower between y = 900 and 1490: they end at left, and begin at right.
	around := func(left, right int) []image.Rectangle {
		return join(paragraph(100, 640, 300, 12), paragraph(720, 1300, 300, 12), paragraph(100, left, 900, 12), paragraph(right, 1300, 900, 12),
			paragraph(100, 640, 1500, 12), paragraph(720, 1300, 1500, 12))
	}
	picture := strokes(440, 940, 920, 1400)
	columns := []image.Point{{300, 600}, {900, 400}}

	t.Run("columns are read past a picture between their lines", func(t *testing.T) {
		t.Parallel()
		regions := requireRegions(t, join(around(400, 980), picture), columns)
		require.True(t, regions[0].Holds(image.Rect(300, 2050, 302, 2052)), "the first column ends below the picture")
	})
	t.Run("a caption is whole, and read after the columns", func(t *testing.T) {
		t.Parallel()
		regions := requireRegions(t, join(around(400, 980), picture, paragraph(500, 880, 1430, 1)), append(columns, image.Pt(690, 1440)))
		for _, r := range regions[:2] {
			require.False(t, r.Holds(image.Rect(500, 1430, 520, 1450)), "%v", r.Box)
			require.False(t, r.Holds(image.Rect(860, 1430, 880, 1450)), "%v", r.Box)
		}
	})
	t.Run("a picture with text on one side only divides the columns", func(t *testing.T) {
		t.Parallel()
		marks := join(around(100, 980), strokes(300, 940, 920, 1400))
		requireRegions(t, marks, []image.Point{{300, 600}, {900, 600}, {1100, 1000}, {300, 1700}, {900, 1700}})
	})
	t.Run("an ornament between short lines of a heading divides the columns", func(t *testing.T) {
		t.Parallel()
		heading := join(paragraph(300, 500, 950, 8), paragraph(880, 1080, 950, 8))
		marks := join(around(100, 1300), heading, strokes(540, 840, 920, 1400))
		for i, r := range layout.Regions(marks, letter, leaf, nil) {
			require.False(t, r.Box.Min.Y < 600 && r.Box.Max.Y > 1800, "region %d: %v", i, r.Box)
		}
	})
}

package layout_test

import (
	"cmp"
	"image"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"uncial/impl/ocr/layout"
)

// The pages have letters in columns of random widths and lengths. Some letters begin or end at the edge of a gutter.
func TestRegions_AnyPage(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2)) // #nosec G404 -- a drawing, not a secret
	for range 600 {
		size := image.Pt(200+random.IntN(3000), 200+random.IntN(3000))
		height := 8 + random.IntN(30)
		var letters []image.Rectangle
		for range 1 + random.IntN(5) {
			x0, y0 := random.IntN(size.X), random.IntN(size.Y)
			w, h := random.IntN(size.X), random.IntN(size.Y)
			if random.IntN(3) == 0 {
				y0 -= y0 % height // on the border of a band
			}
			for y := y0; y+height < min(y0+h, size.Y); y += 2 * height {
				for x := x0; x+height < min(x0+w, size.X); x += height + random.IntN(height) {
					letters = append(letters, image.Rect(x, y, x+height/2+1, y+1+random.IntN(2*height)))
				}
			}
		}
		var rules []layout.Rule
		for range random.IntN(4) {
			top := float64(random.IntN(2*size.X) - size.X/2) // some are outside the page
			rules = append(rules, layout.Rule{Top: top, Bottom: top + float64(random.IntN(200)-100)})
		}
		slices.SortFunc(rules, func(a, b layout.Rule) int { return cmp.Compare(a.Top, b.Top) })
		for _, r := range layout.Regions(letters, height, size, rules) {
			require.False(t, r.Box.Empty(), "%v", r.Box)
			require.True(t, r.Box.In(image.Rectangle{Max: size}), "%v in %v", r.Box, size)
		}
	}
}

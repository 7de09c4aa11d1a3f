package layout_test

import (
	"image"
	"image/color"
	"image/draw"
	"testing"

	"github.com/stretchr/testify/require"

	"uncial/impl/ocr/layout"
)

func blankPage() *image.Gray {
	page := image.NewGray(image.Rectangle{Max: leaf})
	draw.Draw(page, page.Rect, image.White, image.Point{}, draw.Src)
	return page
}

// hatch draws the edge of a box, and fills it so that one pixel in n is ink.
func hatch(page *image.Gray, box image.Rectangle, n int) {
	for y := box.Min.Y; y < box.Max.Y; y++ {
		for x := box.Min.X; x < box.Max.X; x++ {
			if x%n == 0 || !image.Pt(x, y).In(box.Inset(3)) {
				page.SetGray(x, y, color.Gray{})
			}
		}
	}
}

func TestIllustrations(t *testing.T) {
	t.Parallel()
	woodcut := image.Rect(300, 400, 800, 900)
	for name, c := range map[string]struct {
		boxes []image.Rectangle
		every int // one pixel in every pixels of the boxes is ink
		want  []image.Rectangle
	}{
		"a woodcut is a picture":                         {[]image.Rectangle{woodcut}, 4, []image.Rectangle{woodcut}},
		"overlapping parts are one":                      {[]image.Rectangle{woodcut, image.Rect(500, 600, 1000, 1200)}, 4, []image.Rectangle{image.Rect(300, 400, 1000, 1200)}},
		"two pictures stay separate":                     {[]image.Rectangle{woodcut, image.Rect(780, 880, 1200, 1300)}, 4, []image.Rectangle{woodcut, image.Rect(780, 880, 1200, 1300)}},
		"an empty frame is not a picture":                {[]image.Rectangle{woodcut}, 500, nil},
		"an initial is not a picture":                    {[]image.Rectangle{image.Rect(100, 100, 260, 260)}, 4, nil},
		"the dark edge of an image is not a picture":     {[]image.Rectangle{image.Rect(0, 0, 400, 2600)}, 2, nil},
		"a strip as high as four lines is not a picture": {[]image.Rectangle{image.Rect(100, 100, 1300, 280)}, 4, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			page := blankPage()
			for _, b := range c.boxes {
				hatch(page, b, c.every)
			}
			require.ElementsMatch(t, c.want, layout.Illustrations(page, c.boxes, letter))
		})
	}
}

func TestIllustrations_ofAPattern(t *testing.T) {
	t.Parallel()
	page := image.NewGray(image.Rect(0, 0, 8_000, 8_000)) // black
	var marks []image.Rectangle
	for y := 20; y < 7_900; y += 60 {
		for x := 20; x < 7_900; x += 60 {
			marks = append(marks, image.Rect(x, y, x+58, y+58))
		}
	}
	require.NotEmpty(t, layout.Initials(page, marks[:100], 16))
	require.NotEmpty(t, layout.Illustrations(page, []image.Rectangle{image.Rect(20, 20, 900, 900)}, 5))
	require.Empty(t, layout.Initials(page, marks, 16), "there are too many to be initials")
	require.Empty(t, layout.Illustrations(page, marks, 5), "there are too many to be parts of pictures")
}

// ruled draws n lines, three pixels thick and space pixels apart, that slope down by fall pixels from left to right.
func ruled(page *image.Gray, from image.Point, n, space, fall int) {
	for i := range n {
		for x := from.X; x < leaf.X-from.X; x++ {
			y := from.Y + i*space + fall*x/leaf.X
			draw.Draw(page, image.Rect(x, y, x+1, y+3), image.Black, image.Point{}, draw.Src)
		}
	}
}

func TestStaves(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		lines, space, fall int
		want               bool
	}{
		"five lines are a staff":          {5, 20, 0, true},
		"a slightly skewed staff is one":  {5, 20, 14, true},
		"four lines are a staff of chant": {4, 20, 0, true},
		"three lines are not a staff":     {3, 20, 0, false},
		"ruled paper has no staff":        {20, 20, 0, false},
		"a table has no staff":            {5, 60, 0, false},
		"narrow hatching has no staff":    {5, 5, 0, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			page := blankPage()
			ruled(page, image.Pt(100, 500), c.lines, c.space, c.fall)
			staves := layout.Staves(page, nil, letter)
			if !c.want {
				require.Empty(t, staves)
				return
			}
			require.Len(t, staves, 1)
			require.InDelta(t, 500, staves[0].Min.Y, 6)
			require.InDelta(t, 500+(c.lines-1)*c.space+c.fall, staves[0].Max.Y, 6)
			require.Less(t, staves[0].Min.X, 200)
			require.Greater(t, staves[0].Max.X, leaf.X-200)
		})
	}
	t.Run("finds two staves with notes on them", func(t *testing.T) {
		t.Parallel()
		page := blankPage()
		for i, y := range []int{500, 700} {
			ruled(page, image.Pt(100, y), 5, 20, 0)
			for x := 200; x < 1200; x += 70 {
				draw.Draw(page, image.Rect(x, y+i*20, x+20, y+i*20+20), image.Black, image.Point{}, draw.Src)
				draw.Draw(page, image.Rect(x+16, y-30, x+20, y+40), image.Black, image.Point{}, draw.Src)
			}
		}
		require.Len(t, layout.Staves(page, nil, letter), 2)
	})
	t.Run("finds an indented staff before those below it", func(t *testing.T) {
		t.Parallel()
		page := blankPage()
		ruled(page, image.Pt(300, 500), 5, 20, 0)
		ruled(page, image.Pt(100, 700), 5, 20, 0)
		staves := layout.Staves(page, nil, letter)
		require.Len(t, staves, 2)
		require.Less(t, staves[0].Min.Y, staves[1].Min.Y)
	})
	t.Run("finds no staves in a table with narrow rows", func(t *testing.T) {
		t.Parallel()
		page := blankPage()
		ruled(page, image.Pt(100, 500), 4, 38, 0)
		require.Len(t, layout.Staves(page, paragraph(150, 300, 509, 1)[:7], letter), 1, "a few strokes that touch no line may be notes")
		require.Empty(t, layout.Staves(page, paragraph(150, 600, 509, 1), letter))
	})
	t.Run("finds no staves in text", func(t *testing.T) {
		t.Parallel()
		page := blankPage()
		for _, m := range paragraph(100, 1300, 300, 30) {
			draw.Draw(page, m, image.Black, image.Point{}, draw.Src)
		}
		require.Empty(t, layout.Staves(page, nil, letter))
	})
}

func TestDivideAtStaves(t *testing.T) {
	t.Parallel()
	syllables := func(y int) (row []image.Rectangle) {
		for x := 150; x < 1300; x += 250 {
			row = append(row, image.Rect(x, y, x+letter, y+letter), image.Rect(x+letter+4, y, x+2*letter+4, y+letter))
		}
		return row
	}
	title, stanza := paragraph(500, 900, 200, 1), paragraph(300, 900, 1000, 4)
	staves := []image.Rectangle{image.Rect(100, 300, 1300, 400), image.Rect(100, 600, 1300, 700)}
	marks := join(title, syllables(450), syllables(500), syllables(750), stanza)
	kinds := func(regions []layout.Region) (all []bool) {
		for _, r := range regions {
			all = append(all, r.IsSong)
		}
		return all
	}
	regions := layout.DivideAtStaves(nil, staves, marks, letter, leaf)
	require.Equal(t, []bool{false, true, true, false}, kinds(regions))
	for i, part := range [][]image.Rectangle{title, join(syllables(450), syllables(500)), syllables(750), stanza} {
		for _, m := range part {
			require.True(t, regions[i].Holds(m), "%v", m)
		}
	}
	prose := layout.DivideAtStaves(nil, staves[:1], paragraph(100, 1300, 450, 20), letter, leaf)
	require.Equal(t, []bool{false}, kinds(prose), "prose under a staff is not its syllables")
	large := []image.Rectangle{image.Rect(300, 100, 400, 100+5*letter), image.Rect(420, 100, 500, 100+5*letter)}
	require.True(t, layout.DivideAtStaves(nil, staves, join(large, syllables(450)), letter, leaf)[0].Holds(large[0]), "a large title stays")
	far := layout.DivideAtStaves(nil, staves[:1], join(title, stanza), letter, leaf)
	require.Equal(t, []bool{false, false}, kinds(far), "text far below a staff is not its syllables")
	example := layout.DivideAtStaves(nil, []image.Rectangle{image.Rect(100, 300, 600, 400)}, marks, letter, leaf)
	require.Equal(t, []bool{false}, kinds(example), "a staff beside text divides nothing")
	require.Nil(t, layout.DivideAtStaves(nil, nil, marks, letter, leaf))
}

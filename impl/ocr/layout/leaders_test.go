package layout_test

import (
	"image"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"uncial/impl/ocr/layout"
)

// dotsAt returns the boxes of dots of 5 pixels at equal distances, of which each is lower than the one before by a fall in
// tenths of a pixel.
func dotsAt(x, y, count, pitch, fall int) []image.Rectangle {
	var dots []image.Rectangle
	for i := range count {
		top := y + i*fall/10
		dots = append(dots, image.Rect(x+i*pitch, top, x+i*pitch+5, top+5))
	}
	return dots
}

// entries returns the boxes of the letters of lines, 20 pixels high.
func entries(lines int) []image.Rectangle {
	var letters []image.Rectangle
	for y := range lines {
		for x := range 12 {
			letters = append(letters, image.Rect(40+18*x, 100+60*y, 54+18*x, 120+60*y))
		}
	}
	return letters
}

// typescript returns the boxes of the letters of a heading, 40 pixels high, and of typed lines: at equal distances, some of
// them with ascenders, in words of five to seven letters.
func typescript() []image.Rectangle {
	var letters []image.Rectangle
	for x := range 24 {
		letters = append(letters, image.Rect(40+44*x, 20, 70+44*x, 60))
	}
	for y := range 10 {
		for x := range 40 {
			top := 100 + 60*y
			switch {
			case (x+y)%7 == 6: // blank
			case (x*x+y)%5 == 0:
				letters = append(letters, image.Rect(40+20*x, top-12, 54+20*x, top+16))
			default:
				letters = append(letters, image.Rect(40+20*x, top, 56+20*x, top+16))
			}
		}
	}
	return letters
}

func TestLeaders(t *testing.T) {
	t.Parallel()
	without := func(dots []image.Rectangle, indices ...int) []image.Rectangle {
		return slices.DeleteFunc(slices.Clone(dots), func(d image.Rectangle) bool {
			return slices.ContainsFunc(indices, func(i int) bool { return dots[i] == d })
		})
	}
	var screen []image.Rectangle
	for y := range 20 {
		screen = append(screen, dotsAt(300, 100+9*y, 40, 9, 0)...)
	}
	uneven := dotsAt(300, 115, 30, 12, 0)
	for i := range uneven {
		uneven[i] = uneven[i].Add(image.Pt(7*(i%3), 0))
	}
	column := func(x int) []image.Rectangle {
		return slices.Concat(dotsAt(x, 115, 3, 10, 0), dotsAt(x, 175, 3, 10, 0), dotsAt(x, 235, 3, 10, 0))
	}
	rule := image.Rect(285, 80, 288, 260)
	trema := func(lines int) (dots []image.Rectangle) { // four rows of three dots above the letters of each line
		for y := range lines {
			for x := range 4 {
				dots = append(dots, dotsAt(44+62*x, 90+60*y, 3, 18, 0)...)
			}
		}
		return dots
	}
	for name, c := range map[string]struct {
		spots []image.Rectangle
		want  []int // the number of dots of each leader
	}{
		"are rows of dots":                   {slices.Concat(entries(3), dotsAt(300, 115, 40, 10, 0), dotsAt(300, 175, 30, 13, 0)), []int{40, 30}},
		"may be wide apart":                  {slices.Concat(entries(3), dotsAt(300, 115, 12, 45, 0)), []int{12}},
		"may slope":                          {slices.Concat(entries(3), dotsAt(300, 115, 40, 10, 10)), []int{40}},
		"may have gaps":                      {slices.Concat(entries(3), without(dotsAt(300, 115, 40, 10, 0), 7, 20, 21)), []int{37}},
		"are not ellipses":                   {slices.Concat(entries(3), dotsAt(300, 115, 8, 10, 0)), nil},
		"have more white than letters":       {slices.Concat(entries(3), dotsAt(300, 115, 40, 6, 0)), nil},
		"have equal distances":               {slices.Concat(entries(3), uneven), nil},
		"have dots smaller than letters":     {slices.Concat(dotsAt(40, 100, 12, 8, 0), dotsAt(300, 115, 40, 10, 0)), nil},
		"are not the rows of a screen":       {slices.Concat(entries(3), screen), nil},
		"have few gaps":                      {slices.Concat(entries(3), without(dotsAt(300, 115, 24, 10, 0), 3, 6, 7, 10, 12, 13, 16, 18, 19, 22)), nil},
		"are near each other":                {slices.Concat(entries(3), dotsAt(300, 115, 12, 70, 0)), nil},
		"are found among many letters":       {slices.Concat(entries(1100), dotsAt(300, 115, 40, 10, 0)), []int{40}},
		"are not the letters of the page":    {entries(3), nil},
		"are not full stops between letters": {slices.Concat(entries(6), dotsAt(34, 115, 7, 36, 0)), nil},
		"are not typed letters":              {typescript(), nil},
		"fill the empty cells of a table":    {append(slices.Concat(entries(3), column(300)), rule), []int{3, 3, 3}},
		"may fill cells with four dots":      {slices.Concat(entries(3), dotsAt(300, 115, 4, 10, 0), dotsAt(300, 175, 4, 10, 0), dotsAt(300, 235, 4, 10, 0)), []int{4, 4, 4}},
		"are not lost among dots of letters": {slices.Concat(entries(100), dotsAt(300, 115, 40, 10, 0), trema(100)), []int{40}},
		"do not fill two cells alone":        {slices.Concat(entries(3), column(300)[:6]), nil},
		"do not follow words closely":        {slices.Concat(entries(3), column(262)), nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var got []int
			for _, l := range layout.Leaders(c.spots) {
				got = append(got, len(l.Dots))
				require.Equal(t, l.Dots[0].Min, l.Box.Min)
				require.Equal(t, l.Dots[len(l.Dots)-1].Max, l.Box.Max)
			}
			require.ElementsMatch(t, c.want, got)
		})
	}
}

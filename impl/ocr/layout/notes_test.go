package layout_test

import (
	"image"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"uncial/impl/ocr/layout"
)

// note returns the letters of a note: lines of small type from x0 to x1, closer than those of paragraph.
func note(x0, x1, y, lines int) []image.Rectangle {
	var all []image.Rectangle
	for i := range lines {
		for x := x0; x+14 <= x1; x += 17 {
			all = append(all, image.Rect(x, y+i*34, x+14, y+i*34+14))
		}
	}
	return all
}

func TestRegions_notes(t *testing.T) {
	t.Parallel()
	text := paragraph(300, 1100, 300, 20)
	var uneven, form, ragged []image.Rectangle
	for i := range 20 {
		ragged = join(ragged, paragraph(330+i*13, 1100, 750+i*pitch, 1))
		uneven = join(uneven, paragraph(300+i%3*3, 1100, 300+i*pitch, 1))
		if i < 12 {
			form = join(form, paragraph(300, 600, 300+i*130, 1), paragraph(150, 292, 300+i*130, 1))
		}
	}
	const left, right = 292, 1089 // where notes end and begin: a word space from the text, whose last letters end at 1088 at most
	for name, c := range map[string]struct {
		marks []image.Rectangle
		want  []image.Point // a point in each region, in reading order
	}{
		"notes in the left margin come first": {
			join(text, note(left-100, left, 410, 3), note(left-80, left, 905, 2)), []image.Point{{250, 420}, {350, 420}},
		},
		"notes in the right margin come last": {join(text, note(right+6, right+106, 410, 3)), []image.Point{{350, 420}, {1150, 420}}},
		"notes in both margins": {
			join(text, note(left-100, left, 410, 3), note(right+6, right+106, 910, 3)), []image.Point{{250, 420}, {350, 420}, {1150, 920}},
		},
		"a single line beside the text stays":               {join(text, note(left-100, left, 410, 1)), nil},
		"notes that nearly touch the text stay":             {join(text, note(left+6-100, left+6, 410, 3)), nil},
		"notes beside lines that begin unevenly":            {join(uneven, note(left-100, left, 410, 3)), []image.Point{{250, 420}, {350, 420}}},
		"notes beside text whose lines begin anywhere stay": {join(paragraph(300, 1100, 300, 9), ragged, note(left-100, left, 410, 3)), nil},
		"short numbers in small type stay":                  {join(text, note(left-17, left, 410, 3)), nil},
		"labels of a form stay":                             {join(form, copies(image.Rect(100, 300, 120, 320), 1)), nil},
		"numbers of lines stay":                             {join(text, copies(image.Rect(260, 300, 280, 320), 20)), nil},
		"names beside lines, in type of that size, stay":    {join(text, paragraph(200, left, 300, 6)), nil},
		"a line that begins in the margin of the text keeps the notes beside it": {
			join(text, note(left-100, left, 410, 3), paragraph(left-8, left+16, 450, 1)), nil,
		},
		"notes beside few lines stay": {join(paragraph(300, 1100, 300, 6), note(left-100, left, 410, 3)), nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			regions := requireRegions(t, c.marks, c.want)
			for _, m := range c.marks {
				n := len(slices.DeleteFunc(slices.Clone(regions), func(r layout.Region) bool { return !r.Holds(m) }))
				require.True(t, regions == nil || n == 1, "%v must be in one region", m)
			}
		})
	}
}

package layout_test

import (
	"image"
	"image/color"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"uncial/impl/ocr/layout"
)

const (
	letter = 20 // height and width of the letters below, in pixels
	pitch  = 50 // distance of their lines
)

var leaf = image.Pt(1400, 2600)

// paragraph returns the letters of lines from x0 to x1, with a blank after every fifth letter. The blanks are at different
// positions in each line.
func paragraph(x0, x1, y, lines int) []image.Rectangle {
	var all []image.Rectangle
	for i := range lines {
		n := i * 2
		for x := x0; x+letter <= x1; x += letter + 4 {
			if n++; n%6 != 0 {
				all = append(all, image.Rect(x, y+i*pitch, x+letter, y+i*pitch+letter))
			}
		}
	}
	return all
}

// copies returns n copies of a letter, one on each line.
func copies(letter image.Rectangle, n int) []image.Rectangle {
	var all []image.Rectangle
	for i := range n {
		all = append(all, letter.Add(image.Pt(0, i*pitch)))
	}
	return all
}

// large returns a line of letters that are three times as high as those of paragraph.
func large(x0, x1, y int) []image.Rectangle {
	var all []image.Rectangle
	for x := x0; x+2*letter <= x1; x += 2*letter + 6 {
		all = append(all, image.Rect(x, y, x+2*letter, y+3*letter))
	}
	return all
}

// pieces returns the pieces of a broken rule, short ones and long ones, from y0 to y1.
func pieces(x, y0, y1 int) []image.Rectangle {
	var all []image.Rectangle
	for i, y := 0, y0; y < y1; i++ {
		piece := image.Rect(x, y, x+4, y+10+i%4*25)
		all = append(all, piece)
		y = piece.Max.Y + 6
	}
	return all
}

func join(parts ...[]image.Rectangle) []image.Rectangle {
	var all []image.Rectangle
	for _, p := range parts {
		all = append(all, p...)
	}
	return all
}

// strokes returns a picture from (x0, y0) to (x1, y1), and strokes near its left and right edge that have the size of letters,
// none of them beside others.
func strokes(x0, x1, y0, y1 int) []image.Rectangle {
	all := []image.Rectangle{image.Rect(x0, y0, x1, y1)}
	for i, y := 0, y0+10; y+letter < y1; i, y = i+1, y+letter+6 {
		x := x0 + 10 + i%2*(x1-x0-letter-20)
		all = append(all, image.Rect(x, y, x+letter, y+letter))
	}
	return all
}

// requireRegions checks that a page with these marks is divided into regions, in this order, that hold the points.
func requireRegions(t *testing.T, marks []image.Rectangle, want []image.Point) []layout.Region {
	t.Helper()
	regions := layout.Regions(marks, letter, leaf, nil)
	require.Len(t, regions, len(want), "%v", boxes(regions))
	for i, at := range want {
		require.True(t, regions[i].Holds(image.Rectangle{Min: at, Max: at.Add(image.Pt(2, 2))}), "region %d: %v", i, regions[i].Box)
	}
	return regions
}

func TestRegions(t *testing.T) {
	t.Parallel()
	columns := join(paragraph(100, 660, 300, 20), paragraph(700, 1300, 300, 20))
	for name, c := range map[string]struct {
		marks []image.Rectangle
		want  []image.Point // a point in each region, in reading order
	}{
		"a page without gutters is one region":     {paragraph(100, 1300, 300, 20), nil},
		"two columns are read one after the other": {columns, []image.Point{{300, 600}, {900, 600}}},
		"a heading above columns comes first":      {join(paragraph(300, 1000, 150, 1), columns), []image.Point{{600, 160}, {300, 600}, {900, 600}}},
		"a rule across the page divides columns, and a line above it stays whole": {
			join(paragraph(100, 400, 200, 1), paragraph(900, 1300, 200, 1), []image.Rectangle{image.Rect(90, 260, 1310, 264)}, columns,
				[]image.Rectangle{image.Rect(90, 1340, 1310, 1344)}, paragraph(100, 660, 1400, 20), paragraph(700, 1300, 1400, 20)),
			[]image.Point{{300, 205}, {300, 600}, {900, 600}, {300, 1700}, {900, 1700}},
		},
		"a note below columns comes last":                  {join(columns, paragraph(100, 1300, 1400, 5)), []image.Point{{300, 600}, {900, 600}, {600, 1500}}},
		"the dark edge of a leaf does not hide the gutter": {join(columns, []image.Rectangle{image.Rect(620, 100, 670, 2500)}), []image.Point{{300, 600}, {900, 600}}},
		"the dark edges around two leaves do not hide the gutter": {
			join(paragraph(100, 640, 300, 24), paragraph(740, 1300, 300, 24), []image.Rectangle{image.Rect(60, 250, 690, 1600), image.Rect(680, 250, 1340, 1600)}),
			[]image.Point{{300, 600}, {900, 600}},
		},
		"a frame around an advertisement does not hide the gutter": {
			join(columns, []image.Rectangle{image.Rect(80, 590, 672, 910)}), []image.Point{{300, 700}, {900, 700}},
		},
		"a picture across the gutter with strokes in it is no frame": {
			join(paragraph(100, 660, 300, 6), paragraph(700, 1300, 300, 6), strokes(480, 880, 620, 1100), paragraph(100, 660, 1150, 6), paragraph(700, 1300, 1150, 6)), nil,
		},
		"a rule across two thirds of the page divides columns": {
			join(columns, []image.Rectangle{image.Rect(300, 1340, 1200, 1344)}, paragraph(100, 660, 1400, 20), paragraph(700, 1300, 1400, 20)),
			[]image.Point{{300, 600}, {900, 600}, {300, 1700}, {900, 1700}},
		},
		"a tilted rule across the page divides columns": {
			join(columns, []image.Rectangle{image.Rect(90, 1318, 1310, 1366)}, paragraph(100, 660, 1400, 20), paragraph(700, 1300, 1400, 20)),
			[]image.Point{{300, 600}, {900, 600}, {300, 1700}, {900, 1700}},
		},
		"a short rule between columns does not divide them": {
			join(columns, []image.Rectangle{image.Rect(480, 1340, 880, 1344)}, paragraph(100, 660, 1400, 20), paragraph(700, 1300, 1400, 20)),
			[]image.Point{{300, 600}, {900, 600}},
		},
		"a rule across other columns does not end a gutter": {
			join(paragraph(100, 480, 300, 30), paragraph(540, 920, 300, 30), paragraph(980, 1360, 300, 30), []image.Rectangle{image.Rect(90, 1040, 935, 1043)}),
			[]image.Point{{300, 600}, {700, 600}, {300, 1600}, {700, 1600}, {1100, 600}},
		},
		"the first line of a column may be higher than that of the other": {
			join(paragraph(100, 660, 300, 20), paragraph(800, 1300, 289, 20)), []image.Point{{300, 305}, {900, 291}},
		},
		"a broken rule does not hide the gutter": {
			join(paragraph(100, 660, 300, 20), paragraph(690, 1300, 300, 20), pieces(674, 290, 1300)),
			[]image.Point{{300, 600}, {900, 600}},
		},
		"figures one above the other are not a broken rule": {
			join(paragraph(100, 660, 300, 20), copies(image.Rect(672, 300, 678, 324), 20), paragraph(690, 1300, 300, 20)), nil,
		},
		"amounts in several columns stay with their entries": {
			join(paragraph(100, 700, 300, 20), paragraph(1000, 1048, 300, 20), paragraph(1080, 1128, 300, 20), paragraph(1160, 1208, 300, 20)), nil,
		},
		"prices stay with their entries":       {join(paragraph(100, 1000, 300, 20), paragraph(1150, 1250, 300, 20)), nil},
		"four short lines do not make columns": {join(paragraph(100, 1300, 300, 10), paragraph(100, 600, 800, 4), paragraph(700, 1300, 800, 4)), nil},
		"a heading divides columns although one of its blanks is in the gutter": {
			join(columns, paragraph(400, 660, 1400, 1), paragraph(684, 1000, 1400, 1), paragraph(100, 660, 1500, 20), paragraph(700, 1300, 1500, 20)),
			[]image.Point{{300, 600}, {900, 600}, {600, 1405}, {300, 1700}, {900, 1700}},
		},
		"a large heading with white above and below divides columns although one of its blanks is in the gutter": {
			join(columns, large(334, 664, 1400), large(680, 960, 1400), paragraph(100, 660, 1550, 20), paragraph(700, 1300, 1550, 20)),
			[]image.Point{{300, 600}, {900, 600}, {600, 1430}, {300, 1700}, {900, 1700}},
		},
		"a title in large type above columns comes first although one of its blanks is in the gutter": {
			join(large(218, 690, 200), large(688, 1200, 200), columns), []image.Point{{600, 230}, {300, 600}, {900, 600}},
		},
		"large headings beside each other do not divide columns": {
			join(columns, large(110, 650, 1400), large(710, 1290, 1400), paragraph(100, 660, 1550, 20), paragraph(700, 1300, 1550, 20)),
			[]image.Point{{300, 600}, {900, 600}},
		},
		"initials beside each other do not divide columns": {
			join(columns, large(100, 150, 1400), large(700, 750, 1400), paragraph(150, 660, 1400, 1), paragraph(750, 1300, 1400, 1), paragraph(100, 660, 1500, 20), paragraph(700, 1300, 1500, 20)),
			[]image.Point{{300, 600}, {900, 600}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			requireRegions(t, c.marks, c.want)
		})
	}
}

func TestRegions_shortRules(t *testing.T) {
	t.Parallel()
	article := paragraph(100, 1300, 300, 10)
	// The gutter of the advertisements below is too narrow for columns without a rule.
	left, right := paragraph(100, 686, 900, 8), paragraph(704, 1300, 900, 8)
	advertisements := join(article, left, right)
	rule := image.Rect(693, 890, 697, 1290)
	leaning := func(by int) []image.Rectangle { // from top to bottom, with a rule between them
		all := []image.Rectangle{image.Rect(693-15, 890, 697+15, 1890)}
		for _, m := range join(paragraph(100, 686, 900, 20), paragraph(704, 1300, 900, 20)) {
			all = append(all, m.Add(image.Pt((m.Min.Y-1390)*by/1000, 0)))
		}
		return all
	}
	var list, form []image.Rectangle
	for i := range 8 {
		list = append(list, paragraph(100, 686-40*(i*3%8), 900+i*pitch, 1)...)
	}
	for i := range 50 {
		form = append(form, image.Rect(110+24*i, 1900, 112+24*i, 2300))
	}
	stems := slices.DeleteFunc(paragraph(100, 1300, 1340, 6), func(m image.Rectangle) bool { return m.Overlaps(image.Rect(680, 0, 710, 2600)) })
	stems = append(stems, copies(image.Rect(693, 1340, 697, 1340+letter), 6)...)
	columns := []image.Point{{300, 500}, {300, 1100}, {900, 1100}}
	for name, c := range map[string]struct {
		marks []image.Rectangle
		want  []image.Point
	}{
		"advertisements without a rule between them":     {advertisements, nil},
		"a rule between advertisements below an article": {join(advertisements, []image.Rectangle{rule}), columns},
		"a rule in pieces":               {join(advertisements, pieces(693, 890, 1290)), columns},
		"a rule that leans to the right": {join(article, leaning(30)), columns},
		"a rule that leans to the left":  {join(article, leaning(-30)), columns},
		"a rule at the foot of a column": {
			join(paragraph(100, 940, 300, 12), paragraph(100, 508, 900, 8), paragraph(530, 940, 900, 8), []image.Rectangle{image.Rect(517, 890, 521, 1290)}, paragraph(1000, 1360, 300, 20)),
			[]image.Point{{300, 500}, {300, 1100}, {700, 1100}, {1100, 500}},
		},
		"stems of letters below a rule":                       {join(advertisements, []image.Rectangle{rule}, stems), append(slices.Clone(columns), image.Pt(300, 1500))},
		"a rule beside the entries of a list":                 {join(article, list, right, []image.Rectangle{rule}), nil},
		"as many rules as in a form":                          {join(advertisements, []image.Rectangle{rule}, form), nil},
		"a rule beside half of the advertisements":            {join(advertisements, []image.Rectangle{image.Rect(693, 890, 697, 1090)}), nil},
		"a rule through text":                                 {join(article, paragraph(100, 1300, 900, 8), []image.Rectangle{rule}), nil},
		"a rule beside a column as narrow as that of a table": {join(article, paragraph(100, 420, 900, 8), paragraph(440, 1300, 900, 8), []image.Rectangle{image.Rect(426, 890, 430, 1290)}), nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			requireRegions(t, c.marks, c.want)
		})
	}
}

func TestRegions_gutterThatLeans(t *testing.T) {
	t.Parallel()
	var marks []image.Rectangle
	for i := range 24 { // each line is 40 pixels further to the right than the one above
		marks = join(marks, paragraph(100+i*2, 660+i*2, 300+i*pitch, 1), paragraph(700+i*2, 1260+i*2, 300+i*pitch, 1))
	}
	regions := layout.Regions(marks, letter, leaf, nil)
	require.Len(t, regions, 2)
	for _, m := range marks {
		require.NotEqual(t, regions[0].Holds(m), regions[1].Holds(m), "each letter must be in exactly one column")
	}
}

func TestRegions_facingPage(t *testing.T) {
	t.Parallel()
	narrow, wide := paragraph(0, 60, 300, 20), paragraph(0, 220, 300, 20)
	fold := image.Rect(240, 250, leaf.X, 1300) // a shadow that continues along an edge of the leaf
	for name, c := range map[string]struct {
		marks   []image.Rectangle
		strip   image.Rectangle
		isFound bool
	}{
		"a narrow strip":                 {join(narrow, paragraph(120, 1300, 300, 20)), narrow[0], true},
		"a narrow strip beside its fold": {join(narrow, paragraph(120, 1300, 300, 20), []image.Rectangle{fold}), narrow[0], true},
		"a column at the edge":           {join(wide, paragraph(300, 1300, 300, 20)), wide[0], false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			regions := layout.Regions(c.marks, letter, leaf, nil)
			holds := func(m image.Rectangle) bool {
				return regions == nil || slices.ContainsFunc(regions, func(r layout.Region) bool { return r.Holds(m) })
			}
			require.Equal(t, !c.isFound, holds(c.strip))
			require.True(t, holds(image.Rect(630, 600, 650, 620)))
		})
	}
}

func TestRegion_Cut(t *testing.T) {
	t.Parallel()
	page := image.NewGray(image.Rectangle{Max: leaf})
	marks := join(paragraph(100, 660, 300, 20), paragraph(700, 1300, 300, 20))
	page.SetGray(300, 600, color.Gray{Y: 90})
	page.SetGray(900, 600, color.Gray{Y: 70})
	regions := layout.Regions(marks, letter, leaf, nil)
	require.Len(t, regions, 2)
	left, right := regions[0].Cut(page), regions[1].Cut(page)
	require.Equal(t, regions[0].Box.Size(), left.Rect.Max)
	require.Equal(t, uint8(90), left.GrayAt(300-regions[0].Box.Min.X, 600-regions[0].Box.Min.Y).Y)
	require.Equal(t, uint8(70), right.GrayAt(900-regions[1].Box.Min.X, 600-regions[1].Box.Min.Y).Y)
}

func TestRegion_Unread(t *testing.T) {
	t.Parallel()
	marks := paragraph(100, 1300, 300, 20)
	var lines []image.Rectangle
	for i := range 20 {
		lines = append(lines, image.Rect(100, 300+i*pitch, 1300, 320+i*pitch))
	}
	whole := layout.Whole(leaf, letter)
	require.Empty(t, whole.Unread(marks, lines))
	require.Empty(t, whole.Unread(marks, append(lines[:5:5], lines[7:]...)), "two lines are too few")
	parts := whole.Unread(marks, append(lines[:5:5], lines[12:]...))
	require.Len(t, parts, 1)
	require.InDelta(t, 300+5*pitch, parts[0].Box.Min.Y, letter)
	require.InDelta(t, 300+11*pitch+letter, parts[0].Box.Max.Y, 2*letter)
	for blank := range 15 {
		parts := whole.Unread(paragraph(100, 1300, blank*letter, 20), nil)
		require.Len(t, parts, 1)
		require.LessOrEqual(t, parts[0].Box.Min.Y, blank*letter, "the first line after %d blank bands belongs to the part", blank)
	}
}

func TestLettersIn(t *testing.T) {
	t.Parallel()
	letters := paragraph(0, leaf.X, 0, 52)
	for _, box := range []image.Rectangle{
		{Max: leaf}, {}, image.Rect(0, 0, 700, 1300), image.Rect(700, 1300, 1400, 2600), image.Rect(40, 60, 1360, 2500), image.Rect(200, 200, 220, 240),
	} {
		want := 0
		for _, l := range letters {
			if image.Pt((l.Min.X+l.Max.X)/2, (l.Min.Y+l.Max.Y)/2).In(box) {
				want++
			}
		}
		require.Equal(t, want, layout.LettersIn(letters, letter, leaf, box), "%v", box)
	}
}

func boxes(regions []layout.Region) []image.Rectangle {
	var all []image.Rectangle
	for _, r := range regions {
		all = append(all, r.Box)
	}
	return all
}

// TestRegions_raggedColumns checks that a running head does not narrow the gutter below it, and that a column whose neighbour
// is shorter stays whole.
func TestRegions_raggedColumns(t *testing.T) {
	t.Parallel()
	var left, right []image.Rectangle
	for i := range 40 {
		left = append(left, paragraph(100, 400+i*67%230, 300+i*pitch, 1)...)
	}
	for i := range 12 {
		right = append(right, paragraph(720, 1000+i*53%300, 300+i*pitch, 1)...)
	}
	head := join(paragraph(100, 150, 200, 1), paragraph(600, 900, 200, 1))
	regions := layout.Regions(join(head, left, right), letter, leaf, nil)
	require.Len(t, regions, 3)
	for i, part := range [][]image.Rectangle{head, left, right} {
		for _, m := range part {
			require.True(t, regions[i].Holds(m), "part %d: %v", i, m)
		}
	}
}

// TestRegions_labels checks that names of speakers to the left of their speeches are not a column.
func TestRegions_labels(t *testing.T) {
	t.Parallel()
	speeches := paragraph(500, 1300, 300, 32)
	var names, notes []image.Rectangle
	for i := range 16 {
		names = append(names, paragraph(100, 400, 300+2*i*pitch, 1)...)
		notes = append(notes, paragraph(100, 400, 300+2*i*pitch, 2)...)
	}
	require.Nil(t, layout.Regions(join(names, speeches), letter, leaf, nil))
	require.NotNil(t, layout.Regions(join(notes, speeches), letter, leaf, nil), "longer notes are a column")
}

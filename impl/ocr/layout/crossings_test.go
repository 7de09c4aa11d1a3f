package layout_test

import (
	"image"
	"testing"

	"github.com/stretchr/testify/require"

	"uncial/impl/ocr/layout"
)

func TestRegions_rulesAcrossColumns(t *testing.T) {
	t.Parallel()
	const middle = 300 + 20*pitch - 15 // between two lines
	columns := join(paragraph(100, 460, 300, 40), paragraph(500, 880, 300, 40), paragraph(920, 1300, 300, 40))
	rule := func(x0, x1, y int) image.Rectangle { return image.Rect(x0, y, x1, y+4) }
	a, b, c := image.Pt(102, 302), image.Pt(502, 302), image.Pt(922, 302) // the first letters of the columns
	var rows []image.Rectangle
	for i := range 60 {
		rows = append(rows, rule(95, 1305, 295+i*pitch*2/3))
	}
	below := func(p image.Point) image.Point { return p.Add(image.Pt(0, 20*pitch)) }
	for name, test := range map[string]struct {
		marks []image.Rectangle
		want  []image.Point
	}{
		"all columns":            {join(columns, []image.Rectangle{rule(95, 1305, middle)}), []image.Point{a, b, c, below(a), below(b), below(c)}},
		"all columns, doubled":   {join(columns, []image.Rectangle{rule(95, 1305, middle-6), rule(95, 1305, middle+2)}), []image.Point{a, b, c, below(a), below(b), below(c)}},
		"all columns, in pieces": {join(columns, []image.Rectangle{rule(95, 470, middle+1), rule(490, 890, middle), rule(910, 1305, middle)}), []image.Point{a, b, c, below(a), below(b), below(c)}},
		"each column by itself": {
			join(columns, []image.Rectangle{rule(95, 470, middle), rule(490, 890, middle), rule(910, 1305, middle), image.Rect(478, 290, 482, 2300), image.Rect(898, 290, 902, 2300)}),
			[]image.Point{a, b, c},
		},
		"each column by itself, between rules that lean": {
			join(columns, []image.Rectangle{rule(95, 460, middle), rule(500, 880, middle), rule(920, 1305, middle), image.Rect(465, 290, 495, 2300), image.Rect(885, 290, 915, 2300)}),
			[]image.Point{a, b, c},
		},
		"all columns, tilted":         {join(columns, []image.Rectangle{image.Rect(95, middle-12, 1305, middle+12)}), []image.Point{a, b, c, below(a), below(b), below(c)}},
		"all columns, but as a bar":   {join(columns, []image.Rectangle{image.Rect(95, middle-19, 1305, middle+19)}), []image.Point{a, b, c}},
		"all columns, specks between": {join(columns, []image.Rectangle{rule(95, 1305, middle-6), image.Rect(700, middle-2, 708, middle+6), rule(95, 1305, middle+6)}), []image.Point{a, b, c, below(a), below(b), below(c)}},
		"a form of many rows":         {join(columns, rows), []image.Point{a, b, c}},
		"the first two columns":       {join(columns, []image.Rectangle{rule(95, 890, middle)}), []image.Point{a, b, below(a), below(b), c}},
		"the last two columns":        {join(columns, []image.Rectangle{rule(490, 1305, middle)}), []image.Point{a, b, c, below(b), below(c)}},
		"one column":                  {join(columns, []image.Rectangle{rule(95, 470, middle)}), []image.Point{a, b, c}},
		"parts of two columns":        {join(columns, []image.Rectangle{rule(300, 700, middle)}), []image.Point{a, b, c}},
		"two pairs of columns":        {join(columns, []image.Rectangle{rule(95, 890, middle), rule(490, 1305, middle+10*pitch)}), []image.Point{a, b, c}},
		"columns and text":            {join(columns, []image.Rectangle{rule(95, 1305, 2290)}, paragraph(100, 1300, 2310, 4)), []image.Point{a, b, c, {102, 2312}}},
		"the page under all text":     {join(columns, []image.Rectangle{rule(95, 1305, 2320)}), []image.Point{a, b, c}},
		"a drawing under its text":    {join(columns, []image.Rectangle{image.Rect(95, 2320, 1305, 2500)}), []image.Point{a, b, c}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			regions := layout.Regions(test.marks, letter, leaf, []layout.Rule{{Top: 480, Bottom: 480}, {Top: 900, Bottom: 900}})
			require.Len(t, regions, len(test.want), "%v", boxes(regions))
			for i, at := range test.want {
				require.True(t, regions[i].Holds(image.Rectangle{Min: at, Max: at.Add(image.Pt(2, 2))}), "region %d: %v", i, boxes(regions))
			}
		})
	}
}

// index returns rows with a short entry and a number in each of two columns.
func index(rows int) []image.Rectangle {
	return join(paragraph(100, 260, 300, rows), paragraph(580, 660, 300, rows), paragraph(720, 900, 300, rows), paragraph(1220, 1300, 300, rows))
}

func TestRegions_faintRules(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		marks []image.Rectangle
		want  int
	}{
		"a table without a rule":            {index(30), 0},
		"a rule between two columns":        {join(index(30), pieces(690, 290, 1780)), 2},
		"a rule below a title":              {join(large(400, 1000, 150), index(30), pieces(690, 290, 1780)), 3},
		"a rule beside the last number":     {join(index(30), pieces(1180, 290, 1780)), 0},
		"a rule beside half of the columns": {join(index(30), pieces(690, 290, 1000)), 0},
		"a rule through text":               {join(paragraph(100, 1300, 300, 30), pieces(690, 290, 1780)), 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			regions := layout.Regions(c.marks, letter, leaf, nil)
			require.Len(t, regions, c.want, "%v", boxes(regions))
		})
	}
}

package dashboard

import (
	"strconv"

	"uncial/internal/text"
)

// Sizes of the chart in units of its view box. The labels of the vertical axis need the margin on the left.
const (
	chartWidth, chartHeight       = 720, 220
	chartLeft, chartTop, chartLow = 64, 10, 190 // chartLow is the y of the horizontal axis
	minBar                        = 2           // so that a day with a single call is visible
)

// chart is a bar chart, drawn as SVG by the template "chart" in layout.html.
type chart struct {
	Title string
	Bars  []bar
	Lines []gridLine
}

// bar is one value. Its position and size are in units of the view box; Y is that of the upper edge, and grows downwards.
type bar struct {
	X, Y, Width, Height int
	Label               string // below the bar; "" for most
	Text                string // the tooltip, such as "2026-03-01: 40 points"
}

// gridLine is a horizontal line at a round number of points.
type gridLine struct {
	Y     int
	Label string
}

// chartValue is one bar; values are drawn from left to right.
type chartValue struct {
	Label, Text string
	Points      int64
}

// newChart draws the values; the vertical axis begins with 0 and has round numbers.
func newChart(title string, values []chartValue) chart {
	c := chart{Title: title}
	var highest int64
	for _, v := range values {
		highest = max(highest, v.Points)
	}
	step := niceStep(highest)
	top := max(step, (highest+step-1)/step*step)
	height := func(points int64) int { return int(points * (chartLow - chartTop) / top) }
	for points := int64(0); points <= top; points += step {
		c.Lines = append(c.Lines, gridLine{chartLow - height(points), text.Number(points)})
	}
	slot := (chartWidth - chartLeft) / max(1, len(values))
	for i, v := range values {
		h := height(v.Points)
		if v.Points > 0 {
			h = max(h, minBar)
		}
		c.Bars = append(c.Bars, bar{X: chartLeft + i*slot + slot/8, Y: chartLow - h, Width: slot * 3 / 4, Height: h, Label: v.Label, Text: v.Text})
	}
	return c
}

// niceStep returns 1, 2 or 5 times a power of ten, so that at most five steps reach highest.
func niceStep(highest int64) int64 {
	for power := int64(1); ; power *= 10 {
		for _, factor := range []int64{1, 2, 5} {
			if factor*power*5 >= highest {
				return factor * power
			}
		}
	}
}

// ViewBox is the attribute of the SVG.
func (chart) ViewBox() string {
	return "0 0 " + strconv.Itoa(chartWidth) + " " + strconv.Itoa(chartHeight)
}

// Left and Right are the ends of the horizontal axis, and Low is its height; the vertical axis is at Left. LabelX is the right
// end of the labels of the vertical axis, and LabelY the y of those of the horizontal axis.
func (chart) Left() int   { return chartLeft }
func (chart) Right() int  { return chartWidth }
func (chart) Low() int    { return chartLow }
func (chart) LabelX() int { return chartLeft - 8 }
func (chart) LabelY() int { return chartHeight - 12 }

// Middle is the x of the label of a bar.
func (b bar) Middle() int { return b.X + b.Width/2 }

// LabelY is the y of the label of a grid line.
func (l gridLine) LabelY() int { return l.Y + 4 }

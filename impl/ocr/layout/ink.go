package layout

import (
	"slices"

	"uncial/impl/ocr/imaging"
)

// inkMap returns the amount of ink at each pixel of a page, 0..1, relative to the paper around it, so that shading does not
// count.
func inkMap(page imaging.Plane) imaging.Plane {
	small := page.Reduce(quarter)
	paper, usual := paperOf(small)
	on := onPage(small, paper, darkBorder*usual)
	ink := imaging.NewPlane(page.W, page.H)
	interpolate, line := paper.Interpolator(quarter*paperCell, page.W), make([]float32, page.W)
	for y := range page.H {
		sy := min(y/quarter, small.H-1)
		interpolate((float32(y)/quarter+0.5)/paperCell-0.5, line)
		from, to, mask := page.Row(y), ink.Row(y), on.Set[sy*small.W:(sy+1)*small.W]
		for x, v := range from {
			if mask[min(x/quarter, small.W-1)] {
				to[x] = min(max((inkFrom-v/max(line[x], darkestPaper))/inkRange, 0), 1)
			}
		}
	}
	return ink
}

// paperOf returns the grey of the paper in each cell, smoothed, and its median over the page. Its neighbourhoods are a fifth as
// wide as those of imaging.Flatten, because here ink is compared with the paper right next to it.
func paperOf(p imaging.Plane) (imaging.Plane, float32) {
	cells := imaging.NewPlane((p.W+paperCell-1)/paperCell, (p.H+paperCell-1)/paperCell)
	counts := make([][256]uint16, len(cells.Values)) // histograms; a cell has few pixels
	for y := range p.H {
		for x, v := range p.Row(y) {
			counts[y/paperCell*cells.W+x/paperCell][uint8(min(max(v, 0), 255))]++
		}
	}
	for y := range cells.H {
		for x := range cells.W {
			cells.Values[y*cells.W+x] = paperAround(counts, cells, x, y)
		}
	}
	cells = cells.Blur(paperBlur)
	bright := slices.DeleteFunc(slices.Clone(cells.Values), func(v float32) bool { return v <= minPaper })
	if len(bright) == 0 {
		return cells, usualPaper
	}
	slices.Sort(bright)
	return cells, bright[len(bright)/2]
}

// paperAround returns the grey of the paper around a cell: a quantile of the greys of the cells within paperReach. counts has
// the number of pixels of each grey for each cell.
func paperAround(counts [][256]uint16, cells imaging.Plane, x, y int) float32 {
	var sum imaging.Histogram
	for cy := max(y-paperReach, 0); cy <= min(y+paperReach, cells.H-1); cy++ {
		for cx := max(x-paperReach, 0); cx <= min(x+paperReach, cells.W-1); cx++ {
			for i, n := range &counts[cy*cells.W+cx] {
				sum[i] += int(n)
			}
		}
	}
	return float32(sum.AtRank(int(paperQuantile * float64(sum.Total()))))
}

// onPage returns the pixels of the shrunk page that are on paper, more than borderMargin away from a dark border.
func onPage(small, paper imaging.Plane, limit float32) imaging.Mask {
	local, interpolate := imaging.NewPlane(small.W, small.H), paper.Interpolator(paperCell, small.W)
	for y := range small.H {
		interpolate((float32(y)+0.5)/paperCell-0.5, local.Row(y))
	}
	return imaging.NewMask(local, func(v float32) bool { return v > limit }).Erode(borderMargin)
}

// dropRules removes long straight runs of ink: ruled paper, the frames of tables, the edges of the page.
func dropRules(ink imaging.Plane) {
	black := imaging.NewMask(ink, func(v float32) bool { return v > solidInk })
	for y := range ink.H {
		row := black.Set[y*ink.W : (y+1)*ink.W]
		for start, end := range imaging.Runs(ink.W, max(ruleAcross, ink.W/ruleAcrossDivisor), func(x int) bool { return row[x] }) {
			for k := max(y-rowsBesideRule, 0); k <= min(y+rowsBesideRule, ink.H-1); k++ {
				clear(ink.Row(k)[start:end])
			}
		}
	}
	minLength := max(ruleDown, ink.H/ruleDownDivisor)
	length := make([]int, ink.W) // of the black run that ends in this row
	for y := range ink.H + 1 {
		for x := range ink.W {
			if y < ink.H && black.Set[y*ink.W+x] {
				length[x]++
				continue
			}
			if length[x] >= minLength {
				for k := y - length[x]; k < y; k++ {
					clear(ink.Row(k)[max(x-columnsBesideRule, 0):min(x+columnsBesideRule+1, ink.W)])
				}
			}
			length[x] = 0
		}
	}
}

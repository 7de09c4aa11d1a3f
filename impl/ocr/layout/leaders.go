package layout

import (
	"cmp"
	"image"
	"math"
	"slices"

	"uncial/impl/ocr/imaging"
)

// Leader is a row of dots that leads from an entry of a table to a number, such as in a table of contents, or that fills an
// empty cell of a table.
type Leader struct {
	Box  image.Rectangle
	Dots []image.Rectangle // from left to right
}

// Leaders returns the leaders among the spots of a page: rows of dots of one size at equal distances, with hardly any other ink
// beside them. The dots are small beside the letters of the page. A page with as many dots, or rows of dots, as a screen has
// none. Rows of a few dots are empty cells if they are far from other ink and there are several.
func Leaders(spots []image.Rectangle) []Leader {
	dots := smallDots(spots)
	if len(dots) > maxDots {
		return nil
	}
	slices.SortFunc(dots, func(a, b image.Rectangle) int {
		return cmp.Or(cmp.Compare(a.Min.X, b.Min.X), cmp.Compare(a.Min.Y, b.Min.Y))
	})
	isUsed := map[image.Rectangle]bool{}
	var found, short []Leader
	crowded := 0
	for i, first := range dots {
		if isUsed[first] {
			continue
		}
		l := Leader{first, []image.Rectangle{first}}
		missing := l.extend(dots[i+1:], isUsed)
		n := float64(len(l.Dots))
		switch {
		case n >= minCellDots && n < minLeaderDots && missing == 0:
			short = append(short, l)
		case n < minLeaderDots || missing > maxMissing*n || !l.isSpaced(missing):
		case l.isAlone(spots):
			for _, d := range l.Dots {
				isUsed[d] = true
			}
			found = append(found, l)
		default:
			if crowded++; crowded > maxCrowded {
				return nil
			}
		}
	}
	heights := map[float64]float64{} // of the letters beside dots of a size
	height := func(l Leader) float64 {
		h, ok := heights[l.size()]
		if !ok {
			h = letterHeightBeside(l.size(), spots, isUsed)
			heights[l.size()] = h
		}
		return h
	}
	found = slices.DeleteFunc(found, func(l Leader) bool { return height(l) == 0 || float64(l.Box.Dx()) < minLeader*height(l) })
	return append(found, emptyCells(short, spots, isUsed, height)...)
}

// emptyCells returns the short rows of dots that are empty cells of a table: their dots belong to no leader and are apart, and
// there is no other ink in their rows within cellGap heights of a letter, unlike beside an ellipsis in a sentence. It returns
// none if they are few. height returns the height of letters beside a row of dots.
func emptyCells(short []Leader, spots []image.Rectangle, isUsed map[image.Rectangle]bool, height func(Leader) float64) []Leader {
	if len(short) > maxCrowded {
		return nil
	}
	var cells []Leader
	for _, l := range short {
		pitch := float64(imaging.Middle(l.Dots[len(l.Dots)-1]).X-imaging.Middle(l.Dots[0]).X) / float64(len(l.Dots)-1)
		if slices.ContainsFunc(l.Dots, func(d image.Rectangle) bool { return isUsed[d] }) || pitch < minPitch*l.size() ||
			height(l) == 0 || !l.isFarFrom(spots, height(l)) {
			continue
		}
		for _, d := range l.Dots {
			isUsed[d] = true
		}
		cells = append(cells, l)
	}
	if len(cells) < minCells {
		return nil
	}
	return cells
}

// isFarFrom reports whether there is no other ink in the row of the dots within cellGap heights of a letter. Vertical rules,
// which are higher than letters, do not count.
func (l *Leader) isFarFrom(spots []image.Rectangle, height float64) bool {
	gap := int(cellGap * height)
	row := image.Rect(l.Box.Min.X-gap, l.Box.Max.Y-int(height), l.Box.Max.X+gap, l.Box.Max.Y+int(height/2))
	others := -len(l.Dots)
	for _, s := range spots {
		if s.Overlaps(row) && s.Dy() <= maxMarkHeight*int(height) {
			others++
		}
	}
	return others <= 0
}

// smallDots returns the round spots that are small beside the higher letters of the page.
func smallDots(spots []image.Rectangle) []image.Rectangle {
	var heights []int
	for _, s := range imaging.LetterShaped(spots) {
		heights = append(heights, s.Dy())
	}
	if len(heights) == 0 {
		return nil
	}
	slices.Sort(heights)
	largest := maxDot * float64(heights[int(capitalRank*float64(len(heights)-1))])
	return slices.DeleteFunc(slices.Clone(spots), func(s image.Rectangle) bool {
		return float64(max(s.Dx(), s.Dy())) > largest || !isRound(s)
	})
}

// letterHeightBeside returns the usual height of the letters that are far larger than dots of a size; 0 if they are few, or
// fewer than the spots that are like the dots but belong to no leader. In typescripts, whose letters have equal distances too,
// most letters are alike.
func letterHeightBeside(size float64, spots []image.Rectangle, isUsed map[image.Rectangle]bool) float64 {
	alike := 0
	var larger []image.Rectangle
	for _, s := range spots {
		switch {
		case float64(s.Dy()) >= size/maxDot:
			larger = append(larger, s)
		case isRound(s) && likeSize(s, size) && !isUsed[s]:
			alike++
		}
	}
	if larger = imaging.LetterShaped(larger); len(larger) < max(alike, minLarger) {
		return 0
	}
	return float64(imaging.LetterHeight(larger))
}

// isRound reports whether a spot may be a dot of a leader.
func isRound(s image.Rectangle) bool {
	small, large := min(s.Dx(), s.Dy()), max(s.Dx(), s.Dy())
	return small >= minDot && float64(large) <= roundDot*float64(small)
}

// size returns the width of the first dot in pixels.
func (l *Leader) size() float64 { return float64(max(l.Dots[0].Dx(), l.Dots[0].Dy())) }

// extend adds those of the dots, which are sorted by their left edges, that continue the leader to the right at equal
// distances. A few dots may be missing; it returns their number.
func (l *Leader) extend(dots []image.Rectangle, isUsed map[image.Rectangle]bool) (missing float64) {
	size, pitch := l.size(), 0.0
	for _, d := range dots {
		last, at := imaging.Middle(l.Dots[len(l.Dots)-1]), imaging.Middle(d)
		dx, dy := float64(at.X-last.X), float64(at.Y-last.Y)
		steps := 1.0
		if pitch > 0 {
			steps = max(math.Round(dx/pitch), 1)
		}
		if steps > mostSteps || dx > maxPitch*size*steps {
			break
		}
		isOff := pitch > 0 && math.Abs(dx-steps*pitch) > max(minPitchSlack, pitchSlack*pitch)
		if isOff || isUsed[d] || dx <= 0 || math.Abs(dy) > maxDrift*size*steps || !likeSize(d, size) {
			continue
		}
		n := float64(len(l.Dots))
		pitch = (pitch*(n-1) + dx/steps) / n
		l.Dots, l.Box, missing = append(l.Dots, d), l.Box.Union(d), missing+steps-1
	}
	return missing
}

// isSpaced reports whether there is as much white between the dots of a leader as between full stops, and more than between
// letters.
func (l *Leader) isSpaced(missing float64) bool {
	widths := 0
	for _, d := range l.Dots {
		widths += d.Dx()
	}
	n := float64(len(l.Dots))
	return float64(l.Box.Dx())/(n+missing) >= minPitch*float64(widths)/n
}

// likeSize reports whether a dot is about as large as the first one of a leader.
func likeSize(d image.Rectangle, size float64) bool {
	own := float64(max(d.Dx(), d.Dy()))
	return own <= likeDot*size && size <= likeDot*own
}

// isAlone reports whether there is hardly any other ink beside and between the dots of a leader, unlike in a row of a screen
// and between the full stops of a line.
func (l *Leader) isAlone(spots []image.Rectangle) bool {
	around := l.Box.Inset(-int(aroundLeader * l.size()))
	beside := -len(l.Dots)
	for _, s := range spots {
		if imaging.Middle(s).In(around) {
			beside++
		}
	}
	return float64(beside) <= maxBesideLeader*float64(len(l.Dots))
}

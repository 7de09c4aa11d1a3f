package lines

import (
	"image"
	"slices"
)

const (
	// contrast is the least difference between paper and ink for a strip to be cleaned.
	contrast = 20
	// upperZone and lowerZone are the shares of the strip's height that parts of the lines above and below reach to.
	upperZone, lowerZone = 0.42, 0.74
)

// spot is a connected spot of ink in a strip.
type spot struct {
	box      image.Rectangle
	segments []segment
	area     int
}

// clean erases what belongs to the lines above and below: spots that touch the upper or the lower edge and stay near
// it; and dark borders.
func clean(strip *image.Gray) {
	paper, dark := greyQuantile(strip, 0.8, 0), greyQuantile(strip, 0.03, 0)
	if int(paper)-int(dark) < contrast {
		return
	}
	limit := uint8(float64(paper) - 0.35*float64(paper-dark))
	labels := make([]int, len(strip.Pix)) // number of the spot from 1
	all := inkSpots(strip, limit, labels)
	for i, s := range all {
		if s.foreign(strip.Rect.Dy()) {
			s.erase(strip, labels, i+1, paper)
		}
	}
}

// foreign says whether a spot is part of another line or of a border.
func (s spot) foreign(height int) bool {
	top, bottom := s.box.Min.Y <= 1, s.box.Max.Y >= height-1
	solid := float64(s.area) > 0.8*float64(s.box.Dx()*s.box.Dy())
	return top && float64(s.box.Max.Y) < upperZone*float64(height) ||
		bottom && float64(s.box.Min.Y) > lowerZone*float64(height) ||
		top && bottom && float64(s.box.Dx()) < 1.2*float64(height) && solid
}

// erase paints the spot, and the pixel around it where that is no other's ink, with the paper.
func (s spot) erase(strip *image.Gray, labels []int, number int, paper uint8) {
	w, h := strip.Rect.Dx(), strip.Rect.Dy()
	for _, g := range s.segments {
		for y := max(g.y-1, 0); y <= min(g.y+1, h-1); y++ {
			for x := max(g.x0-1, 0); x < min(g.x1+1, w); x++ {
				if l := labels[y*strip.Stride+x]; l == 0 || l == number {
					strip.Pix[y*strip.Stride+x] = paper
				}
			}
		}
	}
}

// inkSpots are the connected spots below the limit; pixels that touch at a corner are connected. It writes each
// spot's number, from 1, into labels.
func inkSpots(strip *image.Gray, limit uint8, labels []int) []spot {
	var all []segment
	var parent []int
	above, here := 0, 0
	for y := range strip.Rect.Dy() {
		above, here = here, len(all)
		row := strip.Pix[y*strip.Stride:]
		j := above
		for x0, x1 := range runs(strip.Rect.Dx(), 1, func(x int) bool { return row[x] < limit }) {
			s := segment{y, x0, x1, len(parent)}
			parent = append(parent, s.piece)
			for j < here && all[j].x1 < x0 {
				j++
			}
			for k := j; k < here && all[k].x0 <= x1; k++ {
				a, b := find(parent, all[k].piece), find(parent, s.piece)
				parent[max(a, b)] = min(a, b)
			}
			all = append(all, s)
		}
	}
	return gather(all, parent, strip.Stride, labels)
}

func gather(all []segment, parent []int, stride int, labels []int) []spot {
	var spots []spot
	numbers := make([]int, len(parent))
	for _, s := range all {
		root := find(parent, s.piece)
		if numbers[root] == 0 {
			spots = append(spots, spot{})
			numbers[root] = len(spots)
		}
		n := numbers[root]
		at := &spots[n-1]
		at.box = at.box.Union(image.Rect(s.x0, s.y, s.x1, s.y+1))
		at.segments = append(at.segments, s)
		at.area += s.x1 - s.x0
		row := labels[s.y*stride : s.y*stride+stride]
		for x := range row[s.x0:s.x1] {
			row[s.x0+x] = n
		}
	}
	return slices.Clip(spots)
}

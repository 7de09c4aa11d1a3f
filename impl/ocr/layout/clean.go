package layout

import (
	"image"

	"uncial/impl/ocr/imaging"
)

// eraseNeighbours erases dark borders and the ink of neighbouring lines from a strip. Such ink touches the upper or lower edge
// and stays near it.
func eraseNeighbours(strip *image.Gray) {
	paper, dark := greyQuantile(strip, stripPaper, 0), greyQuantile(strip, stripInk, 0)
	if int(paper)-int(dark) < minContrast {
		return
	}
	limit := uint8(float64(paper) - spotLevel*float64(paper-dark))
	w, h := strip.Rect.Dx(), strip.Rect.Dy()
	spots := imaging.Components(h, imaging.Corners, func(y int) imaging.RunSeq {
		row := strip.Pix[y*strip.Stride:]
		return imaging.Runs(w, 1, func(x int) bool { return row[x] < limit })
	})
	spotAt := make([]int, len(strip.Pix)) // for each pixel, the number of its spot from 1, or 0
	for i, s := range spots {
		for _, r := range s.Runs {
			for x := r.Start; x < r.End; x++ {
				spotAt[r.Y*strip.Stride+x] = i + 1
			}
		}
	}
	for i, s := range spots {
		if isForeign(s, h) {
			erase(strip, s, spotAt, i+1, paper)
		}
	}
}

// isForeign reports whether a spot is part of another line or of a border.
func isForeign(s imaging.Component, height int) bool {
	top, bottom := s.Box.Min.Y <= 1, s.Box.Max.Y >= height-1
	solid := float64(s.Area) > borderArea*float64(s.Box.Dx()*s.Box.Dy())
	return top && float64(s.Box.Max.Y) < upperZone*float64(height) ||
		bottom && float64(s.Box.Min.Y) > lowerZone*float64(height) ||
		top && bottom && float64(s.Box.Dx()) < borderWidth*float64(height) && solid
}

// erase paints a spot with the grey of the paper, and also the pixels next to it that do not belong to another spot.
func erase(strip *image.Gray, s imaging.Component, spotAt []int, number int, paper uint8) {
	w, h := strip.Rect.Dx(), strip.Rect.Dy()
	for _, r := range s.Runs {
		for y := max(r.Y-1, 0); y <= min(r.Y+1, h-1); y++ {
			for x := max(r.Start-1, 0); x < min(r.End+1, w); x++ {
				if n := spotAt[y*strip.Stride+x]; n == 0 || n == number {
					strip.Pix[y*strip.Stride+x] = paper
				}
			}
		}
	}
}

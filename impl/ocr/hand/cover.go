package hand

import (
	"image"

	"uncial/internal/document"
)

// covered is a page of which parts are covered with their own paper.
func covered(g *image.Gray, parts []document.Box) *image.Gray {
	out := image.NewGray(g.Rect)
	copy(out.Pix, g.Pix)
	for _, b := range parts {
		r := image.Rect(b.X, b.Y, b.X+b.W, b.Y+b.H).Intersect(g.Rect)
		paper := paperIn(g, r)
		for y := r.Min.Y; y < r.Max.Y; y++ {
			row := out.Pix[out.PixOffset(r.Min.X, y):out.PixOffset(r.Max.X, y)]
			for i := range row {
				row[i] = paper
			}
		}
	}
	return out
}

// paperIn is the grey of the paper in a part of a page most of which is paper: the upper quartile.
func paperIn(g *image.Gray, r image.Rectangle) uint8 {
	var counts [256]int
	for y := r.Min.Y; y < r.Max.Y; y++ {
		for _, v := range g.Pix[g.PixOffset(r.Min.X, y):g.PixOffset(r.Max.X, y)] {
			counts[v]++
		}
	}
	left, paper := r.Dx()*r.Dy()/4, 255
	for paper > 0 && left >= counts[paper] {
		left -= counts[paper]
		paper--
	}
	return uint8(paper) // #nosec G115 -- 0 to 255
}

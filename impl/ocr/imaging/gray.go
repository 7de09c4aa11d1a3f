// Package imaging prepares the image of a page for recognition: grey pixels in, grey pixels out. It measures what is
// wrong with a page (shading, contrast, skew, size of the letters) and mends it; what to mend is the caller's choice.
// All images start at (0, 0); 0 is black and 255 white.
package imaging

import (
	"image"
	"image/draw"
)

// FromImage is the luminance of an image (ITU-R BT.601), with its upper left corner moved to (0, 0). Transparent
// pixels count as white. The result shares pixels with img where img is such an image already.
func FromImage(img image.Image) *image.Gray {
	if g, ok := img.(*image.Gray); ok && g.Rect.Min == (image.Point{}) {
		return g
	}
	g := image.NewGray(image.Rect(0, 0, img.Bounds().Dx(), img.Bounds().Dy()))
	if c, ok := img.(*image.RGBA); ok && c.Opaque() {
		luminance(g, c)
		return g
	}
	if o, ok := img.(interface{ Opaque() bool }); !ok || !o.Opaque() {
		draw.Draw(g, g.Rect, image.White, image.Point{}, draw.Src)
		draw.Draw(g, g.Rect, img, img.Bounds().Min, draw.Over)
		return g
	}
	draw.Draw(g, g.Rect, img, img.Bounds().Min, draw.Src)
	return g
}

// luminance is the fast way for what the decoders return.
func luminance(g *image.Gray, c *image.RGBA) {
	for y := range g.Rect.Dy() {
		from := c.Pix[y*c.Stride:]
		for x := range row(g, y) {
			p := from[4*x : 4*x+3 : 4*x+3]
			g.Pix[y*g.Stride+x] = uint8((19595*uint32(p[0]) + 38470*uint32(p[1]) + 7471*uint32(p[2]) + 1<<15) >> 16) // #nosec G115 -- at most 255
		}
	}
}

// Histogram counts the pixels of each grey value.
func Histogram(g *image.Gray) [256]int {
	var counts [4][256]int // by turns: neighbours are often equal, and to count one twice in a row is slow
	for y := range g.Rect.Dy() {
		r := row(g, y)
		for ; len(r) >= 4; r = r[4:] {
			counts[0][r[0]]++
			counts[1][r[1]]++
			counts[2][r[2]]++
			counts[3][r[3]]++
		}
		for _, v := range r {
			counts[0][v]++
		}
	}
	h := counts[0]
	for _, c := range counts[1:] {
		for v, n := range c {
			h[v] += n
		}
	}
	return h
}

// bilevelShare is the share of pixels that are pure black or white from which on a page counts as bilevel. Compressed
// bilevel scans keep some grey at the edges of strokes; of the grey and colour scans measured none came near.
const bilevelShare = 0.95

// Bilevel says whether the page has black and white and hardly anything between, so that there is no background to
// divide by and no threshold to choose.
func Bilevel(g *image.Gray) bool {
	h := Histogram(g)
	extreme := 0
	for i := range 8 {
		extreme += h[i] + h[255-i]
	}
	return float64(extreme) >= bilevelShare*float64(max(g.Rect.Dx()*g.Rect.Dy(), 1))
}

// mapped is the page with each grey value replaced by what f gives for it, 0..255.
func mapped(g *image.Gray, f func(v int) int) *image.Gray {
	var table [256]uint8
	for v := range table {
		table[v] = uint8(f(v)) // #nosec G115 -- 0..255
	}
	out := image.NewGray(image.Rect(0, 0, g.Rect.Dx(), g.Rect.Dy()))
	for y := range g.Rect.Dy() {
		to := row(out, y)
		for x, v := range row(g, y) {
			to[x] = table[v]
		}
	}
	return out
}

// Crop copies a part of the page; parts outside it are left away.
func Crop(g *image.Gray, r image.Rectangle) *image.Gray {
	r = r.Intersect(g.Rect)
	out := image.NewGray(image.Rect(0, 0, r.Dx(), r.Dy()))
	draw.Draw(out, out.Rect, g, r.Min, draw.Src)
	return out
}

// Turn rotates the page clockwise by quarters of a turn.
func Turn(g *image.Gray, quarters int) *image.Gray {
	quarters = ((quarters % 4) + 4) % 4
	if quarters == 0 {
		return g
	}
	w, h := g.Rect.Dx(), g.Rect.Dy()
	ow, oh := w, h
	if quarters%2 == 1 {
		ow, oh = h, w
	}
	out := image.NewGray(image.Rect(0, 0, ow, oh))
	for y := range h {
		for x, v := range row(g, y) {
			switch quarters {
			case 1:
				out.Pix[x*out.Stride+h-1-y] = v
			case 2:
				out.Pix[(h-1-y)*out.Stride+w-1-x] = v
			default:
				out.Pix[(w-1-x)*out.Stride+y] = v
			}
		}
	}
	return out
}

func row(g *image.Gray, y int) []uint8 {
	return g.Pix[y*g.Stride : y*g.Stride+g.Rect.Dx()]
}

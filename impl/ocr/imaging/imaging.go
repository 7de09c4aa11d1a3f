// Package imaging prepares the image of a page for recognition: grey pixels in, grey pixels out. It measures what makes a page
// hard to read (shading, surroundings, skew, small letters) and corrects it; package reading decides which corrections a page
// needs. It also has the pixel algorithms that other packages build on: histograms, connected components, rank filters, blurs
// and resampling. It does not find lines, columns or reading order; package layout does.
//
// The bounds of all images begin at (0, 0); 0 is black and 255 white. Start with background.go and surroundings.go,
// whose corrections matter most; thresholds.go has every number that was tuned.
package imaging

import (
	"image"
	"image/draw"
)

// FromImage returns the luminance of an image (ITU-R BT.601), with its upper left corner moved to (0, 0). Transparent pixels
// become white. If img is an *image.Gray with that corner already, it returns img itself.
func FromImage(img image.Image) *image.Gray {
	if g, ok := img.(*image.Gray); ok && g.Rect.Min == (image.Point{}) {
		return g
	}
	g := image.NewGray(image.Rect(0, 0, img.Bounds().Dx(), img.Bounds().Dy()))
	c, ok := img.(*image.RGBA)
	if ok && c.Opaque() {
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

// The weights of the colours in the luminance, with 16 binary places, as in image/color.
const redWeight, greenWeight, blueWeight = 19595, 38470, 7471

// luminance converts the type of image that the decoders return, several times as fast as image/draw.
func luminance(g *image.Gray, c *image.RGBA) {
	for y := range g.Rect.Dy() {
		from := c.Pix[y*c.Stride:]
		for x := range row(g, y) {
			p := from[4*x : 4*x+3 : 4*x+3]
			g.Pix[y*g.Stride+x] = uint8((redWeight*uint32(p[0]) + greenWeight*uint32(p[1]) + blueWeight*uint32(p[2]) + 1<<15) >> 16) // #nosec G115 -- at most 255
		}
	}
}

// Crop copies the part of r that lies on the page.
func Crop(g *image.Gray, r image.Rectangle) *image.Gray {
	r = r.Intersect(g.Rect)
	out := image.NewGray(image.Rect(0, 0, r.Dx(), r.Dy()))
	Copy(out, out.Rect, g, r.Min)
	return out
}

// Copy fills an area of dst with the pixels of src that begin at from, like draw.Draw, which is many times slower for grey
// images. It skips what is outside either image. The two must not share pixels.
func Copy(dst *image.Gray, area image.Rectangle, src *image.Gray, from image.Point) {
	shift := from.Sub(area.Min)
	area = area.Intersect(dst.Rect).Intersect(src.Rect.Sub(shift))
	for y := area.Min.Y; y < area.Max.Y; y++ {
		i, j := dst.PixOffset(area.Min.X, y), src.PixOffset(area.Min.X+shift.X, y+shift.Y)
		copy(dst.Pix[i:i+area.Dx()], src.Pix[j:])
	}
}

// Turn returns the page rotated clockwise by quarters of a turn.
func Turn(g *image.Gray, quarters int) *image.Gray {
	return TurnImage(g, quarters).(*image.Gray)
}

// TurnImage is Turn for pages with colours. It returns images other than *image.Gray and *image.RGBA unchanged.
func TurnImage(img image.Image, quarters int) image.Image {
	return Orient(img, [4]int{1, 6, 3, 8}[quarters&3])
}

// Orient turns an image upright, given its orientation (TIFF 6.0 and Exif, tag 274): 2 is mirrored left to right, 3 upside
// down, 4 mirrored top to bottom, and 5 to 8 lie on their side. It returns images other than *image.Gray and *image.RGBA
// unchanged, and all images with other orientations.
func Orient(img image.Image, orientation int) image.Image {
	if orientation < 2 || orientation > 8 {
		return img
	}
	w, h := img.Bounds().Dx(), img.Bounds().Dy()
	upright := image.Rect(0, 0, w, h)
	if orientation >= 5 {
		upright = image.Rect(0, 0, h, w)
	}
	switch img := img.(type) {
	case *image.Gray:
		to := image.NewGray(upright)
		orient(to.Pix, to.Stride, img.Pix, img.Stride, w, h, 1, orientation)
		return to
	case *image.RGBA:
		to := image.NewRGBA(upright)
		orient(to.Pix, to.Stride, img.Pix, img.Stride, w, h, 4, orientation)
		return to
	}
	return img
}

// orient copies each pixel of n bytes of a stored image of w x h to its position in the upright one.
func orient(to []byte, toStride int, from []byte, fromStride, w, h, n, orientation int) {
	origin, right, down := 0, n, toStride // where the stored corner goes, and the step along a stored row and column
	switch orientation {
	case 2:
		origin, right = (w-1)*n, -n
	case 3:
		origin, right, down = (h-1)*toStride+(w-1)*n, -n, -toStride
	case 4:
		origin, down = (h-1)*toStride, -toStride
	case 5:
		right, down = toStride, n
	case 6:
		origin, right, down = (h-1)*n, toStride, -n
	case 7:
		origin, right, down = (w-1)*toStride+(h-1)*n, -toStride, -n
	case 8:
		origin, right, down = (w-1)*toStride, -toStride, n
	}
	for y := range h {
		row := from[y*fromStride : y*fromStride+w*n]
		at := origin + y*down
		if n == 1 { // several times as fast as copy
			for _, v := range row {
				to[at] = v
				at += right
			}
			continue
		}
		for x := 0; x < len(row); x += n {
			copy(to[at:at+n], row[x:x+n])
			at += right
		}
	}
}

// row returns row y of the page without the padding of its stride. It shares memory with the page.
func row(g *image.Gray, y int) []uint8 {
	return g.Pix[y*g.Stride : y*g.Stride+g.Rect.Dx()]
}

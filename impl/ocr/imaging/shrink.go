package imaging

import "image"

// Shrink returns the image with its longer side reduced to at most side pixels; each pixel is the mean of those it replaces. It
// returns smaller images, and images other than *image.Gray and *image.RGBA, unchanged. It allocates memory only for the
// result, because a page may have 100 megapixels.
func Shrink(img image.Image, side int) image.Image {
	w, h := img.Bounds().Dx(), img.Bounds().Dy()
	longer := max(w, h)
	if longer <= side {
		return img
	}
	size := image.Rect(0, 0, max(w*side/longer, 1), max(h*side/longer, 1))
	switch img := img.(type) {
	case *image.Gray:
		to := image.NewGray(size)
		shrink(to.Pix, size.Max, img.Pix, img.Stride, image.Pt(w, h), 1)
		return to
	case *image.RGBA:
		to := image.NewRGBA(size)
		shrink(to.Pix, size.Max, img.Pix, img.Stride, image.Pt(w, h), 4)
		return to
	}
	return img
}

// shrink averages an image of n bytes a pixel into a smaller one whose rows have no padding.
func shrink(to []byte, toSize image.Point, from []byte, fromStride int, fromSize image.Point, n int) {
	for y := range toSize.Y {
		top, bottom := y*fromSize.Y/toSize.Y, (y+1)*fromSize.Y/toSize.Y
		for x := range toSize.X {
			left, right := x*fromSize.X/toSize.X, (x+1)*fromSize.X/toSize.X
			for c := range n {
				sum := 0
				for row := top; row < bottom; row++ {
					for i := row*fromStride + left*n + c; i < row*fromStride+right*n; i += n {
						sum += int(from[i])
					}
				}
				to[(y*toSize.X+x)*n+c] = uint8(sum / ((bottom - top) * (right - left))) // #nosec G115 -- a mean of bytes
			}
		}
	}
}

package decode

import (
	"image"
	"image/color"
	"image/draw"
)

// plain makes an image grey or opaque RGB of 8 bits a channel, on white. It works in the memory of the image where the
// result fits in, for images may be large; the image is of no more use afterwards. Colours that are all grey become
// grey. The image's bounds begin at (0, 0).
func plain(img image.Image) image.Image {
	switch img := img.(type) {
	case *image.Gray:
		return img
	case *image.Gray16:
		return &image.Gray{Pix: every(img.Pix, 2), Stride: img.Stride / 2, Rect: img.Rect}
	case *image.Paletted:
		return plainPaletted(img)
	case *image.RGBA:
		return grey(onWhite(img.Pix, img.Stride, img.Rect, true))
	case *image.NRGBA:
		return grey(onWhite(img.Pix, img.Stride, img.Rect, false))
	case *image.RGBA64:
		return grey(onWhite(every(img.Pix, 2), img.Stride/2, img.Rect, true))
	case *image.NRGBA64:
		return grey(onWhite(every(img.Pix, 2), img.Stride/2, img.Rect, false))
	case *image.CMYK:
		return grey(plainCMYK(img))
	case *image.YCbCr:
		return plainYCbCr(img)
	}
	to := image.NewRGBA(img.Bounds())
	draw.Draw(to, to.Rect, image.White, image.Point{}, draw.Src)
	draw.Draw(to, to.Rect, img, to.Rect.Min, draw.Over)
	return grey(to)
}

// every moves each n-th byte to the front, which leaves the high bytes of big-endian samples, and cuts the rest off.
func every(pix []byte, n int) []byte {
	to := pix[:len(pix)/n]
	for i := range to {
		to[i] = pix[i*n]
	}
	return to
}

// onWhite composites four channels onto white in place. Colours are premultiplied with alpha or not.
func onWhite(pix []byte, stride int, rect image.Rectangle, premultiplied bool) *image.RGBA {
	for i := 0; i+3 < len(pix); i += 4 {
		a := int(pix[i+3])
		if a == 0xff {
			continue
		}
		for c := i; c < i+3; c++ {
			if v := int(pix[c]); premultiplied {
				pix[c] = uint8(min(v+0xff-a, 0xff))
			} else {
				pix[c] = uint8((v*a + 0xff*(0xff-a) + 0x7f) / 0xff)
			}
		}
		pix[i+3] = 0xff
	}
	return &image.RGBA{Pix: pix, Stride: stride, Rect: rect}
}

// grey makes an opaque image grey, in place, where each of its colours is.
func grey(img *image.RGBA) image.Image {
	for i := 0; i+3 < len(img.Pix); i += 4 {
		if img.Pix[i] != img.Pix[i+1] || img.Pix[i] != img.Pix[i+2] {
			return img
		}
	}
	return &image.Gray{Pix: every(img.Pix, 4), Stride: img.Stride / 4, Rect: img.Rect}
}

// plainPaletted looks every pixel up. An index without a colour is black.
func plainPaletted(img *image.Paletted) image.Image {
	var palette [256][4]byte
	isGrey := true
	for i := range palette {
		palette[i] = [4]byte{0, 0, 0, 0xff}
		if i < len(img.Palette) {
			c := color.NRGBAModel.Convert(img.Palette[i]).(color.NRGBA)
			copy(palette[i][:], onWhite([]byte{c.R, c.G, c.B, c.A}, 4, image.Rect(0, 0, 1, 1), false).Pix)
		}
		isGrey = isGrey && palette[i][0] == palette[i][1] && palette[i][0] == palette[i][2]
	}
	if isGrey {
		for i, index := range img.Pix {
			img.Pix[i] = palette[index][0]
		}
		return &image.Gray{Pix: img.Pix, Stride: img.Stride, Rect: img.Rect}
	}
	to := image.NewRGBA(img.Rect)
	for y := range img.Rect.Dy() {
		row := to.Pix[y*to.Stride:]
		for x, index := range img.Pix[y*img.Stride : y*img.Stride+img.Rect.Dx()] {
			copy(row[4*x:4*x+4], palette[index][:])
		}
	}
	return to
}

func plainCMYK(img *image.CMYK) *image.RGBA {
	for i := 0; i+3 < len(img.Pix); i += 4 {
		p := img.Pix[i : i+4 : i+4]
		p[0], p[1], p[2] = color.CMYKToRGB(p[0], p[1], p[2], p[3])
		p[3] = 0xff
	}
	return &image.RGBA{Pix: img.Pix, Stride: img.Stride, Rect: img.Rect}
}

// plainYCbCr converts JPEG's colours (T.871). Where there are none, luma is grey already.
func plainYCbCr(img *image.YCbCr) image.Image {
	colourless := true
	for _, plane := range [][]byte{img.Cb, img.Cr} {
		for i := 0; i < len(plane) && colourless; i++ {
			colourless = plane[i] == 0x80
		}
	}
	if colourless {
		return &image.Gray{Pix: img.Y, Stride: img.YStride, Rect: img.Rect}
	}
	to := image.NewRGBA(img.Rect)
	draw.Draw(to, to.Rect, img, img.Rect.Min, draw.Src)
	return to
}

// turn makes an image stand as its orientation says (TIFF 6.0, tag 274): 2 is mirrored left to right, 3 upside down, 4
// mirrored top to bottom, 5 to 8 lie on their side.
func turn(img image.Image, orientation int) image.Image {
	if orientation < 2 || orientation > 8 {
		return img
	}
	w, h := img.Bounds().Dx(), img.Bounds().Dy()
	size := image.Rect(0, 0, w, h)
	if orientation >= 5 {
		size = image.Rect(0, 0, h, w)
	}
	switch img := img.(type) {
	case *image.Gray:
		to := image.NewGray(size)
		turnPixels(to.Pix, to.Stride, img.Pix, img.Stride, w, h, 1, orientation)
		return to
	case *image.RGBA:
		to := image.NewRGBA(size)
		turnPixels(to.Pix, to.Stride, img.Pix, img.Stride, w, h, 4, orientation)
		return to
	}
	return img
}

// turnPixels copies each pixel of n bytes of an image of w x h to its place in the upright one.
func turnPixels(to []byte, toStride int, from []byte, fromStride, w, h, n, orientation int) {
	origin, right, down := 0, n, toStride // where the stored corner goes, and its way along a row and a column
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
		for x := 0; x < len(row); x += n {
			copy(to[at:at+n], row[x:x+n])
			at += right
		}
	}
}

package decode

import (
	"image"
	"image/color"
	"image/draw"
)

// opaque converts an image, whose bounds begin at (0, 0), to grey or opaque RGB of 8 bits a channel, composited onto white. An
// RGB image all of whose pixels are grey becomes a grey image. It reuses the image's memory if the result fits, because images
// may be large; the image must not be used afterwards.
func opaque(img image.Image) image.Image {
	switch img := img.(type) {
	case *image.Gray:
		return img
	case *image.Gray16:
		// Here and below, samples of 16 bits are reduced to their high byte, which comes first.
		return &image.Gray{Pix: every(img.Pix, 2), Stride: img.Stride / 2, Rect: img.Rect}
	case *image.Paletted:
		return opaquePaletted(img)
	case *image.RGBA:
		return grey(onWhite(img.Pix, img.Stride, img.Rect, true))
	case *image.NRGBA:
		return grey(onWhite(img.Pix, img.Stride, img.Rect, false))
	case *image.RGBA64:
		return grey(onWhite(every(img.Pix, 2), img.Stride/2, img.Rect, true))
	case *image.NRGBA64:
		return grey(onWhite(every(img.Pix, 2), img.Stride/2, img.Rect, false))
	case *image.CMYK:
		return grey(opaqueCMYK(img))
	case *image.YCbCr:
		return opaqueYCbCr(img)
	}
	// None of our decoders returns anything else; the general path is slow and takes the memory of a second image.
	to := image.NewRGBA(img.Bounds())
	draw.Draw(to, to.Rect, image.White, image.Point{}, draw.Src)
	draw.Draw(to, to.Rect, img, to.Rect.Min, draw.Over)
	return grey(to)
}

// every moves each n-th byte to the front and drops the rest, which leaves the high bytes of big-endian samples.
func every(pix []byte, n int) []byte {
	to := pix[:len(pix)/n]
	for i := range to {
		to[i] = pix[i*n]
	}
	return to
}

// onWhite composites four channels onto white, in place.
func onWhite(pix []byte, stride int, rect image.Rectangle, premultiplied bool) *image.RGBA {
	for i := 0; i+3 < len(pix); i += 4 {
		a := int(pix[i+3])
		// Most pixels of most images are opaque.
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

// grey converts an opaque image to grey, in place, if all of its pixels are grey.
func grey(img *image.RGBA) image.Image {
	for i := 0; i+3 < len(img.Pix); i += 4 {
		if img.Pix[i] != img.Pix[i+1] || img.Pix[i] != img.Pix[i+2] {
			return img
		}
	}
	return &image.Gray{Pix: every(img.Pix, 4), Stride: img.Stride / 4, Rect: img.Rect}
}

// opaquePaletted replaces indices with their colours. An index without a colour is black.
func opaquePaletted(img *image.Paletted) image.Image {
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

// opaqueCMYK converts inks to red, green and blue without a colour profile.
func opaqueCMYK(img *image.CMYK) *image.RGBA {
	for i := 0; i+3 < len(img.Pix); i += 4 {
		p := img.Pix[i : i+4 : i+4]
		p[0], p[1], p[2] = color.CMYKToRGB(p[0], p[1], p[2], p[3])
		p[3] = 0xff
	}
	return &image.RGBA{Pix: img.Pix, Stride: img.Stride, Rect: img.Rect}
}

// opaqueYCbCr converts the colours of JPEG (T.871). If the image has no colours, its luma is the grey image.
func opaqueYCbCr(img *image.YCbCr) image.Image {
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

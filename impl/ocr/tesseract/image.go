package tesseract

/*
#include "binding.h"
#include "lineimage.h"
*/
import "C"

import (
	"errors"
	"fmt"
	"image"
	"unsafe"
)

// MaxSide is the maximum width and height, in pixels, that Tesseract accepts: INT16_MAX, because its coordinates have 16 bits.
const MaxSide = 32_767

// errImage means that an image is empty, too large, or of an unsupported type.
var errImage = errors.New("tesseract does not accept the image")

// SetImage sets the image to read and its resolution in dots per inch. If dpi is 0, Tesseract estimates the resolution from the
// lines, and may find wrong columns. SetImage accepts *image.Gray and *image.RGBA, ignores alpha, copies the pixels once, and
// clears earlier results.
//
// To read only a region, pass a sub-image; results are in the coordinates of its bounds. Do not use Tesseract's own rectangles:
// it reads the wrong rows if a rectangle is as wide as the image.
func (e *Engine) SetImage(img image.Image, dpi int) error {
	if e.api == nil {
		return errClosed
	}
	b := img.Bounds()
	if b.Empty() || b.Dx() > MaxSide || b.Dy() > MaxSide {
		return fmt.Errorf("%w: %d x %d pixels; expected 1 to 32767 per side", errImage, b.Dx(), b.Dy())
	}
	switch img := img.(type) {
	case *image.Gray:
		e.setPixels(img.Pix[img.PixOffset(b.Min.X, b.Min.Y):], b, 1, img.Stride)
	case *image.RGBA:
		e.setPixels(img.Pix[img.PixOffset(b.Min.X, b.Min.Y):], b, 4, img.Stride)
	default:
		return fmt.Errorf("%w: %T; expected *image.Gray or *image.RGBA", errImage, img)
	}
	e.origin = b.Min
	if dpi > 0 {
		C.TessBaseAPISetSourceResolution(e.api, C.int(dpi))
	}
	return nil
}

// setPixels passes pixels to Tesseract, which copies them. b has the width and the height; stride is in bytes.
func (e *Engine) setPixels(pix []byte, b image.Rectangle, bytesPerPixel, stride int) {
	C.TessBaseAPISetImage(e.api, (*C.uchar)(unsafe.SliceData(pix)), C.int(b.Dx()), C.int(b.Dy()), C.int(bytesPerPixel), C.int(stride))
}

// linesKept returns the number of lines in this process that were not packed as PNG (lineimage.c).
func linesKept() int64 { return int64(C.uncial_lines_kept()) }

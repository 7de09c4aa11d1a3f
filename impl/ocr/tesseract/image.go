package tesseract

/*
#include "binding.h"
*/
import "C"

import (
	"errors"
	"fmt"
	"image"
	"unsafe"
)

// MaxSide is the largest width and height, in pixels, that Tesseract works on.
const MaxSide = 32_767

// ErrImage says that an image has no pixels, too many, or is of a kind that is not supported.
var ErrImage = errors.New("the image cannot be set")

// SetImage sets the image to read and its resolution in dots per inch; with 0 Tesseract estimates it from the lines.
// The pixels are copied, once, and no longer needed afterwards. It takes *image.Gray and *image.RGBA; alpha is not
// looked at, so composite before. A sub-image restricts the reading to a part; results are in the coordinates of the
// Go image's bounds. (Tesseract's own rectangles are not used: it reads from the wrong rows where one is as wide as
// the image.) Earlier results are cleared.
func (e *Engine) SetImage(img image.Image, dpi int) error {
	if e.api == nil {
		return ErrClosed
	}
	b := img.Bounds()
	if b.Empty() || b.Dx() > MaxSide || b.Dy() > MaxSide {
		return fmt.Errorf("%w: %d x %d pixels", ErrImage, b.Dx(), b.Dy())
	}
	switch img := img.(type) {
	case *image.Gray:
		e.setPixels(img.Pix[img.PixOffset(b.Min.X, b.Min.Y):], b, 1, img.Stride)
	case *image.RGBA:
		e.setPixels(img.Pix[img.PixOffset(b.Min.X, b.Min.Y):], b, 4, img.Stride)
	default:
		return fmt.Errorf("%w: %T is neither grey nor RGBA", ErrImage, img)
	}
	e.origin = b.Min
	if dpi > 0 {
		C.TessBaseAPISetSourceResolution(e.api, C.int(dpi))
	}
	return nil
}

func (e *Engine) setPixels(pix []byte, b image.Rectangle, bytesPerPixel, stride int) {
	C.TessBaseAPISetImage(e.api, (*C.uchar)(unsafe.SliceData(pix)), C.int(b.Dx()), C.int(b.Dy()), C.int(bytesPerPixel), C.int(stride))
}

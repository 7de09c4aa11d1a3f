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

// ErrDecode means that Leptonica cannot decode a file.
var ErrDecode = errors.New("leptonica cannot decode the image")

// Leptonica decodes image files. It implements decode.Library. It has no state.
type Leptonica struct{}

// Decode decodes the first image of a file in any format that Leptonica knows, and composites it onto white. The result is
// *image.Gray or *image.RGBA, in the orientation of the stored pixels. Check the dimensions in the header first:
// Leptonica allocates as many pixels as the header declares.
func (Leptonica) Decode(data []byte) (image.Image, error) {
	quiet()
	if len(data) == 0 {
		return nil, ErrDecode
	}
	return goImage(C.pixReadMem((*C.l_uint8)(unsafe.SliceData(data)), C.size_t(len(data))))
}

// DecodeTIFF decodes the image of a TIFF whose directory (IFD) begins at offset, in bytes from the start of the file. In
// all other respects it is like Decode.
func (Leptonica) DecodeTIFF(data []byte, offset uint64) (image.Image, error) {
	quiet()
	if offset == 0 || offset >= uint64(len(data)) {
		return nil, ErrDecode
	}
	at := C.size_t(offset)
	return goImage(C.pixReadMemFromMultipageTiff((*C.l_uint8)(unsafe.SliceData(data)), C.size_t(len(data)), &at))
}

// goImage converts a Pix and frees it. Leptonica converts palettes, and depths other than 8 and 32 bits.
func goImage(pix *C.PIX) (image.Image, error) {
	if pix == nil {
		return nil, ErrDecode
	}
	defer func() { C.pixDestroy(&pix) }()
	if C.pixGetSpp(pix) == 4 {
		opaque := C.pixAlphaBlendUniform(pix, 0xffffff00)
		C.pixDestroy(&pix)
		if pix = opaque; pix == nil {
			return nil, ErrDecode
		}
	}
	if C.pixGetDepth(pix) == 32 {
		return rgbaImage(pix)
	}
	simple := C.pixConvertTo8Or32(pix, C.L_CLONE, 0)
	if simple == nil {
		return nil, ErrDecode
	}
	defer C.pixDestroy(&simple)
	if C.pixGetDepth(simple) == 32 {
		return rgbaImage(simple)
	}
	return grayImage(simple)
}

// grayImage converts a Pix of any depth to grey levels.
func grayImage(pix *C.PIX) (*image.Gray, error) {
	grey := C.pixConvertTo8(pix, 0)
	if grey == nil {
		return nil, ErrDecode
	}
	defer C.pixDestroy(&grey)
	rows, stride, err := bytesOf(grey)
	if err != nil {
		return nil, err
	}
	img := image.NewGray(image.Rect(0, 0, int(C.pixGetWidth(grey)), int(C.pixGetHeight(grey))))
	for y := range img.Rect.Dy() {
		copy(img.Pix[y*img.Stride:(y+1)*img.Stride], rows[y*stride:])
	}
	return img, nil
}

// rgbaImage converts a Pix of 32 bits. The result is opaque: Leptonica leaves the fourth byte undefined.
func rgbaImage(pix *C.PIX) (*image.RGBA, error) {
	rows, stride, err := bytesOf(pix)
	if err != nil {
		return nil, err
	}
	img := image.NewRGBA(image.Rect(0, 0, int(C.pixGetWidth(pix)), int(C.pixGetHeight(pix))))
	for y := range img.Rect.Dy() {
		row := img.Pix[y*img.Stride : (y+1)*img.Stride]
		copy(row, rows[y*stride:])
		for x := 3; x < len(row); x += 4 {
			row[x] = 0xff
		}
	}
	return img, nil
}

// bytesOf returns the pixels of a Pix, with the bytes in the order of the image instead of the machine's 32-bit words. It swaps
// the bytes in place. The result is valid until the Pix is freed. The stride is in bytes.
func bytesOf(pix *C.PIX) (rows []byte, stride int, err error) {
	if C.pixEndianByteSwap(pix) != 0 {
		return nil, 0, fmt.Errorf("%w: it has no pixels", ErrDecode)
	}
	stride = int(C.pixGetWpl(pix)) * 4
	return unsafe.Slice((*byte)(unsafe.Pointer(C.pixGetData(pix))), stride*int(C.pixGetHeight(pix))), stride, nil
}

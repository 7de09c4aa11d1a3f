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

// ErrDecode says that Leptonica cannot read a file.
var ErrDecode = errors.New("leptonica cannot read the image")

// Leptonica decodes images. It has no state.
type Leptonica struct{}

// Decode reads the first image of a file in any format that Leptonica knows. Transparency is composited onto white.
// The result is *image.Gray or *image.RGBA; its orientation is that of the stored pixels. Check the dimensions that the
// header declares beforehand: Leptonica allocates what the header asks for.
func (Leptonica) Decode(data []byte) (image.Image, error) {
	quiet()
	if len(data) == 0 {
		return nil, ErrDecode
	}
	return goImage(C.pixReadMem((*C.l_uint8)(unsafe.SliceData(data)), C.size_t(len(data))))
}

// DecodeTIFF reads the image of a TIFF whose directory begins at offset bytes from the start of the file. Else as Decode.
func (Leptonica) DecodeTIFF(data []byte, offset uint64) (image.Image, error) {
	quiet()
	if offset == 0 || offset >= uint64(len(data)) {
		return nil, ErrDecode
	}
	at := C.size_t(offset)
	return goImage(C.pixReadMemFromMultipageTiff((*C.l_uint8)(unsafe.SliceData(data)), C.size_t(len(data)), &at))
}

// goImage converts and frees a Pix.
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

// grayImage converts a Pix of any depth to grey.
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

// rgbaImage converts a Pix of 32 bits; alpha becomes opaque.
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

// bytesOf is the pixels of a Pix in the order of the image rather than of the machine's words. It changes the Pix.
func bytesOf(pix *C.PIX) (rows []byte, stride int, err error) {
	if C.pixEndianByteSwap(pix) != 0 {
		return nil, 0, fmt.Errorf("%w: no pixels", ErrDecode)
	}
	stride = int(C.pixGetWpl(pix)) * 4
	return unsafe.Slice((*byte)(unsafe.Pointer(C.pixGetData(pix))), stride*int(C.pixGetHeight(pix))), stride, nil
}

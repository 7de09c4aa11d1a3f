// Package decode turns the bytes of an image file into upright, opaque pages of 8 bits a channel. It trusts nothing
// but the bytes: the format is what the first of them say, and dimensions, pages and the work that a decoder would do
// are read from the headers and bounded before a pixel is decoded.
//
// The decoders are Go's where they can be; what they cannot read goes to a library that the caller brings (Leptonica).
// Decoding belongs into a process that may be lost; Inspect may run anywhere.
package decode

import (
	"errors"
	"fmt"
	"image"
	"io"
	"iter"

	"uncial/impl/ocr"
)

// Library decodes what Go's decoders cannot. The images it returns are *image.Gray or opaque *image.RGBA, in the
// orientation of the stored pixels.
type Library interface {
	// Decode reads the first image of a file.
	Decode(data []byte) (image.Image, error)
	// DecodeTIFF reads the image of a TIFF whose directory begins at offset bytes from the start of the file.
	DecodeTIFF(data []byte, offset uint64) (image.Image, error)
}

// Page is one decoded image.
type Page struct {
	// Image is *image.Gray or *image.RGBA, the latter opaque: transparency is composited onto white. It stands as the
	// file's orientation (Exif tag 274) says. Its bounds begin at (0, 0).
	Image image.Image
	// DPI is the vertical resolution that the file declares, in dots per inch, or 0 where it declares none that can be.
	DPI int
}

// Pages decodes one page after the other, so that no more than one is in memory unless the caller keeps it. Errors are
// *ocr.ImageError and end the sequence.
func Pages(data []byte, lib Library) iter.Seq2[Page, error] {
	return func(yield func(Page, error) bool) {
		f, err := inspect(data)
		if err != nil {
			yield(Page{}, err)
			return
		}
		for i := range f.frames {
			page, err := f.frames[i].page(f.format, lib)
			if !yield(page, err) || err != nil {
				return
			}
		}
	}
}

// page decodes the frame.
func (f *frame) page(format Format, lib Library) (Page, error) {
	img, err := f.decode()
	if known := (*ocr.ImageError)(nil); errors.As(err, &known) {
		return Page{}, known
	}
	if errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) {
		return Page{}, fault("the %s is cut short; send the whole file", format)
	}
	if err != nil && !errors.Is(err, errTIFF) && f.rescue != nil {
		img, err = f.rescue(lib)
	}
	if err != nil {
		return Page{}, fault("the %s is damaged, or of a kind that is not supported; save it anew as PNG", format)
	}
	if size := img.Bounds().Size(); size != image.Pt(f.width, f.height) {
		return Page{}, fault("the %s is damaged: its header declares %d x %d pixels and it holds %d x %d", format, f.width, f.height, size.X, size.Y)
	}
	return Page{Image: turn(plain(img), f.orientation), DPI: f.resolution()}, nil
}

// fault is an error that lies in the image, for the caller's eyes.
func fault(format string, args ...any) error {
	return &ocr.ImageError{Reason: fmt.Sprintf(format, args...)}
}

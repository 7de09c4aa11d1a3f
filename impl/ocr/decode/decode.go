// Package decode turns the bytes of an image file into upright, opaque pages of 8 bits a channel. It trusts only the bytes: the
// first ones determine the format, and the dimensions, the number of pages and the work for a decoder are read from the headers
// and bounded before any pixel is decoded. Formats and limits are those of the contract (internal/contract/imagefile). It does
// not make a page easier to read; package imaging does.
//
// Go's decoders come first; files that they cannot read go to a library that the caller supplies (Leptonica). The TIFF decoder
// is our own, because no other decoder reads as many kinds. Go's (x/image/tiff) fails on BigTIFF, CMYK, Group 3 and JPEG;
// Leptonica 1.82 fails on tiles and planes. libtiff's general reader (TIFFReadRGBAImage) accepts neither 16-bit CMYK nor RGB of
// less than 8 bits a sample, and spends four bytes on each pixel of a bilevel page. It would also expose C code to every TIFF
// instead of only the few that Go cannot read.
//
// Decode in a process that may be killed. Start with Pages; each format has its own file, and limits.go has the bounds.
package decode

import (
	"errors"
	"fmt"
	"image"
	"io"
	"iter"

	"uncial/impl/ocr"
	"uncial/impl/ocr/imaging"
	"uncial/internal/contract/imagefile"
)

// Library decodes what Go's decoders cannot. The images it returns are *image.Gray or opaque *image.RGBA, in the orientation
// of the stored pixels.
type Library interface {
	// Decode reads the first image of a file.
	Decode(data []byte) (image.Image, error)
	// DecodeTIFF reads the image of a TIFF whose directory begins offset bytes from the start of the file.
	DecodeTIFF(data []byte, offset uint64) (image.Image, error)
}

// Page is one decoded image.
type Page struct {
	// Image is *image.Gray, or an opaque *image.RGBA: transparency is composited onto white. It is turned upright according to
	// the file's orientation (Exif tag 274), and its bounds begin at (0, 0).
	Image image.Image
	// DPI is the vertical resolution that the file declares, in dots per inch, or 0 if it declares none or an implausible one.
	DPI int
	// Count is the number of pages in the file.
	Count int
	// File is the whole file if its format is JPEG or PNG, which hold only this page, and nil otherwise. Orientation is the
	// orientation of the pixels in File (Exif tag 274).
	File        []byte
	Orientation int
}

// Pages decodes one page after the other, so that no more than one is in memory unless the caller keeps it. Errors are
// *ocr.ImageError, and end the sequence.
func Pages(data []byte, lib Library) iter.Seq2[Page, error] {
	return func(yield func(Page, error) bool) {
		format, frames, err := inspect(data)
		if err != nil {
			yield(Page{}, err)
			return
		}
		for _, f := range frames {
			page, err := f.page(format, lib)
			page.Count = len(frames)
			if format == imagefile.JPEG || format == imagefile.PNG {
				page.File, page.Orientation = data, f.orientation
			}
			if !yield(page, err) || err != nil {
				return
			}
		}
	}
}

// frame is one image of a file that will be read as a page.
type frame struct {
	// Size is as stored, before the orientation is applied.
	imagefile.Size
	// orientation is Exif tag 274: 1 to 8; anything else counts as 1.
	orientation int
	// dpiX and dpiY are the resolutions along the stored rows and columns, 0 if unknown.
	dpiX, dpiY float64
	// scans is the number of scans of a JPEG.
	scans int
	// decode reads the pixels with our own decoders or with Go's.
	decode func() (image.Image, error)
	// rescue reads the pixels with the library if decode fails. It is nil if the library would fail too.
	rescue func(Library) (image.Image, error)
}

// parsers read the headers of each format.
var parsers = map[imagefile.Format]func([]byte) ([]frame, error){
	imagefile.JPEG: parseJPEG, imagefile.PNG: parsePNG, imagefile.TIFF: parseTIFF, imagefile.BMP: parseBMP, imagefile.WebP: parseWebP,
}

// inspect reads the format, and the dimensions of each page, from the headers. Its time and memory depend only on the size of
// the file. The error is *ocr.ImageError if the format is not supported, the file is damaged, or a limit is exceeded.
func inspect(data []byte) (imagefile.Format, []frame, error) {
	format, err := imagefile.Identify(data)
	if err != nil {
		return "", nil, invalidImage("%s", err)
	}
	frames, err := parsers[format](data)
	if err != nil {
		return format, nil, explain(format, err)
	}
	sizes := make([]imagefile.Size, len(frames))
	for i, f := range frames {
		sizes[i] = f.Size
	}
	if err := imagefile.CheckPages(format, sizes); err != nil {
		return format, nil, invalidImage("%s", err)
	}
	return format, frames, nil
}

// page decodes an image, composites it onto white, and turns it upright. If the first decoder fails, lib decodes the image
// unless the error is final. An image whose size differs from its header is refused, because only the declared size was checked
// against the limits.
func (f *frame) page(format imagefile.Format, lib Library) (Page, error) {
	img, err := f.decode()
	if err != nil && f.rescue != nil && !isFinal(err) {
		img, err = f.rescue(lib)
	}
	if err != nil {
		return Page{}, explain(format, err)
	}
	if size := img.Bounds().Size(); size != image.Pt(f.Width, f.Height) {
		return Page{}, invalidImage("the %s is damaged: its header declares %d x %d pixels, but it holds %d x %d", format, f.Width, f.Height, size.X, size.Y)
	}
	return Page{Image: imaging.Orient(opaque(img), f.orientation), DPI: f.resolution()}, nil
}

// resolution returns the vertical resolution of the upright page, or 0 if it is implausible.
func (f *frame) resolution() int {
	dpi := f.dpiY
	// The page is stored on its side.
	if f.orientation >= 5 && f.orientation <= 8 {
		dpi = f.dpiX
	}
	if dpi < minDPI || dpi > maxDPI {
		return 0
	}
	return int(dpi + 0.5)
}

var (
	// errTIFF reports a broken TIFF structure. It does not say what is broken, because the client could not repair it.
	errTIFF = errors.New("broken TIFF structure")
	// errKind reports a kind of image that our decoders do not know. The library may.
	errKind = errors.New("unknown kind of image")
)

// isFinal reports whether it is useless to try the library after this error.
func isFinal(err error) bool {
	var known *ocr.ImageError
	return errors.As(err, &known) || isCutShort(err) || errors.Is(err, errTIFF)
}

// isCutShort reports whether a decoder ran out of bytes.
func isCutShort(err error) bool {
	return errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF)
}

// explain returns the error for the client. For errors other than *ocr.ImageError it says only what the client can do.
func explain(format imagefile.Format, err error) error {
	var known *ocr.ImageError
	switch {
	case errors.As(err, &known):
		return known
	case isCutShort(err):
		return invalidImage("the %s is cut short; send the whole file", format)
	}
	return invalidImage("the %s is damaged or of an unsupported kind; save it again as PNG", format)
}

// invalidImage returns an error about the image, worded for the client.
func invalidImage(format string, args ...any) error {
	return &ocr.ImageError{Reason: fmt.Sprintf(format, args...)}
}

// side bounds a length in pixels. The caller compares it with the limits later.
func side(n uint32) int { return int(min(n, hugeSide)) }

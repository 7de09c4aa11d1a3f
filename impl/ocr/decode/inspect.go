package decode

import (
	"image"

	"uncial/internal/contract/imagefile"
)

// Format is a supported format by its common name.
type Format = imagefile.Format

// The formats.
const (
	JPEG = imagefile.JPEG
	PNG  = imagefile.PNG
	TIFF = imagefile.TIFF
	BMP  = imagefile.BMP
	WebP = imagefile.WebP
)

// Header is what a file says of itself.
type Header struct {
	Format Format
	Pages  []Size // at least one, in the order of the file
}

// Size is that of a page as it is stored, before its orientation is applied.
type Size = imagefile.Size

// file is a header with the way to its pixels.
type file struct {
	format Format
	frames []frame
}

// frame is one image of a file that will be read as a page.
type frame struct {
	width, height int
	orientation   int     // Exif tag 274: 1 to 8, anything else is taken for 1
	dpi           float64 // vertical, in stored orientation, 0 where unknown
	dpiX          float64 // horizontal
	decode        func() (image.Image, error)
	rescue        func(Library) (image.Image, error) // for what decode cannot read; nil where the library knows no more
}

// Inspect reads format, dimensions and pages from the headers, in time and memory that depend on the size of the file
// only. The error is *ocr.ImageError where the file is not of a supported format, damaged, or over a limit.
func Inspect(data []byte) (Header, error) {
	f, err := inspect(data)
	if err != nil {
		return Header{}, err
	}
	h := Header{Format: f.format, Pages: make([]Size, len(f.frames))}
	for i, frame := range f.frames {
		h.Pages[i] = Size{Width: frame.width, Height: frame.height}
	}
	return h, nil
}

func inspect(data []byte) (file, error) {
	format, err := imagefile.Identify(data)
	if err != nil {
		return file{}, fault("%s", err)
	}
	frames, err := parsers[format](data)
	if err != nil {
		return file{}, err
	}
	sizes := make([]Size, len(frames))
	for i, f := range frames {
		sizes[i] = Size{Width: f.width, Height: f.height}
	}
	if err := imagefile.CheckPages(format, sizes); err != nil {
		return file{}, fault("%s", err)
	}
	return file{format, frames}, nil
}

// parsers read the headers of each format.
var parsers = map[Format]func([]byte) ([]frame, error){
	JPEG: parseJPEG, PNG: parsePNG, TIFF: parseTIFF, BMP: parseBMP, WebP: parseWebP,
}

// resolution is the vertical one of the upright page, where it is plausible.
func (f *frame) resolution() int {
	dpi := f.dpi
	if f.orientation >= 5 && f.orientation <= 8 { // the sides change places
		dpi = f.dpiX
	}
	if dpi < 1 || dpi > 10_000 {
		return 0
	}
	return int(dpi + 0.5)
}

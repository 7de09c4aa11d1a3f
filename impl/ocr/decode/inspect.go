package decode

import (
	"bytes"
	"encoding/binary"
	"image"

	"uncial/impl/ocr"
)

// Format is a supported format by its common name.
type Format string

// The formats.
const (
	JPEG Format = "JPEG"
	PNG  Format = "PNG"
	TIFF Format = "TIFF"
	BMP  Format = "BMP"
	WebP Format = "WebP"
)

// Header is what a file says of itself.
type Header struct {
	Format Format
	Pages  []Size // at least one, in the order of the file
}

// Size is that of a page as it is stored, before its orientation is applied.
type Size struct{ Width, Height int } // pixels, at least 1

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
		h.Pages[i] = Size{frame.width, frame.height}
	}
	return h, nil
}

const supported = "send JPEG, PNG, TIFF, BMP or WebP"

func inspect(data []byte) (file, error) {
	if len(data) == 0 {
		return file{}, fault("the file is empty; %s", supported)
	}
	if len(data) > ocr.MaxBytes {
		return file{}, fault("the file has %d bytes; at most %d are allowed", len(data), ocr.MaxBytes)
	}
	format, parse := sniff(data)
	if parse == nil {
		return file{}, fault("the file is %s; %s", foreign(data), supported)
	}
	frames, err := parse(data)
	if err != nil {
		return file{}, err
	}
	if len(frames) > ocr.MaxPages {
		return file{}, fault("the %s has %d pages; at most %d are allowed", format, len(frames), ocr.MaxPages)
	}
	total := 0
	for _, f := range frames {
		if f.width < 1 || f.height < 1 {
			return file{}, fault("the %s is damaged: its header declares no pixels", format)
		}
		if f.width > ocr.MaxSide || f.height > ocr.MaxSide {
			return file{}, fault("the %s has %d x %d pixels; at most %d a side are allowed", format, f.width, f.height, ocr.MaxSide)
		}
		total += f.width * f.height // under 2^34
	}
	if total > ocr.MaxPixels {
		return file{}, fault("the %s has %d megapixels over all pages; at most %d are allowed", format, (total+999_999)/1_000_000, ocr.MaxPixels/1_000_000)
	}
	return file{format, frames}, nil
}

// sniff tells the format from the first bytes.
func sniff(data []byte) (Format, func([]byte) ([]frame, error)) {
	for _, known := range []struct {
		magic  string
		format Format
		parse  func([]byte) ([]frame, error)
	}{
		{"\xff\xd8\xff", JPEG, parseJPEG},
		{pngSignature, PNG, parsePNG},
		{"II*\x00", TIFF, parseTIFF},
		{"MM\x00*", TIFF, parseTIFF},
		{"II+\x00", TIFF, parseTIFF},
		{"MM\x00+", TIFF, parseTIFF},
	} {
		if bytes.HasPrefix(data, []byte(known.magic)) {
			return known.format, known.parse
		}
	}
	if len(data) >= 12 && string(data[:4]) == "RIFF" && string(data[8:12]) == "WEBP" {
		return WebP, parseWebP
	}
	if len(data) >= 18 && string(data[:2]) == "BM" && binary.LittleEndian.Uint32(data[14:]) < 256 { // the header's size
		return BMP, parseBMP
	}
	return "", nil
}

// foreign names formats that are not supported but likely to be sent.
func foreign(data []byte) string {
	for _, known := range []struct {
		at          int
		magic, name string
	}{
		{0, "%PDF-", "a PDF"},
		{0, "GIF8", "a GIF"},
		{4, "ftypavi", "an AVIF"},
		{4, "ftyphei", "a HEIC"},
		{4, "ftypmif1", "a HEIF"},
		{0, "\x00\x00\x00\x0cjP  ", "a JPEG 2000"},
		{0, "\xff\x4f\xff\x51", "a JPEG 2000"},
		{0, "\xff\x0a", "a JPEG XL"},
		{4, "JXL ", "a JPEG XL"},
		{0, "AT&TFORM", "a DjVu"},
		{0, "8BPS", "a Photoshop file"},
		{0, "<svg", "an SVG"},
		{0, "<?xml", "an XML document"},
		{0, "<!DOCTYPE html", "an HTML page"},
		{0, "<html", "an HTML page"},
		{0, "PK\x03\x04", "a ZIP archive"},
	} {
		if len(data) > known.at && bytes.HasPrefix(bytes.ToLower(data[known.at:min(len(data), known.at+20)]), bytes.ToLower([]byte(known.magic))) {
			return known.name
		}
	}
	return "not an image in a known format"
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

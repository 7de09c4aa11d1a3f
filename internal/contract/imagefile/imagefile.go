// Package imagefile holds what the contract promises about image files: which formats are read, how they are told apart,
// and how large they may be. It is a package of its own because the sandboxed worker needs it and must not link the
// rest of the contract, which imports net/http. Pixels are decoded in impl/ocr/decode. Start with Identify and CheckPages.
package imagefile

import (
	"errors"
	"fmt"
	"strings"
)

// Limits of an image. All but the first follow from its headers, so a server can check them before it decodes a pixel.
const (
	MaxBytes  = 20 << 20    // size of the file
	MaxPixels = 100_000_000 // over all pages
	MaxSide   = 32_767      // pixels
	MaxPages  = 10          // of a TIFF
)

// Format is a supported image format by its common name.
type Format string

// Formats that Identify accepts. It refuses all others, and names those that clients often send.
const (
	JPEG Format = "JPEG"
	PNG  Format = "PNG"
	TIFF Format = "TIFF"
	BMP  Format = "BMP"
	WebP Format = "WebP"
)

const supported = "send JPEG, PNG, TIFF, BMP or WebP"

// magic is how the files of a format begin, with anyByte where the byte does not matter.
type magic struct{ start, name string }

const anyByte = '.'

// supportedMagic tells the supported formats apart. TIFF has both byte orders, each as classic TIFF and as BigTIFF. The
// header of a BMP has its own size at byte 14, which is less than 256.
var supportedMagic = []magic{
	{"\xff\xd8\xff", string(JPEG)},
	{"\x89PNG\r\n\x1a\n", string(PNG)},
	{"II*\x00", string(TIFF)},
	{"MM\x00*", string(TIFF)},
	{"II+\x00", string(TIFF)},
	{"MM\x00+", string(TIFF)},
	{"RIFF....WEBP", string(WebP)},
	{"BM.............\x00\x00\x00", string(BMP)},
}

// foreignMagic names formats that clients send by mistake. The case of letters does not count.
var foreignMagic = []magic{
	{"%PDF-", "a PDF"},
	{"GIF8", "a GIF"},
	{"....ftypavi", "an AVIF"},
	{"....ftyphei", "a HEIC"},
	{"....ftypmif1", "a HEIF"},
	{"\x00\x00\x00\x0cjP  ", "a JPEG 2000"},
	{"\xff\x4f\xff\x51", "a JPEG 2000"},
	{"\xff\x0a", "a JPEG XL"},
	{"....JXL ", "a JPEG XL"},
	{"AT&TFORM", "a DjVu"},
	{"8BPS", "a Photoshop file"},
	{"<svg", "an SVG"},
	{"<?xml", "an XML document"},
	{"<!DOCTYPE html", "an HTML page"},
	{"<html", "an HTML page"},
	{"PK\x03\x04", "a ZIP archive"},
}

// find returns the name of the first format whose magic bytes are at the start of data, or "" if there is none. same compares
// two bytes: exactly for binary formats, without letter case for HTML and XML, which may be written in either case.
func find(formats []magic, data []byte, same func(a, b byte) bool) string {
	for _, m := range formats {
		matches := len(data) >= len(m.start)
		for i := 0; matches && i < len(m.start); i++ {
			matches = m.start[i] == anyByte || same(m.start[i], data[i])
		}
		if matches {
			return m.name
		}
	}
	return ""
}

func equal(a, b byte) bool { return a == b }

// equalFold ignores the case of ASCII letters.
func equalFold(a, b byte) bool { return lower(a) == lower(b) }

func lower(c byte) byte {
	if 'A' <= c && c <= 'Z' {
		return c + 'a' - 'A'
	}
	return c
}

// Identify tells the format of an image file from its first bytes; neither its name nor its declared media type
// counts. The error, for the client, says that the file is empty, too large or of another format, and what to send.
func Identify(data []byte) (Format, error) {
	if len(data) == 0 {
		return "", errors.New("the file is empty; " + supported)
	}
	if len(data) > MaxBytes {
		return "", TooLarge(MaxBytes)
	}
	if name := find(supportedMagic, data, equal); name != "" {
		return Format(name), nil
	}
	name := find(foreignMagic, data, equalFold)
	if name == "" {
		name = "not an image in a known format"
	}
	return "", fmt.Errorf("the file is %s; %s", name, supported)
}

// MediaType returns the media type of an image file from its first bytes, such as image/png. For all other files it is
// application/octet-stream.
func MediaType(data []byte) string {
	format, err := Identify(data)
	if err != nil {
		return "application/octet-stream"
	}
	return "image/" + strings.ToLower(string(format))
}

// TooLarge is the error, for the client, of a file with more bytes than limit.
func TooLarge(limit int) error {
	size := fmt.Sprintf("%d bytes", limit)
	if limit%(1<<20) == 0 {
		size = fmt.Sprintf("%d MiB", limit>>20)
	}
	return fmt.Errorf("the image is larger than the limit of %s", size)
}

// Size is the size of one page of an image, in pixels.
type Size struct{ Width, Height int }

// CheckPages returns an error, for the client, if the pages of an image exceed a limit or have no pixels.
func CheckPages(format Format, pages []Size) error {
	if len(pages) > MaxPages {
		return fmt.Errorf("the %s has %d pages; at most %d are allowed", format, len(pages), MaxPages)
	}
	total := 0 // under 2^34, because no side is longer than MaxSide
	for _, p := range pages {
		switch {
		case p.Width < 1 || p.Height < 1:
			return fmt.Errorf("the %s is damaged: its header declares a size of zero", format)
		case p.Width > MaxSide || p.Height > MaxSide:
			return fmt.Errorf("the %s is %d x %d pixels; at most %d per side are allowed", format, p.Width, p.Height, MaxSide)
		}
		total += p.Width * p.Height
	}
	if total > MaxPixels {
		const million = 1_000_000
		return fmt.Errorf("the %s has %d megapixels over all pages; at most %d are allowed",
			format, (total+million-1)/million, MaxPixels/million)
	}
	return nil
}

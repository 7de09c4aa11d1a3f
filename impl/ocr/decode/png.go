package decode

import (
	"bytes"
	"encoding/binary"
	"errors"
	"image"
	"image/png"
	"io"
)

// The layout of a PNG: a signature, then chunks of length, kind, data and checksum, the first of which is the header.
const (
	pngSignature = "\x89PNG\r\n\x1a\n"
	pngOverhead  = 12 // bytes of a chunk besides its data
	pngHeader    = 13 // bytes of the header's data
)

// parsePNG reads the chunks that describe the image (PNG, third edition): the header with its size, the resolution, Exif, and
// the end, without which the file is cut short. Of an animation it reads the default image.
func parsePNG(data []byte) ([]frame, error) {
	ended := false
	f := frame{
		decode: func() (image.Image, error) {
			if !ended {
				return nil, io.ErrUnexpectedEOF
			}
			img, err := png.Decode(bytes.NewReader(data))
			if surplus := png.FormatError(""); errors.As(err, &surplus) && string(surplus) == "too much pixel data" {
				// The library would inflate the surplus, which can be gigabytes.
				return nil, invalidImage("the PNG is damaged: it contains more pixel data than its header declares")
			}
			return img, err
		},
		rescue: func(lib Library) (image.Image, error) { return lib.Decode(data) },
	}
	rest := data[len(pngSignature):]
	for first := true; len(rest) >= pngOverhead && !ended; first = false {
		n := uint64(binary.BigEndian.Uint32(rest))
		if n > uint64(len(rest)-pngOverhead) {
			break
		}
		kind, chunk := string(rest[4:8]), rest[8:8+n]
		rest = rest[pngOverhead+n:]
		if first && (kind != "IHDR" || n != pngHeader) {
			return nil, invalidImage("the PNG is damaged: it does not begin with its header")
		}
		switch {
		case first:
			f.Width, f.Height = side(binary.BigEndian.Uint32(chunk)), side(binary.BigEndian.Uint32(chunk[4:]))
		case kind == "pHYs" && n == 9 && chunk[8] == 1: // pixels per metre
			f.dpiX = inchesPerMetre * float64(binary.BigEndian.Uint32(chunk))
			f.dpiY = inchesPerMetre * float64(binary.BigEndian.Uint32(chunk[4:]))
		case kind == "eXIf":
			f.readExif(chunk)
		case kind == "IEND":
			ended = true
		}
	}
	if f.Width == 0 && len(data) < len(pngSignature)+pngOverhead+pngHeader {
		return nil, io.ErrUnexpectedEOF
	}
	return []frame{f}, nil
}

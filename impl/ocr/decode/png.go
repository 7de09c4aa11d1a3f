package decode

import (
	"bytes"
	"encoding/binary"
	"errors"
	"image"
	"image/png"
	"io"
)

const pngSignature = "\x89PNG\r\n\x1a\n"

// parsePNG reads the chunks that describe the image (PNG, third edition). An animation counts as its default image.
func parsePNG(data []byte) ([]frame, error) {
	ended := false
	f := frame{
		decode: func() (image.Image, error) {
			if !ended {
				return nil, io.ErrUnexpectedEOF
			}
			img, err := png.Decode(bytes.NewReader(data))
			if surplus := png.FormatError(""); errors.As(err, &surplus) && string(surplus) == "too much pixel data" {
				return nil, fault("the PNG is damaged: it holds more than the pixels that its header declares") // gigabytes, at worst, that the library would inflate
			}
			return img, err
		},
		rescue: func(lib Library) (image.Image, error) { return lib.Decode(data) },
	}
	rest := data[len(pngSignature):]
	for first := true; len(rest) >= 12 && !ended; first = false {
		n := uint64(binary.BigEndian.Uint32(rest))
		if n > uint64(len(rest)-12) {
			break
		}
		kind, chunk := string(rest[4:8]), rest[8:8+n]
		rest = rest[12+n:]
		if first && (kind != "IHDR" || n != 13) {
			return nil, fault("the PNG is damaged: it does not begin with its header")
		}
		switch {
		case first:
			f.width, f.height = side(binary.BigEndian.Uint32(chunk)), side(binary.BigEndian.Uint32(chunk[4:]))
		case kind == "pHYs" && n == 9 && chunk[8] == 1: // per meter
			f.dpiX = perMeter * float64(binary.BigEndian.Uint32(chunk))
			f.dpi = perMeter * float64(binary.BigEndian.Uint32(chunk[4:]))
		case kind == "eXIf":
			f.readExif(chunk)
		case kind == "IEND":
			ended = true
		}
	}
	if f.width == 0 && len(data) < len(pngSignature)+25 {
		return nil, fault("the PNG is cut short; send the whole file")
	}
	return []frame{f}, nil
}

// side keeps a length in pixels within what an int of any machine and the product of two of them can hold.
func side(n uint32) int { return int(min(n, 1<<30)) }

package decode

import (
	"bytes"
	"encoding/binary"
	"errors"
	"image"
	"image/jpeg"
	"io"
	"strings"
)

// Markers of ITU-T T.81, table B.1.
const (
	markSOI   = 0xd8 // start of image
	markEOI   = 0xd9 // end of image
	markSOS   = 0xda // start of scan, followed by coded data
	markAPP0  = 0xe0 // JFIF
	markAPP1  = 0xe1 // Exif
	markAPP14 = 0xee // Adobe
	markTEM   = 0x01 // has no segment; nor do the restart markers
	markRST0  = 0xd0 // the first of eight restart markers
	markSOF0  = 0xc0 // the first frame header; each process has its own
	markSOF15 = 0xcf // the last frame header
	markDHT   = 0xc4 // Huffman tables: not a frame header, nor are the next two
	markJPG   = 0xc8
	markDAC   = 0xcc
)

// parseJPEG reads the segments up to the end of the image, and skips coded data. Go decodes common files; the library decodes
// those that Go does not support, such as files with unusual subsampling. Files with several frame headers are refused, so that
// every decoder sees the size that was checked.
func parseJPEG(data []byte) ([]frame, error) {
	isCMYK, adobe, ended := false, false, false // adobe: a segment says how CMYK is stored
	f := frame{
		decode: func() (image.Image, error) {
			img, err := decodeJPEG(data, isCMYK && !adobe)
			// For a file that ends early, Go returns a FormatError.
			if damaged := jpeg.FormatError(""); errors.As(err, &damaged) && !ended {
				return nil, io.ErrUnexpectedEOF
			}
			return img, err
		},
		rescue: func(lib Library) (image.Image, error) { return lib.Decode(data) },
	}
	// The file begins with the marker SOI, which has no segment.
	for rest := data[2:]; ; {
		marker, segment, after, ok := nextSegment(rest)
		if ended = marker == markEOI; !ok || ended {
			break
		}
		rest = after
		switch {
		case marker == markSOS:
			f.scans++
			rest = skipCoded(rest)
		case marker >= markSOF0 && marker <= markSOF15 && marker != markDHT && marker != markJPG && marker != markDAC:
			if len(segment) < 5 {
				return nil, invalidImage("the JPEG is damaged: its frame header is too short")
			}
			if f.Width != 0 {
				return nil, invalidImage("the JPEG is damaged: it has several frame headers")
			}
			f.Height, f.Width = int(binary.BigEndian.Uint16(segment[1:])), int(binary.BigEndian.Uint16(segment[3:]))
			isCMYK = len(segment) > 5 && segment[5] == 4
		case marker == markAPP14:
			adobe = adobe || bytes.HasPrefix(segment, []byte("Adobe"))
		case marker == markAPP0:
			f.readJFIF(segment)
		case marker == markAPP1:
			if block, found := bytes.CutPrefix(segment, []byte(exifPrefix)); found {
				f.readExif(block)
			}
		}
	}
	if f.Width == 0 && f.scans == 0 {
		return nil, io.ErrUnexpectedEOF
	}
	// Baseline images have one scan, however large they are.
	if limit := min(maxScans, maxScanPixels/max(f.Width*f.Height, 1)); f.scans > limit && f.scans > 1 {
		return nil, invalidImage("the JPEG has %d scans; at most %d are allowed at its size: save it as a baseline JPEG", f.scans, limit)
	}
	return []frame{f}, nil
}

// adobeSegment declares four channels as inverted inks.
const adobeSegment = "\xff\xee\x00\x0eAdobe\x00\x64\x00\x00\x00\x00\x00"

// decodeJPEG adds an end marker, because some writers omit it and a second one does no harm. CMYK without an Adobe segment
// (notInverted) is not inverted, but Go reads only inverted CMYK, so decodeJPEG adds that segment and inverts the result.
func decodeJPEG(data []byte, notInverted bool) (image.Image, error) {
	const end = "\xff\xd9"
	if !notInverted {
		return jpeg.Decode(io.MultiReader(bytes.NewReader(data), strings.NewReader(end)))
	}
	img, err := jpeg.Decode(io.MultiReader(bytes.NewReader(data[:2]), strings.NewReader(adobeSegment), bytes.NewReader(data[2:]), strings.NewReader(end)))
	if cmyk, ok := img.(*image.CMYK); ok && err == nil {
		for i := range cmyk.Pix {
			cmyk.Pix[i] = ^cmyk.Pix[i]
		}
	}
	return img, err
}

// nextSegment returns the next marker, the bytes that belong to it (without their length), and what follows them.
func nextSegment(data []byte) (marker byte, segment, rest []byte, ok bool) {
	for {
		at := bytes.IndexByte(data, 0xff)
		if at < 0 {
			return 0, nil, nil, false
		}
		for data = data[at:]; len(data) > 0 && data[0] == 0xff; data = data[1:] { // fill bytes
		}
		if len(data) == 0 {
			return 0, nil, nil, false
		}
		marker, data = data[0], data[1:]
		if marker == 0 || marker == markTEM || (marker >= markRST0 && marker <= markSOI) {
			continue // has no segment
		}
		break
	}
	if marker == markEOI {
		return marker, nil, data, true
	}
	if len(data) < 2 {
		return 0, nil, nil, false
	}
	n := int(binary.BigEndian.Uint16(data))
	if n < 2 || n > len(data) {
		return 0, nil, nil, false
	}
	return marker, data[2:n], data[n:], true
}

// skipCoded skips entropy-coded data up to the marker that ends it. Restart markers and stuffed zeros belong to the data.
func skipCoded(data []byte) []byte {
	for {
		at := bytes.IndexByte(data, 0xff)
		if at < 0 || at+1 >= len(data) {
			return nil
		}
		if next := data[at+1]; next != 0 && next != 0xff && (next < markRST0 || next >= markSOI) {
			return data[at:]
		}
		data = data[at+1:]
	}
}

// readJFIF sets the resolution from a JFIF header (T.871, section 10.1). An Exif segment, which comes later in the file,
// overrides it.
func (f *frame) readJFIF(segment []byte) {
	if len(segment) < 12 || !bytes.HasPrefix(segment, []byte("JFIF\x00")) {
		return
	}
	unit := map[byte]float64{1: 1, 2: centimetresPerInch}[segment[7]] // unit 0 declares only the aspect ratio of the pixels
	f.dpiX = unit * float64(binary.BigEndian.Uint16(segment[8:]))
	f.dpiY = unit * float64(binary.BigEndian.Uint16(segment[10:]))
}

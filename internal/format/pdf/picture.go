package pdf

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"image/color"
	"image/jpeg"
	"strings"
)

// Picture is the image file that shows a page.
type Picture struct {
	// Data is a JPEG in grey or colour, or a PNG that is neither interlaced nor transparent. It is embedded unchanged.
	Data []byte
	// Orientation is Exif tag 274: how the picture must be turned or mirrored to be upright. 0 and 1 mean that it is upright.
	// The orientation in the file has no effect.
	Orientation int
}

// pictureError means that a picture cannot be embedded. Its text says why.
type pictureError struct{ Reason string }

func (e *pictureError) Error() string { return "the picture cannot be embedded in a PDF: " + e.Reason }

// Check returns nil if AddPage accepts the picture, else the reason why not. It looks at headers only.
func (p Picture) Check() error {
	_, err := parse(p)
	return err
}

// embedded is a picture as PDF describes it.
type embedded struct {
	width, height, bits int
	colors              string // the colour space
	filter              string
	data                [][]byte
	palette             []byte // red, green and blue of each colour; nil without a palette
}

// parse reads the headers of a picture.
func parse(p Picture) (embedded, error) {
	switch {
	case bytes.HasPrefix(p.Data, []byte{0xff, 0xd8}):
		return parseJPEG(p.Data)
	case bytes.HasPrefix(p.Data, []byte(pngMagic)):
		return parsePNG(p.Data)
	}
	return embedded{}, &pictureError{"it is neither a JPEG nor a PNG"}
}

// parseJPEG embeds a JPEG unchanged, since PDF viewers decode it. Errors: *pictureError, also for CMYK.
func parseJPEG(data []byte) (embedded, error) {
	config, err := jpeg.DecodeConfig(bytes.NewReader(data))
	if err != nil {
		return embedded{}, &pictureError{"the JPEG is damaged: " + err.Error()}
	}
	colors := "/DeviceRGB"
	switch config.ColorModel {
	case color.GrayModel:
		colors = "/DeviceGray"
	case color.CMYKModel:
		return embedded{}, &pictureError{"its colours are those of a printer (CMYK)"}
	}
	return embedded{width: config.Width, height: config.Height, bits: 8, colors: colors, filter: "/DCTDecode", data: [][]byte{data}}, nil
}

const (
	pngMagic = "\x89PNG\r\n\x1a\n"
	// pngFrame is the size of a chunk without its data: length, type and checksum.
	pngFrame = 12
)

// The colour types of PNG that PDF knows too.
const (
	pngGray    = 0
	pngRGB     = 2
	pngIndexed = 3
)

// parsePNG takes a PNG apart. Its compressed rows are what PDF calls Flate with a predictor (ISO 32000-1, section 7.4.4.4).
func parsePNG(file []byte) (embedded, error) {
	e, channels := embedded{}, 0
	for rest := file[len(pngMagic):]; len(rest) >= pngFrame; {
		n := binary.BigEndian.Uint32(rest)
		if uint64(n)+pngFrame > uint64(len(rest)) {
			break
		}
		kind, data := string(rest[4:8]), rest[8:8+n]
		switch kind {
		case "IHDR":
			var err error
			if channels, err = e.readHeader(data); err != nil {
				return e, err
			}
		case "PLTE":
			e.palette = data
		case "tRNS":
			return e, &pictureError{"the PNG is transparent"}
		case "IDAT":
			e.data = append(e.data, data)
		}
		rest = rest[pngFrame+n:]
	}
	switch {
	case channels == 0 || len(e.data) == 0:
		return e, &pictureError{"the PNG is damaged"}
	case e.colors == "" && (len(e.palette) == 0 || len(e.palette)%3 != 0 || len(e.palette) > 3<<e.bits):
		return e, &pictureError{"the PNG has an invalid palette"}
	case e.colors == "":
		e.colors = fmt.Sprintf("[/Indexed /DeviceRGB %d <%x>]", len(e.palette)/3-1, e.palette)
	}
	e.filter = fmt.Sprintf("/FlateDecode /DecodeParms << /Predictor 15 /Colors %d /BitsPerComponent %d /Columns %d >>", channels, e.bits, e.width)
	return e, nil
}

// readHeader reads IHDR and returns the number of channels. colors stays empty for a palette.
func (e *embedded) readHeader(data []byte) (channels int, err error) {
	if len(data) != 13 {
		return 0, &pictureError{"the PNG is damaged"}
	}
	e.width, e.height, e.bits = int(binary.BigEndian.Uint32(data)), int(binary.BigEndian.Uint32(data[4:])), int(data[8])
	if e.width < 1 || e.height < 1 {
		return 0, &pictureError{"the PNG is empty"}
	}
	if data[12] != 0 {
		return 0, &pictureError{"the PNG is interlaced"}
	}
	switch data[9] {
	case pngGray:
		e.colors = "/DeviceGray"
		return 1, nil
	case pngRGB:
		e.colors = "/DeviceRGB"
		return 3, nil
	case pngIndexed:
		return 1, nil
	}
	return 0, &pictureError{"the PNG is transparent"}
}

// writeImage writes a picture and returns its object.
func (o *objects) writeImage(e embedded) int {
	return o.writePlainStream(fmt.Sprintf("/Type /XObject /Subtype /Image /Width %d /Height %d /ColorSpace %s /BitsPerComponent %d /Filter %s",
		e.width, e.height, e.colors, e.bits, e.filter), e.data...)
}

// orientationMatrix returns the matrix that draws a picture with an Exif orientation upright on a page of that size. A picture
// is the unit square, its first row at the top.
func orientationMatrix(orientation int, w, h float64) string {
	var m [6]float64
	switch orientation {
	case 2: // mirrored left to right
		m = [6]float64{-w, 0, 0, h, w, 0}
	case 3: // upside down
		m = [6]float64{-w, 0, 0, -h, w, h}
	case 4: // mirrored top to bottom
		m = [6]float64{w, 0, 0, -h, 0, h}
	case 5: // the first row is the left side
		m = [6]float64{0, -h, -w, 0, w, h}
	case 6: // the first row is the right side
		m = [6]float64{0, -h, w, 0, 0, h}
	case 7: // the first row is the right side, from bottom to top
		m = [6]float64{0, h, w, 0, 0, 0}
	case 8: // the first row is the left side, from bottom to top
		m = [6]float64{0, h, -w, 0, w, 0}
	default:
		m = [6]float64{w, 0, 0, h, 0, 0}
	}
	out := make([]string, len(m))
	for i, v := range m {
		out[i] = number(v)
	}
	return strings.Join(out, " ")
}

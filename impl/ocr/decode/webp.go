package decode

import (
	"bytes"
	"encoding/binary"
	"image"
	"image/draw"
	"io"

	"golang.org/x/image/webp"
)

// webpImage is the bitstream of one image of a file (RFC 9649) and its position on the canvas.
type webpImage struct {
	// alpha is the data of an ALPH chunk, or nil.
	alpha []byte
	// kind is "VP8 " (lossy) or "VP8L" (lossless).
	kind   string
	stream []byte
	// size is the size of the image that its stream declares.
	size image.Point
	// at is its upper left corner on the canvas, whose size is that of the page.
	at, canvas image.Point
}

// parseWebP reads the chunks up to the first image; later images of an animation are ignored. The container is RIFF: chunks of
// a kind, a length and data, padded to an even length. A simple file has one bitstream; an extended one (VP8X) has a canvas,
// and perhaps alpha, frames (ANMF, which hold chunks themselves) and Exif.
func parseWebP(data []byte) ([]frame, error) {
	w := webpImage{}
	f := frame{}
	// After "RIFF", a length that is not trusted, and "WEBP".
	rest := data[12:]
	for len(rest) >= 8 {
		kind, chunk, after := riffChunk(rest)
		if chunk == nil {
			break
		}
		rest = after
		switch {
		case kind == "VP8X" && len(chunk) >= 10:
			w.canvas = image.Pt(uint24(chunk[4:])+1, uint24(chunk[7:])+1)
		// The positions of frames are stored in units of two pixels.
		case kind == "ANMF" && w.stream == nil && len(chunk) >= 16:
			w.at = image.Pt(2*uint24(chunk), 2*uint24(chunk[3:]))
			for sub := chunk[16:]; len(sub) >= 8; {
				inner, part, next := riffChunk(sub)
				if part == nil {
					break
				}
				w.take(inner, part)
				sub = next
			}
		case kind == "EXIF":
			f.readExif(bytes.TrimPrefix(chunk, []byte(exifPrefix)))
		default:
			w.take(kind, chunk)
		}
	}
	if w.stream == nil {
		return nil, io.ErrUnexpectedEOF
	}
	// A simple file declares no canvas.
	if w.canvas == (image.Point{}) {
		w.canvas = w.size
	}
	if w.size.X < 1 || w.size.Y < 1 || w.at.X+w.size.X > w.canvas.X || w.at.Y+w.size.Y > w.canvas.Y {
		return nil, invalidImage("the WebP is damaged: its image does not fit its canvas")
	}
	f.Width, f.Height = w.canvas.X, w.canvas.Y
	f.decode = w.decode
	f.rescue = func(lib Library) (image.Image, error) {
		img, err := lib.Decode(w.file())
		if err != nil {
			return nil, err
		}
		return w.place(img), nil
	}
	return []frame{f}, nil
}

// riffChunk returns the kind and the data of the first chunk, and what follows it. The data is nil if the file does not hold
// all of it.
func riffChunk(data []byte) (kind string, chunk, rest []byte) {
	n := uint64(binary.LittleEndian.Uint32(data[4:]))
	if n > uint64(len(data)-8) {
		return "", nil, nil
	}
	chunk = data[8 : 8+n : 8+n]
	return string(data[:4]), chunk, data[min(8+n+n%2, uint64(len(data))):]
}

// take keeps the first bitstream, and the alpha channel that precedes it.
func (w *webpImage) take(kind string, chunk []byte) {
	switch {
	case w.stream != nil:
	case kind == "ALPH":
		w.alpha = chunk
	// The sides have 14 bits each; the two bits above them scale the image, which decoders ignore.
	case kind == "VP8 " && len(chunk) >= 10:
		w.kind, w.stream = kind, chunk
		w.size = image.Pt(int(binary.LittleEndian.Uint16(chunk[6:])&0x3fff), int(binary.LittleEndian.Uint16(chunk[8:])&0x3fff))
	case kind == "VP8L" && len(chunk) >= 5:
		bits := binary.LittleEndian.Uint32(chunk[1:])
		// A lossless stream has its own alpha.
		w.kind, w.stream, w.alpha = kind, chunk, nil
		w.size = image.Pt(int(bits&0x3fff)+1, int(bits>>14&0x3fff)+1)
	}
}

// file returns a file that has only this image.
func (w *webpImage) file() []byte {
	body := []byte("WEBP")
	if w.alpha != nil {
		header := make([]byte, 10)
		// The flag for alpha, three reserved bytes, and the size less one.
		header[0] = 1 << 4
		putUint24(header[4:], w.size.X-1)
		putUint24(header[7:], w.size.Y-1)
		body = appendChunk(body, "VP8X", header)
		body = appendChunk(body, "ALPH", w.alpha)
	}
	return appendChunk(nil, "RIFF", appendChunk(body, w.kind, w.stream))
}

// appendChunk appends a chunk of the container: its kind, the length of its data, and the data padded to an even length.
func appendChunk(to []byte, kind string, data []byte) []byte {
	to = append(to, kind...)
	to = binary.LittleEndian.AppendUint32(to, uint32(len(data)))
	to = append(to, data...)
	if len(data)%2 == 1 {
		to = append(to, 0)
	}
	return to
}

// decode passes the image to x/image as a separate file, because x/image does not read animations. It converts lossy colours
// itself.
func (w *webpImage) decode() (image.Image, error) {
	img, err := webp.Decode(bytes.NewReader(w.file()))
	if err != nil {
		return nil, err
	}
	switch lossy := img.(type) {
	case *image.YCbCr:
		img = studioToRGB(lossy, nil, 0)
	case *image.NYCbCrA:
		img = studioToRGB(&lossy.YCbCr, lossy.A, lossy.AStride)
	}
	return w.place(img), nil
}

// place draws a frame of an animation on its canvas, which is white.
func (w *webpImage) place(img image.Image) image.Image {
	if img.Bounds().Size() == w.canvas {
		return img
	}
	canvas := image.NewRGBA(image.Rectangle{Max: w.canvas})
	draw.Draw(canvas, canvas.Rect, image.White, image.Point{}, draw.Src)
	draw.Draw(canvas, image.Rectangle{Min: w.at, Max: w.at.Add(w.size)}, img, img.Bounds().Min, draw.Over)
	return canvas
}

// studioToRGB converts the colours of VP8, which are those of BT.601 with luma from 16 to 235 (RFC 6386, section 9.2). Go's
// YCbCr is that of JPEG, with luma from 0 to 255.
func studioToRGB(img *image.YCbCr, alpha []byte, alphaStride int) *image.NRGBA {
	to := image.NewNRGBA(img.Rect)
	for y := range img.Rect.Dy() {
		row := to.Pix[y*to.Stride:]
		for x := range img.Rect.Dx() {
			c := img.COffset(img.Rect.Min.X+x, img.Rect.Min.Y+y)
			// The factors of BT.601 have 8 binary places.
			luma := 298 * (int(img.Y[y*img.YStride+x]) - 16)
			cb, cr := int(img.Cb[c])-128, int(img.Cr[c])-128
			pixel := row[4*x : 4*x+4 : 4*x+4]
			pixel[0] = byteOf(luma + 409*cr)
			pixel[1] = byteOf(luma - 100*cb - 208*cr)
			pixel[2] = byteOf(luma + 516*cb)
			pixel[3] = 0xff
			if alpha != nil {
				pixel[3] = alpha[y*alphaStride+x]
			}
		}
	}
	return to
}

// byteOf rounds a number with 8 binary places to a byte.
func byteOf(v int) byte { return uint8(min(max((v+128)>>8, 0), 0xff)) }

// uint24 reads a 24-bit integer of the container, which is little-endian. putUint24 writes one.
func uint24(b []byte) int { return int(b[0]) | int(b[1])<<8 | int(b[2])<<16 }

func putUint24(b []byte, v int) { b[0], b[1], b[2] = byte(v), byte(v>>8), byte(v>>16) }

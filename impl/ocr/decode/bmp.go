package decode

import (
	"encoding/binary"
	"image"
	"image/color"
	"io"
	"math/bits"
)

// Values of biCompression. OS/2 has others under the same numbers; its headers have other sizes.
const (
	bmpUnknown        = -1
	bmpRGB            = 0
	bmpRLE8           = 1
	bmpRLE4           = 2
	bmpBitFields      = 3
	bmpAlphaBitFields = 6
)

// The layout of a BMP: a file header, the information header, masks or palette, and the pixels. The sizes are in bytes.
const (
	bmpFileHeader = 14
	bmpCore       = 12  // BITMAPCOREHEADER, also OS/2 1.x
	bmpOS2Min     = 16  // OS/2 2.x headers may end after any field
	bmpHasPalette = 36  // the smallest header with the number of colours
	bmpInfo       = 40  // BITMAPINFOHEADER, which masks may follow
	bmpV2         = 52  // with masks of three colours
	bmpOS2        = 64  // the complete header of OS/2 2.x
	bmpV4         = 108 // BITMAPV4HEADER
	bmpV5         = 124 // BITMAPV5HEADER
)

// bmp is a bitmap file of Windows (any header from BITMAPCOREHEADER to BITMAPV5HEADER) or OS/2. The decoder is our own: x/image
// reads neither 16 bits, RLE nor OS/2, and Leptonica 1.82 fails on 16 bits with masks, OS/2 and RLE8, so Leptonica never
// reads BMP. Rows are padded to 32 bits and stored from the bottom up, unless the height is negative.
type bmp struct {
	data []byte
	// header is the size of the information header, which identifies its version.
	header int
	width  int
	height int
	// topDown is true if the height was negative: the first stored row is the highest.
	topDown     bool
	depth       int // bits of a pixel
	compression int
	// masks are those of red, green, blue and alpha, for 16 to 32 bits.
	masks [4]uint32
	// palette holds the colours of an image of up to 8 bits a pixel. It may have fewer colours than the depth allows.
	palette color.Palette
	// pixels is the offset of the pixels.
	pixels int
}

// parseBMP reads the headers and the palette. The size of the header determines which fields it has. The pixels begin at the
// offset in the file header, or after everything else if that offset is not plausible.
func parseBMP(data []byte) ([]frame, error) {
	if len(data) < bmpFileHeader+bmpCore {
		return nil, io.ErrUnexpectedEOF
	}
	b := bmp{data: data, header: int(binary.LittleEndian.Uint32(data[14:])), pixels: int(binary.LittleEndian.Uint32(data[10:]))}
	f := frame{decode: b.decode}
	info := data[bmpFileHeader:]
	switch {
	case b.header == bmpCore:
		b.width, b.height = int(binary.LittleEndian.Uint16(info[4:])), int(binary.LittleEndian.Uint16(info[6:]))
		b.depth = int(binary.LittleEndian.Uint16(info[10:]))
	case b.header >= bmpOS2Min && b.header <= bmpOS2 || b.header == bmpV4 || b.header == bmpV5:
		if len(info) < b.header {
			return nil, io.ErrUnexpectedEOF
		}
		f.dpiX, f.dpiY = b.readInfo(info[:b.header])
	default:
		return nil, invalidImage("the BMP is damaged: its header has an unknown size")
	}
	f.Width, f.Height = b.width, b.height
	after := bmpFileHeader + b.header
	if b.header == bmpInfo {
		after += b.readMasks()
	}
	after = b.readPalette(info, after)
	if b.pixels < bmpFileHeader+b.header {
		b.pixels = after
	}
	return []frame{f}, nil
}

// readInfo reads a header other than bmpCore. Fields that a short header lacks are 0.
func (b *bmp) readInfo(info []byte) (dpiX, dpiY float64) {
	full := make([]byte, bmpV5) // so that every field can be read
	copy(full, info)
	field := func(at int) uint32 { return binary.LittleEndian.Uint32(full[at:]) }
	b.width = side(field(4))
	// -2^31 has no positive counterpart of 32 bits.
	height := int32(field(8))
	b.topDown = height < 0
	b.height = side(uint32(max(int64(height), -int64(height))))
	b.depth = int(binary.LittleEndian.Uint16(full[14:]))
	b.compression = int(field(16) & 0xff)
	if b.header == bmpOS2 && b.compression >= bmpBitFields {
		// Here the values mean Huffman and RLE24.
		b.compression = bmpUnknown
	}
	if b.header >= bmpV2 && b.header != bmpOS2 {
		for i := range b.masks {
			b.masks[i] = field(40 + 4*i)
		}
	}
	return inchesPerMetre * float64(int32(field(24))), inchesPerMetre * float64(int32(field(28)))
}

// readMasks reads the masks that follow a header of bmpInfo bytes, and returns their length in bytes.
func (b *bmp) readMasks() int {
	n := map[int]int{bmpBitFields: 3, bmpAlphaBitFields: 4}[b.compression]
	const at = bmpFileHeader + bmpInfo
	if len(b.data) < at+4*n {
		return 0
	}
	for i := range n {
		b.masks[i] = binary.LittleEndian.Uint32(b.data[at+4*i:])
	}
	return 4 * n
}

// readPalette reads the colours that precede the pixels, and returns the offset after them.
func (b *bmp) readPalette(info []byte, at int) int {
	if b.depth > 8 || b.depth < 1 {
		return at
	}
	size, n := 4, 1<<b.depth
	if b.header == bmpCore {
		size = 3
	} else if b.header >= bmpHasPalette {
		if used := int(binary.LittleEndian.Uint32(info[32:])); used > 0 {
			n = min(n, used)
		}
	}
	// The offset of the pixels bounds the palette, because the declared number of colours is often too large.
	if b.pixels > at {
		n = min(n, (b.pixels-at)/size)
	}
	for ; n > 0 && at+size <= len(b.data); n-- {
		b.palette = append(b.palette, color.NRGBA{b.data[at+2], b.data[at+1], b.data[at], 0xff})
		at += size
	}
	return at
}

// decode returns errKind for the compressions of OS/2, and for JPEG or PNG in a BMP.
func (b *bmp) decode() (image.Image, error) {
	if b.pixels > len(b.data) {
		return nil, io.ErrUnexpectedEOF
	}
	switch {
	case b.compression == bmpRLE8 && b.depth == 8, b.compression == bmpRLE4 && b.depth == 4:
		return b.runs()
	case b.compression == bmpRGB && (b.depth == 1 || b.depth == 2 || b.depth == 4 || b.depth == 8):
		return b.indices()
	case b.compression == bmpRGB && b.depth == 16:
		b.masks = [4]uint32{0x7c00, 0x03e0, 0x001f, 0}
		return b.fields()
	case b.compression == bmpRGB && (b.depth == 24 || b.depth == 32):
		// Without masks the fourth byte of a pixel often holds garbage instead of alpha.
		b.masks = [4]uint32{0xff0000, 0xff00, 0xff, 0}
		return b.fields()
	case (b.compression == bmpBitFields || b.compression == bmpAlphaBitFields) && (b.depth == 16 || b.depth == 32):
		return b.fields()
	}
	return nil, errKind
}

// row returns the bytes of a row of the image, counted from its top.
func (b *bmp) row(y int) ([]byte, error) {
	if !b.topDown {
		y = b.height - 1 - y
	}
	from := b.pixels + y*((b.width*b.depth+31)/32*4)
	to := from + (b.width*b.depth+7)/8
	if to > len(b.data) {
		return nil, io.ErrUnexpectedEOF
	}
	return b.data[from:to], nil
}

// indices reads pixels of up to 8 bits that are indices of the palette, the leftmost in the highest bits.
func (b *bmp) indices() (image.Image, error) {
	img := image.NewPaletted(image.Rect(0, 0, b.width, b.height), b.palette)
	for y := range b.height {
		row, err := b.row(y)
		if err != nil {
			return nil, err
		}
		for x := range b.width {
			at := x * b.depth
			img.Pix[y*img.Stride+x] = row[at/8] >> (8 - b.depth - at%8) & (1<<b.depth - 1)
		}
	}
	return img, nil
}

// fields reads pixels of 16, 24 or 32 bits, whose channels are at the positions that the masks give.
func (b *bmp) fields() (image.Image, error) {
	var channels [4]channel
	for i, mask := range b.masks {
		channels[i] = newChannel(mask)
		if i < 3 && mask == 0 || bits.OnesCount32(mask) != channels[i].bits {
			// A colour without bits, or with a gap between them.
			return nil, errKind
		}
	}
	img := image.NewNRGBA(image.Rect(0, 0, b.width, b.height))
	transparent := true
	for y := range b.height {
		row, err := b.row(y)
		if err != nil {
			return nil, err
		}
		for x := range b.width {
			pixel := img.Pix[y*img.Stride+4*x:][:4]
			v := littleUint(row[x*b.depth/8:], b.depth)
			for i, c := range channels {
				pixel[i] = c.of(v)
			}
			transparent = transparent && pixel[3] == 0
		}
	}
	if transparent {
		// The file has no alpha channel, or its writer never set it.
		for i := 3; i < len(img.Pix); i += 4 {
			img.Pix[i] = 0xff
		}
	}
	return img, nil
}

// littleUint returns a pixel of 16, 24 or 32 bits, which is stored in little-endian order.
func littleUint(b []byte, depth int) uint32 {
	switch depth {
	case 16:
		return uint32(binary.LittleEndian.Uint16(b))
	case 24:
		return uint32(b[0]) | uint32(b[1])<<8 | uint32(b[2])<<16
	default:
		return binary.LittleEndian.Uint32(b)
	}
}

// channel is the position of a colour in a pixel.
type channel struct{ shift, bits int }

// newChannel returns the channel from the lowest to the highest bit of a mask, gaps included.
func newChannel(mask uint32) channel {
	if mask == 0 {
		return channel{}
	}
	shift := bits.TrailingZeros32(mask)
	return channel{shift, 32 - bits.LeadingZeros32(mask) - shift}
}

// of returns the value of the channel in a pixel, scaled to 0..255. A channel without bits is 0.
func (c channel) of(v uint32) byte {
	if c.bits == 0 {
		return 0
	}
	full := uint64(1)<<c.bits - 1
	return byte((uint64(v>>c.shift)&full*0xff + full/2) / full)
}

// runs decodes RLE8 and RLE4. Skipped pixels get the first colour.
func (b *bmp) runs() (image.Image, error) {
	img := image.NewPaletted(image.Rect(0, 0, b.width, b.height), b.palette)
	x, y, rest := 0, 0, b.data[b.pixels:]
	// Each code is two bytes: a run's length and index, or 0 and an escape.
	for y < b.height {
		if len(rest) < 2 {
			return nil, io.ErrUnexpectedEOF
		}
		n, v := int(rest[0]), rest[1]
		rest = rest[2:]
		switch {
		case n > 0:
			for i := range min(n, max(b.width-x, 0)) {
				b.set(img, x+i, y, b.index([]byte{v}, i%(8/b.depth)))
			}
			x += n
		case v == 0:
			// End of the line.
			x, y = 0, y+1
		case v == 1:
			// End of the bitmap.
			return img, nil
		case v == 2:
			// Move right and down by the two bytes that follow.
			if len(rest) < 2 {
				return nil, io.ErrUnexpectedEOF
			}
			x, y, rest = x+int(rest[0]), y+int(rest[1]), rest[2:]
		default:
			// v literal indices, padded to 16 bits.
			size := (int(v)*b.depth + 15) / 16 * 2
			if len(rest) < size {
				return nil, io.ErrUnexpectedEOF
			}
			for i := range int(v) {
				b.set(img, x, y, b.index(rest, i))
				x++
			}
			rest = rest[size:]
		}
	}
	return img, nil
}

// index returns the i-th of the indices packed into bytes.
func (b *bmp) index(packed []byte, i int) byte {
	if b.depth == 8 {
		return packed[i]
	}
	return packed[i/2] >> (4 * (1 - i%2)) & 0xf
}

// set sets a pixel. It ignores those beyond the image.
func (b *bmp) set(img *image.Paletted, x, y int, index byte) {
	if !b.topDown {
		y = b.height - 1 - y
	}
	if x < b.width && y >= 0 && y < b.height {
		img.Pix[y*img.Stride+x] = index
	}
}

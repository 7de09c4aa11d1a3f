package decode

import (
	"bytes"
	"compress/zlib"
	"errors"
	"image"
	"io"
	"math/bits"
	"slices"

	"golang.org/x/image/ccitt"
	"golang.org/x/image/tiff/lzw"
)

// tiffImage is an image of a TIFF, as its directory describes it.
type tiffImage struct {
	*tiff
	d             directory
	width, height int
	// depth is the number of bits per sample: 1, 2, 4, 8 or 16.
	depth int
	// samples is the number of channels per pixel, extra ones included.
	samples     int
	photometric int
	compression int
	// separate is true if each sample has its own plane. predicted is true if rows hold differences between samples. reversed
	// is true if the lowest bit of a byte comes first.
	separate, predicted, reversed bool

	// blockWidth and blockHeight are the size of a strip or a tile in pixels; tiles at the right and lower edge reach beyond
	// the image.
	blockWidth, blockHeight int
	// offsets and counts say where the blocks are in the file, and how many bytes each has.
	offsets, counts []uint64
	// scanned is the number of pixels in the scans of the JPEG blocks that were decoded.
	scanned int
}

// decode reads an image of any layout: strips or tiles, of pixels or of planes. Samples are reduced to 8 bits row by row, on
// their way into the image.
func (t *tiff) decode(d directory, width, height int) (image.Image, error) {
	m := &tiffImage{tiff: t, d: d, width: width, height: height}
	if err := m.describe(); err != nil {
		return nil, err
	}
	c, err := m.canvas()
	if err != nil {
		return nil, err
	}
	across := (width + m.blockWidth - 1) / m.blockWidth
	down := (height + m.blockHeight - 1) / m.blockHeight
	planeCount, each := 1, m.samples
	if m.separate {
		planeCount, each = m.samples, 1
	}
	// Blocks are stored plane after plane, each from left to right and top to bottom.
	if need := across * down * planeCount; len(m.offsets) < need || len(m.counts) < need {
		return nil, errTIFF
	}
	for i := range across * down * planeCount {
		plane, at := i/(across*down), i%(across*down)
		if plane >= len(c.to) {
			break // extra samples are not shown
		}
		b := block{x: at % across * m.blockWidth, y: at / across * m.blockHeight, first: plane, samples: each}
		b.columns, b.rows = min(m.blockWidth, width-b.x), min(m.blockHeight, height-b.y)
		raw := t.part(m.offsets[i], m.counts[i])
		if raw == nil {
			return nil, io.ErrUnexpectedEOF
		}
		read := m.readRows
		if m.compression == jpegCoded {
			read = m.readJPEG
		}
		if err := read(c, b, raw); err != nil {
			return nil, err
		}
	}
	return c.image, nil
}

// block is the part of the image that one strip or tile covers.
type block struct {
	x, y, columns, rows int // of the image; a tile may reach beyond it
	first, samples      int // the first sample that the block holds, and how many
}

// describe reads the tags. It returns errKind for an image that this decoder does not know.
func (m *tiffImage) describe() error {
	d := m.d
	m.samples = int(d.first(tagSamplesPerPixel, 1))
	m.compression = int(d.first(tagCompression, uncompressed) & 0xffff)
	photometric := d.first(tagPhotometric, map[bool]uint64{true: blackIsZero, false: rgb}[m.samples < 3])
	m.photometric = int(photometric & 0xffff)
	m.separate = d.first(tagPlanarConfig, 1) == planes && m.samples > 1
	m.reversed = d.first(tagFillOrder, 1) == lowestFirst
	depths := d.numbers(tagBitsPerSample) // one for each sample
	if len(depths) == 0 {
		depths = []uint64{1}
	}
	m.depth = int(depths[0] & 0xff)
	switch {
	case slices.ContainsFunc(depths, func(n uint64) bool { return n != depths[0] }), !slices.Contains([]int{1, 2, 4, 8, 16}, m.depth):
		return errKind
	case m.samples < 1, m.photometric == yCbCr && m.compression != jpegCoded, m.compression == jpegCoded && m.depth != 8:
		return errKind
	// Group 4 codes one bit per pixel.
	case m.compression == fax4 && (m.samples != 1 || m.depth != 1):
		return errKind
	case m.photometric == separated && d.first(tagInkSet, cmyk) != cmyk:
		return errKind
	}
	// The predictor only counts with compressions that benefit from it (TIFF 6.0, section 14).
	switch d.first(tagPredictor, 1) {
	case 1:
	case horizontal:
		m.predicted = m.compression == lzwCoded || m.compression == deflated || m.compression == oldDeflated
		if m.predicted && m.depth < 8 {
			return errKind
		}
	default:
		return errKind
	}
	return m.describeBlocks()
}

// describeBlocks reads where the strips or tiles are. A file without the number of rows in a strip has one strip.
func (m *tiffImage) describeBlocks() error {
	d := m.d
	if d.entries[tagTileWidth].kind != 0 {
		m.blockWidth, m.blockHeight = int(d.first(tagTileWidth, 0)), int(d.first(tagTileLength, 0))
		m.offsets, m.counts = d.numbers(tagTileOffsets), d.numbers(tagTileByteCounts)
		return nil
	}
	height := uint64(m.height)
	rows := min(d.first(tagRowsPerStrip, height), height)
	if rows == 0 {
		return errTIFF
	}
	m.blockWidth, m.blockHeight = m.width, int(rows)
	m.offsets, m.counts = d.numbers(tagStripOffsets), d.numbers(tagStripByteCounts)
	// Old writers omit the byte count of a single strip.
	if len(m.offsets) == 1 && len(m.counts) == 0 && m.offsets[0] < uint64(len(m.data)) {
		m.counts = []uint64{uint64(len(m.data)) - m.offsets[0]}
	}
	return nil
}

// readRows decodes a block of any compression that gives rows of samples.
func (m *tiffImage) readRows(c *canvas, b block, raw []byte) error {
	if m.reversed && m.compression != fax4 {
		raw = slices.Clone(raw)
		for i := range raw {
			raw[i] = bits.Reverse8(raw[i])
		}
	}
	r, err := m.decompress(raw, b.rows)
	if errors.Is(err, errKind) {
		return err
	}
	if err != nil {
		return errTIFF
	}
	row := make([]byte, (m.blockWidth*b.samples*m.depth+7)/8)
	for y := b.y; y < b.y+b.rows; y++ {
		if _, err := io.ReadFull(r, row); err != nil {
			return errTIFF
		}
		if m.predicted {
			m.undoPrediction(row, b.samples)
		}
		m.put(c, row, y, b)
	}
	return nil
}

// decompress returns the rows of a block, uncompressed. Readers stop at the rows that the caller asks for, so that a block
// cannot inflate beyond its size.
func (m *tiffImage) decompress(raw []byte, rows int) (io.Reader, error) {
	src := bytes.NewReader(raw)
	switch m.compression {
	case uncompressed:
		return src, nil
	case lzwCoded:
		if len(raw) > 1 && raw[0] == 0 && raw[1]&1 == 1 {
			// The codes have the bit order of TIFF 4.0 and earlier.
			return nil, errKind
		}
		return lzw.NewReader(src, lzw.MSB, 8), nil
	case deflated, oldDeflated:
		return zlib.NewReader(src)
	case packBits:
		return &unpacker{src: raw}, nil
	case fax4:
		order := ccitt.MSB
		if m.reversed {
			order = ccitt.LSB
		}
		return ccitt.NewReader(src, order, ccitt.Group4, m.blockWidth, rows, &ccitt.Options{Invert: true}), nil // white is 0 in TIFF
	}
	return nil, errKind
}

// undoPrediction adds to each sample the same sample of the previous pixel (TIFF 6.0, section 14).
func (m *tiffImage) undoPrediction(row []byte, samples int) {
	if m.depth == 8 {
		for i := samples; i < len(row); i++ {
			row[i] += row[i-samples]
		}
		return
	}
	for i := 2 * samples; i+1 < len(row); i += 2 {
		m.order.PutUint16(row[i:], m.order.Uint16(row[i:])+m.order.Uint16(row[i-2*samples:]))
	}
}

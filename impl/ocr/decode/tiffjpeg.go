package decode

import (
	"bytes"
	"errors"
	"image"
	"image/draw"
	"image/jpeg"
	"slices"
)

// readJPEG decodes a block that is a JPEG. Its tables may be in the tag JPEGTables (TIFF technical note 2).
func (m *tiffImage) readJPEG(c *canvas, b block, raw []byte) error {
	if m.photometric == separated || m.photometric == paletted || len(raw) < 4 {
		return errKind
	}
	stream := raw
	if tables := m.d.entries[tagJPEGTables].value; len(tables) > 4 {
		// Drop the end marker of the tables and the start marker of the block.
		stream = slices.Concat(tables[:len(tables)-2], raw[2:])
	}
	if !bytes.HasPrefix(stream, []byte("\xff\xd8\xff")) {
		return errTIFF
	}
	frames, err := parseJPEG(stream)
	if err != nil {
		return err
	}
	f := frames[0]
	if f.Width != m.blockWidth || f.Height < b.rows || f.Height > m.blockHeight {
		// A small block must not make the decoder allocate a large image.
		return errTIFF
	}
	// All blocks together must not cost more than one JPEG may: blocks can share their bytes.
	if m.scanned += f.scans * f.Width * f.Height; m.scanned > maxScanPixels && f.scans > 1 {
		return invalidImage("the TIFF has blocks that are progressive JPEGs with too many scans; save it with baseline JPEG or another compression")
	}
	img, err := jpeg.Decode(bytes.NewReader(stream))
	if _, ok := errors.AsType[jpeg.UnsupportedError](err); ok {
		return errKind
	}
	if err != nil {
		return errTIFF
	}
	return m.putImage(c, b, img)
}

// putImage writes a decoded block to the canvas. The decoder takes three channels for luma and chroma, but the TIFF may declare
// that they are red, green and blue.
func (m *tiffImage) putImage(c *canvas, b block, img image.Image) error {
	if grey, ok := img.(*image.Gray); ok && b.samples == 1 {
		m.putPlane(c, b, grey.Pix, grey.Stride)
		return nil
	}
	if b.samples != 3 {
		return errKind
	}
	ycc, ok := img.(*image.YCbCr)
	// Red, green and blue are never subsampled.
	if ok && m.photometric == rgb && ycc.SubsampleRatio == image.YCbCrSubsampleRatio444 {
		for s, plane := range [][]byte{ycc.Y, ycc.Cb, ycc.Cr} {
			one := b
			one.first, one.samples = s, 1
			m.putPlane(c, one, plane, ycc.YStride)
		}
		return nil
	}
	draw.Draw(c.image.(draw.Image), image.Rect(b.x, b.y, b.x+b.columns, b.y+b.rows), img, image.Point{}, draw.Src)
	return nil
}

// putPlane writes a block of one sample per pixel, of one byte each.
func (m *tiffImage) putPlane(c *canvas, b block, pix []byte, stride int) {
	for y := range b.rows {
		m.put(c, pix[y*stride:], b.y+y, b)
	}
}

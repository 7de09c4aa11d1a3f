package decode

import (
	"image"
	"slices"

	"uncial/internal/contract/imagefile"
)

// Tags of TIFF 6.0. Those that say how to display an image are in exif.go.
const (
	tagNewSubfileType  = 254
	tagSubfileType     = 255
	tagImageWidth      = 256
	tagImageLength     = 257
	tagBitsPerSample   = 258
	tagCompression     = 259
	tagPhotometric     = 262
	tagFillOrder       = 266
	tagStripOffsets    = 273
	tagSamplesPerPixel = 277
	tagRowsPerStrip    = 278
	tagStripByteCounts = 279
	tagPlanarConfig    = 284
	tagPredictor       = 317
	tagColorMap        = 320
	tagTileWidth       = 322
	tagTileLength      = 323
	tagTileOffsets     = 324
	tagTileByteCounts  = 325
	tagInkSet          = 332
	tagExtraSamples    = 338
	tagSampleFormat    = 339
	tagJPEGTables      = 347
)

// Values of the tags of TIFF 6.0 and of its technical notes.
const (
	// PhotometricInterpretation.
	whiteIsZero, blackIsZero, rgb, paletted, separated, yCbCr = 0, 1, 2, 3, 5, 6

	// Compression, those of TIFF 6.0 and then those registered later.
	uncompressed, fax2, fax3, fax4, lzwCoded, oldJPEG, jpegCoded, deflated = 1, 2, 3, 4, 5, 6, 7, 8
	packBits, oldDeflated, lzma, zstandard                                 = 32773, 32946, 34925, 50000

	// ExtraSamples: alpha, premultiplied or not.
	associated, unassociated = 1, 2
	// SampleFormat.
	signed, floating = 2, 3
	// PlanarConfiguration, FillOrder, Predictor and InkSet.
	planes, lowestFirst, horizontal, cmyk = 2, 2, 2, 1
	// NewSubfileType, a set of bits, and SubfileType, which it replaced.
	reducedOrMask, reduced = 1 | 4, 2
)

// libraryKinds are the compressions of TIFF that the library decodes. For some other compressions, the library returns a black
// image instead of an error.
var libraryKinds = []uint64{
	uncompressed, fax2, fax3, fax4, lzwCoded, oldJPEG, jpegCoded, deflated, packBits, oldDeflated, lzma, zstandard,
}

// parseTIFF reads the chain of directories, each of which describes an image: its size, the layout of its pixels, and the
// offsets of its strips or tiles. Reduced images and masks are not pages, unless the file has nothing else.
func parseTIFF(data []byte) ([]frame, error) {
	t, err := newTIFF(data)
	if err != nil {
		return nil, invalidImage("the TIFF is damaged: its header is broken")
	}
	var pages, others []frame // others are reduced images and masks
	seen := map[uint64]bool{} // offsets of directories, to detect loops
	for offset := t.first; offset != 0 || len(seen) == 0; {
		if seen[offset] {
			return nil, invalidImage("the TIFF is damaged: its directories form a loop")
		}
		if seen[offset] = true; len(seen) > maxDirectories {
			return nil, invalidImage("the TIFF has more than %d directories; send at most %d pages", maxDirectories, imagefile.MaxPages)
		}
		d, next, err := t.directory(offset)
		if err != nil {
			return nil, invalidImage("the TIFF is cut short or damaged: a directory is missing; send the whole file")
		}
		f, err := t.frame(d, offset)
		if err != nil {
			return nil, err
		}
		if d.first(tagNewSubfileType, 0)&reducedOrMask != 0 || d.first(tagSubfileType, 1) == reduced {
			others = append(others, f)
		} else {
			pages = append(pages, f)
		}
		offset = next
	}
	if len(pages) == 0 {
		pages = others[:1]
	}
	return pages, nil
}

// frame reads a directory's description of its image. It refuses images that would cost a decoder too much time or memory.
func (t *tiff) frame(d directory, offset uint64) (frame, error) {
	f := frame{Size: imagefile.Size{
		Width:  int(min(d.first(tagImageWidth, 0), hugeSide)),
		Height: int(min(d.first(tagImageLength, 0), hugeSide)),
	}}
	// The library reads one image at a time, by the offset of its directory.
	f.rescue = func(lib Library) (image.Image, error) {
		if !slices.Contains(libraryKinds, d.first(tagCompression, uncompressed)) {
			return nil, errKind
		}
		return lib.DecodeTIFF(t.withoutOrientation(d), offset)
	}
	f.decode = func() (image.Image, error) {
		// Checked only now, because counting takes time in proportion to the length of the tag.
		if d.coded() > maxCoded {
			return nil, errTIFF
		}
		return t.decode(d, f.Width, f.Height)
	}
	f.readPresentation(d)
	// These images would take memory or time out of proportion to the page, or hold measurements instead of a picture.
	if samples := d.first(tagSamplesPerPixel, 1); samples > maxSamples {
		return frame{}, invalidImage("the TIFF has %d channels; at most %d are allowed", samples, maxSamples)
	}
	if format := d.first(tagSampleFormat, 1); format == signed || format == floating {
		return frame{}, invalidImage("the TIFF holds signed or floating-point numbers; save it with 8 or 16 bits a channel")
	}
	if d.entries[tagTileWidth].kind != 0 {
		w, h := d.first(tagTileWidth, 0), d.first(tagTileLength, 0)
		if w == 0 || h == 0 || w%16 != 0 || h%16 != 0 || w > maxTileSide || h > maxTileSide || w*h > max(maxTile, uint64(f.Width)*uint64(f.Height)) {
			return frame{}, invalidImage("the TIFF has tiles of %d x %d pixels; save it with tiles of 256 x 256 or with strips", w, h)
		}
	}
	return f, nil
}

// coded returns the total number of bytes in all strips or tiles. It stops counting above maxCoded.
func (d directory) coded() uint64 {
	sum := uint64(0)
	for _, tag := range []uint16{tagStripByteCounts, tagTileByteCounts} {
		for _, n := range d.numbers(tag) {
			if sum += min(n, maxCoded); sum > maxCoded {
				return sum
			}
		}
	}
	return sum
}

// withoutOrientation returns the file with the orientation removed from a directory, because the library would apply it.
func (t *tiff) withoutOrientation(d directory) []byte {
	e := d.entries[tagOrientation]
	if e.kind != kindShort || len(e.value) < 2 || d.first(tagOrientation, 1) == 1 {
		return t.data
	}
	data := slices.Clone(t.data)
	t.order.PutUint16(data[e.at:], 1)
	return data
}

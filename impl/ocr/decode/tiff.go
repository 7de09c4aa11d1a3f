package decode

import (
	"image"
	"slices"

	"uncial/impl/ocr"
)

// maxDirectories bounds the chain of a TIFF, in which reduced images and masks count as well.
const maxDirectories = 100

// Tags of TIFF 6.0.
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

// Bounds of what a directory may ask for, so that the memory of a decoder is bounded by the size of the page.
const (
	maxSamples = 8       // channels
	maxTile    = 1 << 22 // pixels, unless the page is larger
	// maxCoded is how many bytes the strips or tiles have together. Some writers let equal ones share their bytes; without
	// a bound thousands of strips, each of them all of the file, would keep any decoder busy for hours.
	maxCoded = 16 * ocr.MaxBytes
)

// libraryKinds are the compressions of TIFF that a library is asked for. What it cannot decode may come out black instead
// of as an error.
var libraryKinds = map[uint64]bool{
	1: true, 2: true, 3: true, 4: true, 5: true, 6: true, 7: true, 8: true, 32773: true, 32946: true,
	34925: true, 50000: true, // LZMA, Zstandard
}

// parseTIFF reads the chain of directories. Reduced images and masks are no pages.
func parseTIFF(data []byte) ([]frame, error) {
	t, err := newTIFF(data)
	if err != nil {
		return nil, fault("the TIFF is damaged: its header is broken")
	}
	var pages, others []frame
	seen := map[uint64]bool{}
	for offset := t.first; offset != 0 || len(seen) == 0; {
		if seen[offset] {
			return nil, fault("the TIFF is damaged: its directories form a loop")
		}
		if seen[offset] = true; len(seen) > maxDirectories {
			return nil, fault("the TIFF has more than %d directories; send at most %d pages", maxDirectories, 10)
		}
		d, next, err := t.directory(offset)
		if err != nil {
			return nil, fault("the TIFF is cut short or damaged: a directory is missing; send the whole file")
		}
		f, err := t.frame(d, offset)
		if err != nil {
			return nil, err
		}
		if reduced := d.first(tagNewSubfileType, 0)&5 != 0 || d.first(tagSubfileType, 1) == 2; reduced {
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

// frame reads what a directory says of its image, and refuses what would ask too much of a decoder.
func (t *tiff) frame(d directory, offset uint64) (frame, error) {
	f := frame{
		width:  side(uint32(min(d.first(tagImageWidth, 0), 1<<31))),
		height: side(uint32(min(d.first(tagImageLength, 0), 1<<31))),
	}
	f.rescue = func(lib Library) (image.Image, error) {
		if !libraryKinds[d.first(tagCompression, 1)] {
			return nil, errKind
		}
		return lib.DecodeTIFF(t.unturned(d), offset)
	}
	f.decode = func() (image.Image, error) {
		if d.coded() > maxCoded {
			return nil, errTIFF
		}
		return t.decode(d, f.width, f.height)
	}
	f.readPresentation(d)
	if samples := d.first(tagSamplesPerPixel, 1); samples > maxSamples {
		return frame{}, fault("the TIFF has %d channels; at most %d are allowed", samples, maxSamples)
	}
	if format := d.first(tagSampleFormat, 1); format == 2 || format == 3 {
		return frame{}, fault("the TIFF holds signed or floating-point numbers; save it anew with 8 or 16 bits a channel")
	}
	if d.entries[tagTileWidth].kind != 0 {
		w, h := d.first(tagTileWidth, 0), d.first(tagTileLength, 0)
		if w == 0 || h == 0 || w%16 != 0 || h%16 != 0 || w > 1<<16 || h > 1<<16 || w*h > max(maxTile, uint64(f.width)*uint64(f.height)) {
			return frame{}, fault("the TIFF has tiles of %d x %d pixels; save it anew with tiles of 256 x 256 or with strips", w, h)
		}
	}
	return f, nil
}

// coded is how many bytes all strips or tiles have together, and no more than is too many.
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

// unturned is the file with the orientation taken out of a directory, for libraries that would honour it.
func (t *tiff) unturned(d directory) []byte {
	e := d.entries[tagOrientation]
	if e.kind != 3 || len(e.value) < 2 || d.first(tagOrientation, 1) == 1 {
		return t.data
	}
	data := slices.Clone(t.data)
	t.order.PutUint16(data[e.at:], 1)
	return data
}

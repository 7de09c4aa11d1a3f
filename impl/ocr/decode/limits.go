package decode

import (
	"math"

	"uncial/internal/contract/imagefile"
)

// The limits of bytes, pages, pixels and sides are those of the contract (imagefile). The limits here keep the work and the
// memory of a decoder in proportion to the size of the file and of its pages.
const (
	// maxScans is the maximum number of scans of a progressive JPEG, and maxScanPixels the maximum product of scans and pixels.
	// Encoders write about 10 scans; files with many more are usually attacks. Each scan costs a pass over all coefficients,
	// however little it holds: 3,000 scans in 241 KB take any decoder 7 to 22 seconds, and 20 scans of 100 megapixels 10
	// seconds.
	maxScans, maxScanPixels = 100, 2_000_000_000
	// maxDirectories is the maximum number of directories of a TIFF, including those of reduced images and masks.
	maxDirectories = 100
	// maxEntries is the maximum number of tags of a TIFF directory. Real files have a few dozen.
	maxEntries = 4096
	// maxSamples is the maximum number of channels of a TIFF. maxTile is the maximum number of pixels of a tile that is larger
	// than the page, and maxTileSide the maximum length of a tile's side in pixels.
	maxSamples, maxTile, maxTileSide = 8, 1 << 22, 1 << 16
	// maxCoded is the maximum total of bytes in the strips or tiles of a TIFF. Some writers let equal strips share their bytes.
	// Without the limit, thousands of strips, each of them the whole file, would keep any decoder busy for hours.
	maxCoded = 16 * imagefile.MaxBytes
	// minDPI and maxDPI bound plausible resolutions, in dots per inch. If libvips does not know the resolution, it writes one
	// pixel per millimetre (25 DPI).
	minDPI, maxDPI = 30, 10_000
	// hugeSide replaces larger sides, so that the product of two sides fits 64 bits.
	hugeSide = math.MaxInt32
)

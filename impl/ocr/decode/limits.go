package decode

import "uncial/internal/contract/imagefile"

// The limits of files, pages and sides are the contract's (imagefile). Those here bound the work and the memory of a decoder
// by the size of the file and of its pages.
const (
	// maxScans and maxScanPixels bound the scans of a progressive JPEG, and their product with the pixels. Encoders write
	// about 10 scans; finer scripts are far rarer than files made to keep decoders busy. Each scan costs a pass over all
	// coefficients, however little it holds: 3,000 scans in 241 KB take any decoder 7 to 22 seconds, and 20 scans of 100
	// megapixels 10 seconds.
	maxScans, maxScanPixels = 100, 2_000_000_000
	// maxDirectories bounds the chain of a TIFF, in which reduced images and masks count too.
	maxDirectories = 100
	// maxEntries bounds the tags of a TIFF directory. No writer comes near it.
	maxEntries = 4096
	// maxSamples bounds the channels of a TIFF, maxTile the pixels of a tile that is larger than the page, and maxTileSide its
	// sides.
	maxSamples, maxTile, maxTileSide = 8, 1 << 22, 1 << 16
	// maxCoded bounds the bytes that the strips or tiles of a TIFF have together. Some writers let equal ones share their
	// bytes; without a bound thousands of strips, each of them the whole file, would keep any decoder busy for hours.
	maxCoded = 16 * imagefile.MaxBytes
	// minDPI and maxDPI bound plausible resolutions, in dots per inch. libvips writes one pixel per millimetre, 25 DPI, if it knows
	// no resolution.
	minDPI, maxDPI = 30, 10_000
	// hugeSide replaces larger sides, so that the product of two sides fits an int on any machine.
	hugeSide = 1 << 30
)

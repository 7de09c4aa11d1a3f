package decode

// Inspect reads the headers without decoding the pixels.
var Inspect = inspect

// ReadJPEGBlock decodes a block of a grey TIFF that is a JPEG and has as many rows and columns as side, after blocks with that
// many pixels in all scans.
func ReadJPEGBlock(raw []byte, side, scanned int) error {
	m := &tiffImage{tiff: &tiff{}, width: side, height: side, samples: 1, photometric: blackIsZero, blockWidth: side, blockHeight: side, scanned: scanned}
	return m.readJPEG(nil, block{rows: side, columns: side, samples: 1}, raw)
}

// MaxScanPixels is the maximum product of scans and pixels.
const MaxScanPixels = maxScanPixels

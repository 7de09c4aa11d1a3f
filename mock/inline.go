package mock

import (
	"bytes"
	"context"
	"errors"
	"image"
	"image/jpeg"
	_ "image/png" // with the others the formats that the service reads
	"slices"

	"golang.org/x/image/bmp"
	"golang.org/x/image/tiff"
	_ "golang.org/x/image/webp"

	"uncial/internal/contract/imagefile"
	"uncial/internal/request"
)

// Limits of an image, those of the service.
const (
	maxSide   = 32_767 // pixels
	maxPixels = 100_000_000
)

const notAnImage = "the file is not an image in a known format; send JPEG, PNG, TIFF, BMP or WebP"

// imageMagic is how the formats begin that the service reads: JPEG, PNG, TIFF, BigTIFF, BMP and WebP. A "?" is any byte.
var imageMagic = []string{
	"\xff\xd8\xff", "\x89PNG\r\n\x1a\n", "II*\x00", "MM\x00*", "II+\x00", "MM\x00+", "BM?????????????\x00\x00\x00", "RIFF????WEBP",
}

// isImage tells an image by its first bytes, as the service does.
func isImage(data []byte) bool {
	return slices.ContainsFunc(imageMagic, func(magic string) bool {
		for i := range len(magic) {
			if i >= len(data) || magic[i] != '?' && magic[i] != data[i] {
				return false
			}
		}
		return true
	})
}

// inlineFault says what is wrong with the image that the request carries, "" if its header is that of a good image, or if
// imageURL is a web address. Pixels are not looked at.
func inlineFault(ctx context.Context, imageURL string) string {
	data, ok := request.InlineImage(ctx, imageURL)
	switch {
	case !ok:
		return ""
	case len(data) > imagefile.MaxBytes:
		return imagefile.TooLarge(imagefile.MaxBytes).Error()
	case !isImage(data):
		return notAnImage
	}
	header, _, err := image.DecodeConfig(bytes.NewReader(data))
	switch {
	case beyondGo(err):
		return ""
	case err != nil || header.Width < 1 || header.Height < 1:
		return "the image is damaged: its header cannot be read"
	case header.Width > maxSide || header.Height > maxSide:
		return "the image is too large; at most 32,767 pixels a side are allowed"
	case header.Width*header.Height > maxPixels:
		return "the image is too large; at most 100 megapixels are allowed"
	}
	return ""
}

// beyondGo tells whether the error speaks of Go's decoders rather than of the file. The service reads more than they do:
// BigTIFF, and more kinds of TIFF, BMP and JPEG.
func beyondGo(err error) bool {
	return errors.Is(err, image.ErrFormat) || errors.Is(err, bmp.ErrUnsupported) ||
		errors.As(err, new(tiff.UnsupportedError)) || errors.As(err, new(tiff.FormatError)) || errors.As(err, new(jpeg.UnsupportedError))
}

package mock

import (
	"bytes"
	"encoding/base64"
	"image"
	_ "image/jpeg" // the formats that the service reads
	_ "image/png"
	"strings"

	_ "golang.org/x/image/bmp"
	_ "golang.org/x/image/tiff"
	_ "golang.org/x/image/webp"
)

// Limits of an image, those of the service.
const (
	maxImage  = 20 << 20 // bytes
	maxSide   = 32_767   // pixels
	maxPixels = 100_000_000
)

const notAnImage = "the file is not an image in a known format; send JPEG, PNG, TIFF, BMP or WebP"

// inlineFault says what is wrong with the image in a data: URL of good shape, "" where its header is that of a good
// image and for any other URL. Pixels are not looked at.
func inlineFault(imageURL string) string {
	if len(imageURL) < len("data:") || !strings.EqualFold(imageURL[:len("data:")], "data:") {
		return ""
	}
	_, payload, _ := strings.Cut(imageURL, ",")
	data, err := base64.StdEncoding.Strict().DecodeString(payload)
	switch {
	case err != nil:
		return "the data: URL is not valid base64; is it cut off?"
	case len(data) > maxImage:
		return "the image has more than 20 MiB; at most 20 MiB is accepted"
	}
	header, name, err := image.DecodeConfig(bytes.NewReader(data))
	switch {
	case name == "" && err != nil:
		return notAnImage
	case err != nil || header.Width < 1 || header.Height < 1:
		return "the image is damaged: its header cannot be read"
	case header.Width > maxSide || header.Height > maxSide:
		return "the image is too large; at most 32,767 pixels a side are allowed"
	case header.Width*header.Height > maxPixels:
		return "the image is too large; at most 100 megapixels are allowed"
	}
	return ""
}

package mock

import (
	"bytes"
	"context"
	"errors"
	"image"
	"image/jpeg"
	_ "image/png" // registers the decoder, like the import of webp below

	"golang.org/x/image/bmp"
	"golang.org/x/image/tiff"
	_ "golang.org/x/image/webp"

	"uncial/internal/contract/imagefile"
	"uncial/internal/request"
)

// inlineFault returns why the service would refuse the image that the request carries in a data: URL, or "" if it would not.
// Like the service before it decodes, it checks the format by the first bytes and the size by the header; pixels are not
// decoded, so that damage after the header is not noticed. It returns "" for a web address.
func inlineFault(ctx context.Context, imageURL string) string {
	data, ok := request.InlineImage(ctx, imageURL)
	if !ok {
		return ""
	}
	kind, err := imagefile.Identify(data)
	if err != nil {
		return err.Error()
	}
	header, _, err := image.DecodeConfig(bytes.NewReader(data))
	if isBeyondGo(err) {
		return ""
	}
	if err != nil {
		return "the image is damaged: its header cannot be read"
	}
	if err := imagefile.CheckPages(kind, []imagefile.Size{{Width: header.Width, Height: header.Height}}); err != nil {
		return err.Error()
	}
	return ""
}

// isBeyondGo reports whether the error is about Go's decoders and not about the file. The service has more decoders: it
// reads BigTIFF, and more kinds of TIFF, BMP and JPEG.
func isBeyondGo(err error) bool {
	return errors.Is(err, image.ErrFormat) || errors.Is(err, bmp.ErrUnsupported) ||
		errors.As(err, new(tiff.UnsupportedError)) || errors.As(err, new(tiff.FormatError)) || errors.As(err, new(jpeg.UnsupportedError))
}

package mock

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"image"
	"image/jpeg"
	_ "image/png" // registers the decoder, like the import of webp below

	"golang.org/x/image/bmp"
	"golang.org/x/image/tiff"
	_ "golang.org/x/image/webp"

	"uncial/internal/contract/imagefile"
	"uncial/internal/request"
)

// inlineProblem returns why the service would refuse the image that the request carries in a data: URL, or "" if it would not.
// Like the service before it decodes, it checks the format by the first bytes and the size by the header; pixels are not
// decoded, so that damage after the header is not noticed. It returns "" for a web address.
func inlineProblem(ctx context.Context, imageURL string) string {
	data, ok := request.InlineImage(ctx, imageURL)
	if !ok {
		return ""
	}
	kind, err := imagefile.Identify(data)
	if err != nil {
		return err.Error()
	}
	if pages, problem, ok := tiffPages(data); ok && kind == imagefile.TIFF {
		if err := imagefile.CheckPages(kind, pages); problem == "" && err != nil {
			return err.Error()
		}
		return problem
	}
	header, _, err := image.DecodeConfig(bytes.NewReader(data))
	if isBeyondGo(err) && hasHeader(kind, data) {
		return ""
	}
	if err != nil {
		if kind == imagefile.TIFF {
			return "the TIFF is cut short or damaged: a directory is missing; send the whole file"
		}
		return fmt.Sprintf("the %s is cut short; send the whole file", kind)
	}
	if err := imagefile.CheckPages(kind, []imagefile.Size{{Width: header.Width, Height: header.Height}}); err != nil {
		return err.Error()
	}
	return ""
}

// isBeyondGo reports whether the error is a limitation of Go's decoders, not a defect of the file. The service has more
// decoders: it reads BigTIFF, and more kinds of TIFF, BMP and JPEG.
func isBeyondGo(err error) bool {
	return errors.Is(err, image.ErrFormat) || errors.Is(err, bmp.ErrUnsupported) ||
		errors.As(err, new(tiff.UnsupportedError)) || errors.As(err, new(tiff.FormatError)) || errors.As(err, new(jpeg.UnsupportedError))
}

// hasHeader reports whether a file that Go's decoders cannot read has at least a header.
func hasHeader(kind imagefile.Format, data []byte) bool {
	const bmpHeader, bigTIFFHeader = 26, 16 // bytes
	switch kind {
	case imagefile.BMP:
		return len(data) >= bmpHeader
	case imagefile.TIFF:
		return len(data) >= bigTIFFHeader && (data[2]|data[3]) == '+'
	case imagefile.JPEG:
		return true // another kind of compression
	}
	return false
}

// tiffPages returns the sizes of the pages of a TIFF, by its directories (TIFF 6.0, section 2), and what is wrong with these.
// Like the service, it counts reduced images and masks only if the file has nothing else. ok is false if the directories cannot
// be read, or if the file is a BigTIFF.
func tiffPages(data []byte) (pages []imagefile.Size, problem string, ok bool) {
	const kindTag, oldKindTag, widthTag, heightTag, shortType = 254, 255, 256, 257, 3
	const reducedOrMask, oldReduced = 1 | 4, 2 // values of the kind
	const maxDirectories = 100
	var order binary.ByteOrder = binary.LittleEndian
	if len(data) < 8 {
		return nil, "", false
	}
	if data[0] == 'M' {
		order = binary.BigEndian
	}
	if order.Uint16(data[2:]) != 42 {
		return nil, "", false
	}
	var others []imagefile.Size // reduced images and masks
	seen := map[int64]bool{}
	for at := int64(order.Uint32(data[4:])); at != 0; {
		if seen[at] {
			return nil, "the TIFF is damaged: its directories form a loop", true
		}
		if seen[at] = true; len(seen) > maxDirectories {
			return nil, fmt.Sprintf("the TIFF has more than %d directories; send at most %d pages", maxDirectories, imagefile.MaxPages), true
		}
		if at+2 > int64(len(data)) {
			return nil, "", false
		}
		n := int64(order.Uint16(data[at:]))
		if at+2+12*n+4 > int64(len(data)) {
			return nil, "", false
		}
		var size imagefile.Size
		isPage := true
		for i := range n {
			entry := data[at+2+12*i:]
			value := int(order.Uint32(entry[8:]))
			if order.Uint16(entry[2:]) == shortType {
				value = int(order.Uint16(entry[8:]))
			}
			switch order.Uint16(entry) {
			case kindTag:
				isPage = isPage && value&reducedOrMask == 0
			case oldKindTag:
				isPage = isPage && value != oldReduced
			case widthTag:
				size.Width = value
			case heightTag:
				size.Height = value
			}
		}
		if isPage {
			pages = append(pages, size)
		} else {
			others = append(others, size)
		}
		at = int64(order.Uint32(data[at+2+12*n:]))
	}
	if len(pages) == 0 {
		pages = others[:min(len(others), 1)]
	}
	return pages, "", len(pages) > 0
}

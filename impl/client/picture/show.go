package picture

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	"image/draw"
	"image/jpeg"

	"uncial/impl/ocr/decode"
	"uncial/impl/ocr/imaging"
	"uncial/impl/volume"
	"uncial/internal/contract/imagefile"
	"uncial/internal/document"
	"uncial/internal/format/pdf"
)

// noLibrary stands in for the C library that the worker uses for images that our own decoders do not know. The command line
// must not run C on untrusted bytes.
type noLibrary struct{}

var errUnknownKind = errors.New("this kind of image cannot be shown")

func (noLibrary) Decode([]byte) (image.Image, error)             { return nil, errUnknownKind }
func (noLibrary) DecodeTIFF([]byte, uint64) (image.Image, error) { return nil, errUnknownKind }

var _ decode.Library = noLibrary{}

// Decode returns page n (from 0) of an image file that is within the limits of the service, upright: turned by its orientation,
// and then clockwise by rotation degrees, a multiple of 90.
func Decode(data []byte, n, rotation int) (image.Image, error) {
	i := 0
	for page, err := range decode.Pages(data, noLibrary{}) {
		if err != nil {
			return nil, err
		}
		if i == n {
			return imaging.TurnImage(page.Image, rotation/90), nil
		}
		i++
	}
	return nil, fmt.Errorf("the image has no page %d; it has %d", n+1, i)
}

// Encode returns the image as a JPEG, whose longer side has at most maxSide pixels; 0 means no limit. quality is that of
// image/jpeg, 1 to 100.
func Encode(img image.Image, maxSide, quality int) (*volume.Image, error) {
	if maxSide > 0 {
		img = imaging.Shrink(img, maxSide)
	}
	var b bytes.Buffer
	if err := jpeg.Encode(&b, img, &jpeg.Options{Quality: quality}); err != nil {
		return nil, err
	}
	size := img.Bounds().Size()
	return &volume.Image{Media: "image/jpeg", Data: b.Bytes(), Size: volume.Size{Width: size.X, Height: size.Y}}, nil
}

// pageQuality is the JPEG quality of pages that are encoded again: print shows no visible loss.
const pageQuality = 92

// Upright returns page n of an image file as volume.Page.Image promises: the file itself if it is a JPEG or PNG that is
// upright, fit for a PDF and not too large, else a JPEG.
func Upright(data []byte, n, rotation, maxSide int) (*volume.Image, error) {
	format, err := imagefile.Identify(data)
	if err != nil {
		return nil, err
	}
	img, err := Decode(data, n, rotation)
	if err != nil {
		return nil, err
	}
	size := img.Bounds().Size()
	if isPlain(data, format, size) && (pdf.Picture{Data: data}).Check() == nil && rotation == 0 && (maxSide == 0 || max(size.X, size.Y) <= maxSide) {
		return &volume.Image{
			Media: imagefile.MediaType(data), Data: data, Size: volume.Size{Width: size.X, Height: size.Y}, IsOriginal: true,
		}, nil
	}
	return Encode(img, maxSide, pageQuality)
}

// isPlain reports whether viewers show the file as the service reads it. Many ignore the orientation, so a JPEG with an Exif
// block counts only if it is not turned; the marker of the block is that of Exif 2.3, section 4.5.4.
func isPlain(data []byte, format imagefile.Format, upright image.Point) bool {
	switch format {
	case imagefile.PNG:
		return !bytes.Contains(data[:min(len(data), exifBytes)], []byte("eXIf"))
	case imagefile.JPEG:
		config, _, err := image.DecodeConfig(bytes.NewReader(data))
		return err == nil && image.Pt(config.Width, config.Height) == upright && !bytes.Contains(data[:min(len(data), exifBytes)], []byte("Exif\x00"))
	}
	return false
}

// exifBytes is the length of the start of a file that is searched for the orientation.
const exifBytes = 128 << 10

// Cut returns the part of an image in a box, with a margin around it, as a JPEG. Parts outside of the image are left out.
func Cut(img image.Image, box document.Box, margin, maxSide, quality int) (*volume.Image, error) {
	r := image.Rect(box.X-margin, box.Y-margin, box.X+box.W+margin, box.Y+box.H+margin).Intersect(img.Bounds())
	if r.Empty() {
		return nil, errors.New("the box is outside the image")
	}
	cut := image.NewRGBA(image.Rect(0, 0, r.Dx(), r.Dy()))
	draw.Draw(cut, cut.Bounds(), img, r.Min, draw.Src)
	return Encode(cut, maxSide, quality)
}

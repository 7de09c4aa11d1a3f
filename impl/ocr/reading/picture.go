package reading

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"slices"

	"uncial/impl/ocr/decode"
	"uncial/impl/ocr/imaging"
	"uncial/internal/document"
	"uncial/internal/format/pdf"
)

// picture is the image of a page for a PDF.
type picture struct {
	data        []byte
	orientation int // Exif tag 274
}

// pictureQualities are the JPEG qualities that are tried for a PDF, the best first. At 90, no difference is visible.
var pictureQualities = []int{90, 75, 60}

// pictureOf returns the picture of a page: the file itself if a PDF can contain it, otherwise a lossless copy if the page has
// few greys, or else a JPEG. Each page of a file has the same share of document.MaxPictureBytes. If a JPEG needs more, it gets
// a lower quality, and then half the width and height, until it fits.
func pictureOf(page decode.Page) (picture, error) {
	share := document.MaxPictureBytes / max(page.Count, 1)
	if page.File != nil && len(page.File) <= share && (pdf.Picture{Data: page.File}).Check() == nil {
		return picture{page.File, page.Orientation}, nil
	}
	if gray, ok := page.Image.(*image.Gray); ok {
		if levels := greysOf(gray); len(levels) <= maxLevels {
			data, err := encodeLevels(gray, levels)
			if err != nil || len(data) <= share {
				return picture{data: data}, err
			}
		}
	}
	for img := page.Image; ; img = imaging.Shrink(img, max(img.Bounds().Dx(), img.Bounds().Dy())/2) {
		for _, quality := range pictureQualities {
			var b bytes.Buffer
			if err := jpeg.Encode(&b, img, &jpeg.Options{Quality: quality}); err != nil {
				return picture{}, fmt.Errorf("reading: picture: %w", err)
			}
			if b.Len() <= share {
				return picture{data: b.Bytes()}, nil
			}
		}
	}
}

// maxLevels is the maximum number of greys of a page that is copied without loss: PNG needs at most 4 bits a pixel for them.
const maxLevels = 16

// greysOf returns the greys of a page, from black to white.
func greysOf(g *image.Gray) []uint8 {
	var has [256]bool
	for y := range g.Rect.Dy() {
		for _, v := range g.Pix[y*g.Stride:][:g.Rect.Dx()] {
			has[v] = true
		}
	}
	var levels []uint8
	for v, ok := range has {
		if ok {
			levels = append(levels, uint8(v)) // #nosec G115 -- less than 256
		}
	}
	return levels
}

// encodeLevels returns a page as a PNG with a palette of its greys, levels.
func encodeLevels(g *image.Gray, levels []uint8) ([]byte, error) {
	palette := make(color.Palette, len(levels))
	var index [256]uint8
	for i, v := range levels {
		palette[i], index[v] = color.Gray{Y: v}, uint8(i) // #nosec G115 -- at most maxLevels
	}
	out := image.NewPaletted(g.Rect, palette)
	for y := range g.Rect.Dy() {
		for x, v := range g.Pix[y*g.Stride:][:g.Rect.Dx()] {
			out.Pix[y*out.Stride+x] = index[v]
		}
	}
	var b bytes.Buffer
	if err := png.Encode(&b, out); err != nil {
		return nil, fmt.Errorf("reading: picture: %w", err)
	}
	return b.Bytes(), nil
}

// orientations has the values of Exif tag 274 after 0 to 3 quarter turns clockwise, for pictures that are not mirrored, and for
// those that are mirrored left to right.
var orientations = [2][4]int{{1, 6, 3, 8}, {2, 7, 4, 5}}

// turned returns the orientation that results from quarter turns clockwise.
func turned(orientation, quarters int) int {
	for _, turns := range orientations {
		if i := slices.Index(turns[:], orientation); i >= 0 {
			return turns[(i+quarters)%4]
		}
	}
	return orientations[0][quarters%4]
}

package images

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"fmt"
	"image"
	"image/color"
	"slices"
	"strings"
)

// orientations is the number of ways to store a page: upright, turned by quarters, and the mirror images of these (TIFF 6.0 and
// Exif, tag 274).
const orientations = 8

// Turned are files that show the page, in each orientation that JPEG, TIFF and PNG can declare.
func Turned(upright *image.Gray) (all []File) {
	for o := 1; o <= orientations; o++ {
		stored := storedAs(upright, o)
		jpeg, png := mustJPEG(stored), mustPNG(stored)
		all = append(all, File{Name: fmt.Sprintf("orientation-%d.jpg", o), Data: slices.Concat(jpeg[:2], exif(o), jpeg[2:]), Format: "jpeg"},
			File{Name: fmt.Sprintf("orientation-%d-intel.jpg", o), Data: slices.Concat(jpeg[:2], segment(0xe0, "JFIF\x00\x01\x02\x01\x01\x2c\x01\x2c\x00\x00"), segment(0xfe, "a comment"), segment(0xe1, "Exif\x00\x00"+intelTags(o)), jpeg[2:]), Format: "jpeg"},
			File{Name: fmt.Sprintf("orientation-%d.tif", o), Data: tiffOf(o, greyPage(stored)), Format: "tiff"},
			File{Name: fmt.Sprintf("orientation-%d.png", o), Data: slices.Concat(png[:33], chunk("eXIf", exifTags(o)), png[33:]), Format: "png"})
	}
	return all
}

// storedAs turns and mirrors a page so that it is upright again for readers that honour the orientation.
func storedAs(upright *image.Gray, orientation int) *image.Gray {
	w, h := upright.Rect.Dx(), upright.Rect.Dy()
	stored := image.NewGray(image.Rect(0, 0, w, h))
	if orientation >= 5 { // the stored rows are columns of the page
		stored = image.NewGray(image.Rect(0, 0, h, w))
	}
	for row := range stored.Rect.Dy() {
		for column := range stored.Rect.Dx() {
			x, y := column, row
			if orientation >= 5 {
				x, y = row, column
			}
			if slices.Contains([]int{2, 3, 6, 7}, orientation) { // the first one is the rightmost
				x = w - 1 - x
			}
			if slices.Contains([]int{3, 4, 7, 8}, orientation) { // the first one is at the bottom
				y = h - 1 - y
			}
			stored.SetGray(column, row, upright.GrayAt(x, y))
		}
	}
	return stored
}

// greyPage is a page with a byte per pixel and Deflate (TIFF Technical Note 2).
func greyPage(img *image.Gray) tiffPage {
	var strip bytes.Buffer
	z := zlib.NewWriter(&strip)
	_, _ = z.Write(img.Pix) // a buffer never fails
	_ = z.Close()
	return tiffPage{img.Rect.Dx(), img.Rect.Dy(), 8, 8, 1, strip.Bytes()}
}

// exif is a segment of a JPEG that declares an orientation.
func exif(orientation int) []byte {
	return segment(0xe1, "Exif\x00\x00"+exifTags(orientation))
}

// exifTags are the tags of a picture, of which the orientation is the only one.
func exifTags(orientation int) string {
	return "MM\x00*\x00\x00\x00\x08\x00\x01\x01\x12\x00\x03\x00\x00\x00\x01\x00" + string(rune(orientation)) + "\x00\x00\x00\x00\x00\x00"
}

// intelTags are exifTags in little-endian order, after a tag that is not the orientation.
func intelTags(orientation int) string {
	return "II*\x00\x08\x00\x00\x00\x02\x00\x0e\x01\x02\x00\x02\x00\x00\x00x\x00\x00\x00\x12\x01\x03\x00\x01\x00\x00\x00" + string(rune(orientation)) + "\x00\x00\x00\x00\x00\x00\x00"
}

// Transparent are files that show the ink of a page on a transparent ground whose colour is black: with an alpha channel of 8
// and of 16 bits, and with a palette.
func Transparent(page *image.Gray) (all []File) {
	ground := color.NRGBA{}
	colours := make(color.Palette, 0, 256)
	for i := range 256 {
		colours = append(colours, color.NRGBA{A: uint8(255 - i)})
	}
	for name, to := range map[string]interface {
		image.Image
		Set(x, y int, c color.Color)
	}{"alpha": image.NewNRGBA(page.Rect), "alpha-16bit": image.NewNRGBA64(page.Rect), "palette": image.NewPaletted(page.Rect, colours)} {
		for y := range page.Rect.Dy() {
			for x := range page.Rect.Dx() {
				ground.A = 255 - page.GrayAt(x, y).Y
				to.Set(x, y, ground)
			}
		}
		all = append(all, File{Name: "transparent-" + name + ".png", Data: mustPNG(to), Format: "png"})
	}
	slices.SortFunc(all, func(a, b File) int { return strings.Compare(a.Name, b.Name) })
	return all
}

// Backward is a little-endian TIFF whose pages come in the reverse order: each directory points to one that lies before it in
// the file, as editors that rewrite a page leave them.
func Backward(f File) File {
	file, le := slices.Clone(f.Data), binary.LittleEndian
	var starts, links []int
	for at := int(le.Uint32(file[4:])); at > 0; at = int(le.Uint32(file[links[len(links)-1]:])) {
		starts, links = append(starts, at), append(links, at+2+12*int(le.Uint16(file[at:])))
	}
	le.PutUint32(file[4:], uint32(starts[len(starts)-1]))
	for i, link := range links {
		if le.PutUint32(file[link:], 0); i > 0 {
			le.PutUint32(file[link:], uint32(starts[i-1]))
		}
	}
	f.Data = file
	return f
}

func segment(marker byte, content string) []byte {
	n := len(content) + 2
	return append([]byte{0xff, marker, byte(n >> 8), byte(n)}, content...)
}

// TIFF is a file that shows the pages, upright.
func TIFF(name string, pages ...*image.Gray) File {
	var all []tiffPage
	for _, p := range pages {
		all = append(all, greyPage(p))
	}
	return File{Name: name + ".tif", Data: tiffOf(1, all...), Format: "tiff"}
}

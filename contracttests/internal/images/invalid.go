package images

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
	"sync"
)

// overInTotal are TIFFs whose pages have at most 100 megapixels each, but together slightly more: with two pages up to the
// maximum, of equal and of different sizes.
func overInTotal() (all []File) {
	add := func(name string, pages ...tiffPage) {
		all = append(all, File{Name: name + ".tif", Data: tiffOf(1, pages...), Format: "tiff"})
	}
	for n, sides := range map[int][2]int{2: {7_072, 7_072}, 3: {5_774, 5_774}, 5: {4_473, 4_473}, maxPages: {3_163, 3_163}} {
		add(fmt.Sprintf("%d-pages-of-more-than-%d-megapixels", n, 100/n), slices.Repeat([]tiffPage{whitePage(sides[0], sides[1])}, n)...)
	}
	slices.SortFunc(all, func(a, b File) int { return strings.Compare(a.Name, b.Name) })
	full, small := whitePage(10_000, 10_000), whitePage(1, 1)
	add("100-megapixels-and-1-pixel", full, small)
	add("1-pixel-and-100-megapixels", small, full)
	return all
}

// claimed are files whose header states a size beyond a limit, but which have fewer pixels. Readers that trust the header would
// allocate memory for it.
func claimed() (all []File) {
	for _, s := range []struct {
		name          string
		width, height int
	}{{"wide", maxSide + 1, 8}, {"high", 8, maxSide + 1}, {"101-megapixels", 10_001, 10_000}} {
		jpeg := mustJPEG(page(16, 16))
		at := bytes.Index(jpeg, []byte{0xff, 0xc0}) + 5 // the frame header (ISO/IEC 10918-1, section B.2.2)
		binary.BigEndian.PutUint16(jpeg[at:], uint16(s.height))
		binary.BigEndian.PutUint16(jpeg[at+2:], uint16(s.width))
		all = append(all, File{Name: "claims-" + s.name + ".jpg", Data: jpeg, Format: "jpeg"})
	}
	return all
}

// Invalid are files that a server must refuse: other formats, damaged ones, and files beyond a limit.
var Invalid = sync.OnceValue(func() []File {
	cut := func(name string, data []byte, n int) File {
		return File{Name: name, Data: data[:n], Format: formatOf(name)}
	}
	all := []File{
		{Name: "empty"},
		{Name: "text", Data: []byte("This is a text, whatever its type says."), Format: "png"},
		{Name: "picture.gif", Data: []byte("GIF89a\x01\x00\x01\x00\x80\x00\x00\xff\xff\xff\x00\x00\x00!\xf9\x04\x01\x00\x00\x00\x00,\x00\x00\x00\x00\x01\x00\x01\x00\x00\x02\x02D\x01\x00;"), Format: "gif"},
		{Name: "old.gif", Data: []byte("GIF87a\x01\x00\x01\x00\x80\x00\x00\xff\xff\xff\x00\x00\x00,\x00\x00\x00\x00\x01\x00\x01\x00\x00\x02\x02D\x01\x00;"), Format: "png"},
		{Name: "page.pdf", Data: []byte("%PDF-1.7\n1 0 obj\n<< /Type /Catalog >>\nendobj\ntrailer << /Root 1 0 R >>\n%%EOF\n"), Format: "pdf"},
		{Name: "page.ps", Data: []byte("%!PS-Adobe-3.0\nshowpage\n"), Format: "png"},
		{Name: "picture.svg", Data: []byte(`<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><rect width="9" height="9"/></svg>`), Format: "svg+xml"},
		{Name: "page.xml", Data: []byte(`<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg"/>`), Format: "png"},
		{Name: "page.html", Data: []byte("<html><body><img src=a.png></body></html>"), Format: "png"},
		{Name: "doctype.html", Data: []byte("<!doctype html><title>a page</title>"), Format: "png"},
		{Name: "pages.zip", Data: []byte("PK\x03\x04\x14\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00"), Format: "png"},
		{Name: "picture.jp2", Data: []byte("\x00\x00\x00\x0cjP  \r\n\x87\n\x00\x00\x00\x14ftypjp2 \x00\x00\x00\x00jp2 "), Format: "jp2"},
		{Name: "picture.heic", Data: []byte("\x00\x00\x00\x18ftypheic\x00\x00\x00\x00mif1heic"), Format: "heic"},
		{Name: "picture.avif", Data: []byte("\x00\x00\x00\x1cftypavif\x00\x00\x00\x00avifmif1miaf"), Format: "avif"},
		{Name: "picture.djvu", Data: []byte("AT&TFORM\x00\x00\x00\x20DJVUINFO\x00\x00\x00\x0a\x00\x01\x00\x01\x18\x00"), Format: "png"},
		{Name: "picture.psd", Data: []byte("8BPS\x00\x01\x00\x00\x00\x00\x00\x00\x00\x03\x00\x00\x00\x01\x00\x00\x00\x01\x00\x08\x00\x03"), Format: "png"},
		cut("cut.png", bilevelPNG(9, 9), 20), cut("magic.png", bilevelPNG(9, 9), 12), cut("magic.jpg", mustJPEG(page(9, 9)), 14), cut("magic.bmp", bilevelBMP(9, 9), 20), cut("magic.tif", bilevelTIFF(9, 9, 1, 1), 12),
		{Name: "magic.webp", Data: []byte("RIFF\x04\x00\x00\x00WEBP"), Format: "webp"},
		{Name: "half.webp", Data: []byte("RIFF\x0c\x00\x00\x00WEBPVP8L\x00\x00"), Format: "webp"},
		{Name: "wide.png", Data: bilevelPNG(maxSide+1, 1), Format: "png"},
		{Name: "high.png", Data: bilevelPNG(1, maxSide+1), Format: "png"},
		{Name: "101-megapixels.png", Data: bilevelPNG(10_001, 10_000), Format: "png"},
		{Name: "wide.tif", Data: bilevelTIFF(maxSide+1, 1, 1, 1), Format: "tiff"},
		{Name: "11-pages.tif", Data: bilevelTIFF(9, 9, maxPages+1, 1), Format: "tiff"},
		{Name: "wide.bmp", Data: bilevelBMP(maxSide+1, 1), Format: "bmp"},
		{Name: "high.tif", Data: bilevelTIFF(1, maxSide+1, 1, 1), Format: "tiff"},
		{Name: "high.bmp", Data: bilevelBMP(1, maxSide+1), Format: "bmp"},
		{Name: "101-megapixels.tif", Data: bilevelTIFF(10_001, 10_000, 1, 1), Format: "tiff"},
	}
	all = append(append(all, overInTotal()...), claimed()...)
	for _, f := range heavy() {
		all = append(all, File{Name: "over-" + f.Name, Data: append(slices.Clone(f.Data), 0), Format: f.Format, Heavy: true})
	}
	return all
})

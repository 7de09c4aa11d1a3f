package images

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"slices"
)

// sizes are files from one pixel to just under the limits.
func sizes() (all []File) {
	for _, s := range [][2]int{{1, 1}, {1, 40}, {40, 1}, {2, 2}, {5, 3}, {9, 9}, {15, 31}, {39, 49}, {maxSide, 1}, {1, maxSide}, {maxSide, 3051}, {3051, maxSide}, {10_000, 10_000}} {
		all = append(all, File{Name: fmt.Sprintf("%dx%d.png", s[0], s[1]), Data: bilevelPNG(s[0], s[1]), Format: "png"})
	}
	for _, s := range [][3]int{{1, 1, 1}, {maxSide, 16, 1}, {16, maxSide, 1}, {10_000, 10_000, 1}, {20, 20, 3}, {20, 20, 5}, {20, 20, 9}, {20, 20, maxPages}, {3_000, 3_333, maxPages}} {
		all = append(all, File{Name: fmt.Sprintf("%dx%d-%d-pages.tif", s[0], s[1], s[2]), Data: bilevelTIFF(s[0], s[1], s[2], 1), Format: "tiff"})
	}
	all = append(all,
		File{Name: "turned.tif", Data: bilevelTIFF(60, 40, 1, 6), Format: "tiff"},
		File{Name: "1x1.jpg", Data: mustJPEG(page(1, 1)), Format: "jpeg"}, File{Name: "wide.jpg", Data: mustJPEG(page(maxSide, 8)), Format: "jpeg"}, File{Name: "high.jpg", Data: mustJPEG(page(8, maxSide)), Format: "jpeg"},
		File{Name: "1x1.bmp", Data: bilevelBMP(1, 1), Format: "bmp"}, File{Name: "wide.bmp", Data: bilevelBMP(maxSide, 8), Format: "bmp"}, File{Name: "high.bmp", Data: bilevelBMP(8, maxSide), Format: "bmp"},
	)
	return append(all, heavy()...)
}

// heavy are files of exactly as many bytes as are allowed, by contents that readers skip.
func heavy() []File {
	picture := bilevelPNG(120, 80)
	room := maxBytes - len(picture) - 12
	filled := slices.Concat(picture[:33], chunk("prVt", string(make([]byte, room))), picture[33:])
	tail := func(data []byte) []byte { return append(slices.Clone(data), make([]byte, maxBytes-len(data))...) }
	return []File{
		{Name: "20-MiB.png", Data: filled, Format: "png", Heavy: true},
		{Name: "20-MiB.tif", Data: tail(bilevelTIFF(120, 80, 1, 1)), Format: "tiff", Heavy: true},
		{Name: "20-MiB.jpg", Data: tail(mustJPEG(page(120, 80))), Format: "jpeg", Heavy: true},
		{Name: "20-MiB.bmp", Data: tail(bilevelBMP(120, 80)), Format: "bmp", Heavy: true},
	}
}

// chunk is a chunk of a PNG.
func chunk(kind, content string) []byte {
	b := binary.BigEndian.AppendUint32(nil, uint32(len(content)))
	b = append(append(b, kind...), content...)
	return binary.BigEndian.AppendUint32(b, crc32.ChecksumIEEE(b[4:]))
}

// bilevelPNG is a white PNG of one bit per pixel.
func bilevelPNG(width, height int) []byte {
	var rows bytes.Buffer
	z, _ := zlib.NewWriterLevel(&rows, zlib.BestSpeed) // the level exists
	row := append([]byte{0}, bytes.Repeat([]byte{0xff}, (width+7)/8)...)
	for range height {
		_, _ = z.Write(row) // a buffer never fails
	}
	_ = z.Close()
	header := binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(nil, uint32(width)), uint32(height))
	return slices.Concat([]byte("\x89PNG\r\n\x1a\n"), chunk("IHDR", string(header)+"\x01\x00\x00\x00\x00"), chunk("IDAT", rows.String()), chunk("IEND", ""))
}

// bilevelTIFF is a white TIFF of one bit per pixel with PackBits and several strips (TIFF 6.0, sections 3, 4 and 9).
func bilevelTIFF(width, height, pages, orientation int) []byte {
	le := binary.LittleEndian
	const short, long = 3, 4 // types
	row := packBits((width + 7) / 8)
	file := []byte{'I', 'I', 42, 0, 0, 0, 0, 0}
	link := 4 // where the offset of the next directory goes
	for range pages {
		start := len(file)
		for range height {
			file = append(file, row...)
		}
		if len(file)%2 == 1 {
			file = append(file, 0)
		}
		le.PutUint32(file[link:], uint32(len(file)))
		entries := [][3]int{{256, long, width}, {257, long, height}, {258, short, 1}, {259, short, 32773}, {262, short, 0}, {273, long, start}, {274, short, orientation}, {277, short, 1}, {278, long, height}, {279, long, len(row) * height}}
		file = le.AppendUint16(file, uint16(len(entries)))
		for _, e := range entries {
			file = le.AppendUint32(le.AppendUint16(le.AppendUint16(file, uint16(e[0])), uint16(e[1])), 1)
			file = le.AppendUint32(file, uint32(e[2]))
		}
		link = len(file)
		file = append(file, 0, 0, 0, 0)
	}
	return file
}

// packBits are as many zero bytes.
func packBits(n int) (b []byte) {
	for ; n > 0; n -= 128 {
		if m := min(n, 128); m == 1 {
			b = append(b, 0, 0)
		} else {
			b = append(b, byte(257-m), 0)
		}
	}
	return b
}

// bilevelBMP is a white BMP of one bit per pixel.
func bilevelBMP(width, height int) []byte {
	le := binary.LittleEndian
	row := (width + 31) / 32 * 4
	const head = 14 + 40 + 8
	b := append([]byte("BM"), make([]byte, head-2)...)
	le.PutUint32(b[2:], uint32(head+row*height))
	le.PutUint32(b[10:], head)
	le.PutUint32(b[14:], 40)
	le.PutUint32(b[18:], uint32(width))
	le.PutUint32(b[22:], uint32(height))
	le.PutUint16(b[26:], 1)
	le.PutUint16(b[28:], 1)
	le.PutUint32(b[34:], uint32(row*height))
	le.PutUint32(b[46:], 2)
	copy(b[54:], "\x00\x00\x00\x00\xff\xff\xff\x00")
	return append(b, bytes.Repeat([]byte{0xff}, row*height)...)
}

// Invalid are files that a server must refuse: other formats, damaged ones, and files beyond a limit.
func Invalid() []File {
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
	}
	for _, f := range heavy() {
		all = append(all, File{Name: "over-" + f.Name, Data: append(slices.Clone(f.Data), 0), Format: f.Format, Heavy: true})
	}
	return all
}

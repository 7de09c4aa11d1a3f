package images

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"image"
	"slices"
	"strings"
)

// sizes are files from one pixel to just under the limits.
func sizes() (all []File) {
	for _, s := range [][2]int{{1, 1}, {1, 40}, {40, 1}, {2, 2}, {5, 3}, {9, 9}, {15, 31}, {39, 49}, {maxSide, 1}, {1, maxSide}, {maxSide, 3051}, {3051, maxSide}, {10_000, 10_000}} {
		all = append(all, File{Name: fmt.Sprintf("%dx%d.png", s[0], s[1]), Data: bilevelPNG(s[0], s[1]), Format: "png"})
	}
	for _, s := range [][3]int{{1, 1, 1}, {maxSide, 16, 1}, {16, maxSide, 1}, {10_000, 10_000, 1}, {20, 20, 3}, {20, 20, 5}, {20, 20, 9}, {20, 20, maxPages}, {3_000, 3_333, maxPages}} {
		all = append(all, File{Name: fmt.Sprintf("%dx%d-%d-pages.tif", s[0], s[1], s[2]), Data: bilevelTIFF(s[0], s[1], s[2], 1), Format: "tiff"})
	}
	all = append(append(all, unequalPages()...), motorola()...)
	all = append(all, Backward(File{Name: "backward.tif", Data: tiffOf(1, whitePage(60, 40), whitePage(30, 90), whitePage(40, 40)), Format: "tiff"}))
	all = append(all,
		File{Name: "turned.tif", Data: bilevelTIFF(60, 40, 1, 6), Format: "tiff"},
		File{Name: "1x1.jpg", Data: mustJPEG(page(1, 1)), Format: "jpeg"}, File{Name: "wide.jpg", Data: mustJPEG(page(maxSide, 8)), Format: "jpeg"}, File{Name: "high.jpg", Data: mustJPEG(page(8, maxSide)), Format: "jpeg"},
		File{Name: "1x1.bmp", Data: bilevelBMP(1, 1), Format: "bmp"}, File{Name: "wide.bmp", Data: bilevelBMP(maxSide, 8), Format: "bmp"}, File{Name: "high.bmp", Data: bilevelBMP(8, maxSide), Format: "bmp"},
	)
	// Decoders work with blocks of 16 pixels where the colour is stored at half the size.
	wide, high := convert(image.NewRGBA(image.Rect(0, 0, maxSide, 8))), convert(image.NewRGBA(image.Rect(0, 0, 8, maxSide)))
	all = append(all, File{Name: "wide-colour.jpg", Data: mustJPEG(wide), Format: "jpeg"}, File{Name: "high-colour.jpg", Data: mustJPEG(high), Format: "jpeg"})
	return append(all, heavy()...)
}

// motorola are big-endian TIFFs.
func motorola() []File {
	white := whitePage(60, 40)
	return []File{
		{Name: "motorola.tif", Data: tiffIn(binary.BigEndian, 1, white), Format: "tiff"},
		{Name: "motorola-pages.tif", Data: tiffIn(binary.BigEndian, 1, white, whitePage(30, 90), white), Format: "tiff"},
		{Name: "motorola-turned.tif", Data: tiffIn(binary.BigEndian, 8, white), Format: "tiff"},
	}
}

// unequalPages are TIFFs whose pages have 100 megapixels or fewer together, and far more if all of them were like the first or
// the last, or as wide and as high as any.
func unequalPages() (all []File) {
	large, small := whitePage(6_000, 5_000), whitePage(1_000, 1_000)
	for name, pages := range map[string][]tiffPage{
		"large-page-first":        {large, small, small, small, small},
		"large-page-last":         {small, small, small, small, large},
		"large-page-between":      {small, large, small},
		"wide-and-high-pages":     {whitePage(maxSide, 100), whitePage(100, maxSide)},
		"pages-of-100-megapixels": {whitePage(9_999, 9_999), whitePage(140, 140), whitePage(9, 9)},
	} {
		all = append(all, File{Name: name + ".tif", Data: tiffOf(1, pages...), Format: "tiff"})
	}
	slices.SortFunc(all, func(a, b File) int { return strings.Compare(a.Name, b.Name) })
	return all
}

// heavy are files of exactly as many bytes as are allowed, by contents that readers skip.
func heavy() []File {
	picture := bilevelPNG(120, 80)
	room := MaxBytes - len(picture) - 12
	filled := slices.Concat(picture[:33], chunk("prVt", string(make([]byte, room))), picture[33:])
	tail := func(data []byte) []byte { return append(slices.Clone(data), make([]byte, MaxBytes-len(data))...) }
	return []File{
		{Name: "20-MiB.png", Data: filled, Format: "png", Heavy: true},
		{Name: "20-MiB.tif", Data: tail(bilevelTIFF(120, 80, 1, 1)), Format: "tiff", Heavy: true},
		{Name: "20-MiB.jpg", Data: tail(mustJPEG(page(120, 80))), Format: "jpeg", Heavy: true},
		{Name: "20-MiB.bmp", Data: tail(bilevelBMP(120, 80)), Format: "bmp", Heavy: true},
	}
}

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

// bilevelTIFF is a white TIFF of equal pages, of one bit per pixel with PackBits.
func bilevelTIFF(width, height, pages, orientation int) []byte {
	return tiffOf(orientation, slices.Repeat([]tiffPage{whitePage(width, height)}, pages)...)
}

// tiffPage is a page of a TIFF: its size, and its pixels in one strip.
type tiffPage struct {
	width, height             int
	bits, compression, colour int // as in the tags 258, 259 and 262
	strip                     []byte
}

// whitePage has one bit per pixel and PackBits (TIFF 6.0, sections 3, 4 and 9).
func whitePage(width, height int) tiffPage {
	return tiffPage{width, height, 1, 32773, 0, bytes.Repeat(packBits((width+7)/8), height)}
}

func tiffOf(orientation int, pages ...tiffPage) []byte {
	return tiffIn(binary.LittleEndian, orientation, pages...)
}

// tiffIn writes numbers in an order of bytes.
func tiffIn(le interface {
	binary.ByteOrder
	binary.AppendByteOrder
}, orientation int, pages ...tiffPage,
) []byte {
	const short, long = 3, 4 // types
	file := le.AppendUint16([]byte{'I', 'I'}, 42)
	if le.String() == binary.BigEndian.String() {
		copy(file, "MM")
	}
	file = append(file, 0, 0, 0, 0)
	link := 4 // where the offset of the next directory goes
	for _, p := range pages {
		start := len(file)
		file = append(file, p.strip...)
		if len(file)%2 == 1 {
			file = append(file, 0)
		}
		le.PutUint32(file[link:], uint32(len(file)))
		entries := [][3]int{
			{256, long, p.width},
			{257, long, p.height},
			{258, short, p.bits},
			{259, short, p.compression},
			{262, short, p.colour},
			{273, long, start},
			{274, short, orientation},
			{277, short, 1},
			{278, long, p.height},
			{279, long, len(p.strip)},
		}
		file = le.AppendUint16(file, uint16(len(entries)))
		for _, e := range entries {
			file = le.AppendUint32(le.AppendUint16(le.AppendUint16(file, uint16(e[0])), uint16(e[1])), 1)
			if e[1] == short { // in the first bytes of the field
				file = le.AppendUint16(le.AppendUint16(file, uint16(e[2])), 0)
			} else {
				file = le.AppendUint32(file, uint32(e[2]))
			}
		}
		link = len(file)
		file = append(file, 0, 0, 0, 0)
	}
	return file
}

// packBits encodes n zero bytes (TIFF 6.0, section 9).
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

// Package images makes image files of every format of the contract, in the variants that tools write and in sizes from tiny to
// just under each limit, files that exceed a limit by as little as possible, and files of other formats. Small files are in the
// folder files; they were written by libtiff, libjpeg, libwebp, libpng and ImageMagick. Large ones are made here, nearly blank,
// so that they compress well.
//
// Start with Valid and Invalid. How files become requests is decided in package cases.
package images

import (
	"bytes"
	"embed"
	"encoding/binary"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"io/fs"
	"path"
	"slices"
	"strings"
	"sync"

	"golang.org/x/image/bmp"
)

// File is an image file, or a file that is taken for one.
type File struct {
	Name string
	Data []byte
	// Format is its format in a media type, such as "png".
	Format string
	// Heavy says that it has nearly as many bytes as the limit.
	Heavy bool
}

//go:embed files
var stored embed.FS

// MaxBytes is the maximum size of a file.
const MaxBytes = 20 << 20

// The other limits of the contract.
const (
	maxSide  = 32_767
	maxPages = 10
)

// Valid are files that a server must read. The first one of each format is small and usual.
var Valid = sync.OnceValue(func() (all []File) {
	_ = fs.WalkDir(stored, "files", func(name string, d fs.DirEntry, err error) error { // an embedded folder is complete
		if err == nil && !d.IsDir() {
			data, _ := stored.ReadFile(name)
			all = append(all, File{Name: path.Base(name), Data: data, Format: formatOf(name)})
		}
		return err
	})
	return slices.Concat(all, pngVariants(), jpegVariants(), bmpVariants(), webpVariants(), sizes())
})

// formatOf is the format in a media type, by the extension of a name.
func formatOf(name string) string {
	return map[string]string{".png": "png", ".jpg": "jpeg", ".tif": "tiff", ".bmp": "bmp", ".webp": "webp"}[path.Ext(name)]
}

// page is a small page with ink.
func page(width, height int) *image.Gray {
	p := image.NewGray(image.Rect(0, 0, width, height))
	for i := range p.Pix {
		p.Pix[i] = 255
	}
	for y := height / 4; y < height/2; y++ {
		for x := width / 4; x < width/2; x++ {
			p.SetGray(x, y, color.Gray{Y: 20})
		}
	}
	return p
}

func mustPNG(img image.Image) []byte {
	var b bytes.Buffer
	if err := png.Encode(&b, img); err != nil {
		panic(err) // a buffer never fails
	}
	return b.Bytes()
}

// convert draws the page in another colour model.
func convert(to interface {
	image.Image
	Set(x, y int, c color.Color)
},
) image.Image {
	from := page(to.Bounds().Dx(), to.Bounds().Dy())
	for y := range from.Rect.Dy() {
		for x := range from.Rect.Dx() {
			to.Set(x, y, from.At(x, y))
		}
	}
	return to
}

// Medium is a PNG whose data: URL is longer than a web address may be.
var Medium = sync.OnceValue(func() File {
	plain := mustPNG(page(120, 80))
	filler := make([]byte, 16<<10)
	for i := range filler {
		filler[i] = byte(i * i >> 3) // so that its base64 has every sign
	}
	return File{Name: "16-KiB.png", Data: slices.Concat(plain[:33], chunk("prVt", string(filler)), plain[33:]), Format: "png"}
})

// pngVariants are kinds of pixels and of chunks.
func pngVariants() (all []File) {
	r := image.Rect(0, 0, 120, 80)
	add := func(name string, data []byte) {
		all = append(all, File{Name: "png-" + name + ".png", Data: data, Format: "png"})
	}
	greys := func(n int) (p color.Palette) {
		for i := range n {
			p = append(p, color.Gray{Y: uint8(255 * i / max(1, n-1))})
		}
		return p
	}
	for name, img := range map[string]image.Image{
		"16bit": convert(image.NewGray16(r)), "1bit": convert(image.NewPaletted(r, greys(2))), "2bit": convert(image.NewPaletted(r, greys(4))), "4bit": convert(image.NewPaletted(r, greys(16))),
		"palette": convert(image.NewPaletted(r, greys(200))), "colour": convert(image.NewRGBA(r)), "alpha": transparent(image.NewNRGBA(r)), "alpha-16bit": transparent(image.NewNRGBA64(r)),
	} {
		add(name, mustPNG(img))
	}
	plain := mustPNG(page(120, 80))
	for name, c := range map[string][]byte{
		"resolution": chunk("pHYs", "\x00\x00\x2e\x23\x00\x00\x2e\x23\x01"), "text": chunk("tEXt", "Title\x00a page"), "transparent-colour": chunk("tRNS", "\x00\x14"), "exif": chunk("eXIf", "MM\x00*\x00\x00\x00\x08\x00\x00\x00\x00\x00\x00"),
		"time": chunk("tIME", "\x07\xea\x01\x0f\x0c\x00\x00"), "gamma": chunk("gAMA", "\x00\x00\xb1\x8f"),
		"srgb": chunk("sRGB", "\x00"), "background": chunk("bKGD", "\x00\xff"), "one-frame": chunk("acTL", "\x00\x00\x00\x01\x00\x00\x00\x00"), "long-text": chunk("tEXt", "Comment\x00"+strings.Repeat("a page ", 12_000)),
	} {
		add(name, slices.Concat(plain[:33], c, plain[33:])) // after the header
	}
	add("behind-its-end", append(slices.Clone(plain), "\x00more"...))
	slices.SortFunc(all, func(a, b File) int { return strings.Compare(a.Name, b.Name) })
	return all
}

// webpVariants are files of the extended format, with metadata before and after the picture (RFC 9649, section 2.7).
func webpVariants() (all []File) {
	simple, _ := stored.ReadFile("files/colours-lossless.webp") // an embedded file
	width, height := webpSize(simple)
	part := func(kind, content string) []byte {
		b := append([]byte(kind), binary.LittleEndian.AppendUint32(nil, uint32(len(content)))...)
		if b = append(b, content...); len(content)%2 == 1 {
			b = append(b, 0)
		}
		return b
	}
	size := func(n int) string { return string([]byte{byte(n - 1), byte((n - 1) >> 8), byte((n - 1) >> 16)}) }
	for name, v := range map[string]struct {
		flags          string
		before, behind []byte
	}{
		"extended": {"\x00", nil, nil}, "exif": {"\x08", nil, part("EXIF", exifTags(1))}, "turned": {"\x08", nil, part("EXIF", exifTags(6))}, "xmp": {"\x04", nil, part("XMP ", "<x:xmpmeta xmlns:x='adobe:ns:meta/'/>")}, "unknown": {"\x00", part("UNKN", "odd"), nil},
	} {
		chunks := slices.Concat([]byte("WEBP"), part("VP8X", v.flags+"\x00\x00\x00"+size(width)+size(height)), v.before, simple[12:], v.behind)
		file := append(binary.LittleEndian.AppendUint32([]byte("RIFF"), uint32(len(chunks))), chunks...)
		all = append(all, File{Name: "webp-" + name + ".webp", Data: file, Format: "webp"})
	}
	slices.SortFunc(all, func(a, b File) int { return strings.Compare(a.Name, b.Name) })
	return all
}

// Size is the size of a WebP of webpVariants as it is stored (RFC 9649, section 2.7.1).
func (f File) Size() (width, height int) {
	side := func(b []byte) int { return 1 + int(b[0]) + int(b[1])<<8 }
	return side(f.Data[24:]), side(f.Data[27:])
}

// webpSize is the size of a simple lossless file (WebP Lossless Bitstream Specification, section 3).
func webpSize(file []byte) (width, height int) {
	bits := binary.LittleEndian.Uint32(file[21:])
	return int(bits&0x3fff) + 1, int(bits>>14&0x3fff) + 1
}

// transparent makes a part of the page translucent.
func transparent(to interface {
	image.Image
	Set(x, y int, c color.Color)
},
) image.Image {
	convert(to)
	to.Set(1, 1, color.NRGBA{R: 10, G: 20, B: 30, A: 128})
	return to
}

func mustJPEG(img image.Image) []byte {
	var b bytes.Buffer
	if err := jpeg.Encode(&b, img, nil); err != nil {
		panic(err) // a buffer never fails
	}
	return b.Bytes()
}

// jpegVariants are kinds of segments. Go writes no JFIF segment.
func jpegVariants() (all []File) {
	plain := mustJPEG(page(120, 80))
	for _, v := range []struct {
		name    string
		segment []byte
	}{
		{"no-jfif", nil},
		{"jfif", segment(0xe0, "JFIF\x00\x01\x02\x01\x01\x2c\x01\x2c\x00\x00")},
		{"exif", exif(6)},
		{"comment", segment(0xfe, "a comment")},
		{"adobe", segment(0xed, "Photoshop 3.0\x00")},
		{"filled", append([]byte{0xff, 0xff}, segment(0xfe, "a comment")...)},
		{"profile", segment(0xe2, "ICC_PROFILE\x00\x01\x01"+strings.Repeat("\x00", 128))},
		{"many-segments", bytes.Repeat(segment(0xe5, strings.Repeat("x", 60_000)), 3)},
	} {
		all = append(all, File{Name: "jpeg-" + v.name + ".jpg", Data: slices.Concat(plain[:2], v.segment, plain[2:]), Format: "jpeg"})
	}
	all = append(all, File{Name: "jpeg-two.jpg", Data: slices.Concat(plain, mustJPEG(page(30, 20))), Format: "jpeg"})
	all = append(all, File{Name: "jpeg-colour.jpg", Data: mustJPEG(convert(image.NewRGBA(image.Rect(0, 0, 120, 80)))), Format: "jpeg"})
	return append(all, thumbnails()...)
}

// thumbnails are JPEGs that hold a smaller one, as cameras and editors write them: in Exif, in JFIF extensions, and in
// Photoshop's segment. A reader that looks for the size anywhere in the file finds that of the smaller one.
func thumbnails() (all []File) {
	large, small := mustJPEG(page(320, 240)), string(mustJPEG(page(16, 12)))
	for name, s := range map[string][]byte{
		"exif-thumbnail":      segment(0xe1, "Exif\x00\x00II*\x00\x08\x00\x00\x00\x00\x00\x0e\x00\x00\x00\x00\x00"+small),
		"jfxx-thumbnail":      segment(0xe0, "JFXX\x00\x10"+small),
		"photoshop-thumbnail": segment(0xed, "Photoshop 3.0\x008BIM\x04\x0c"+small),
	} {
		all = append(all, File{Name: "jpeg-" + name + ".jpg", Data: slices.Concat(large[:2], s, large[2:]), Format: "jpeg"})
	}
	slices.SortFunc(all, func(a, b File) int { return strings.Compare(a.Name, b.Name) })
	return all
}

// Padded returns a JPEG of 2 MiB with a small picture.
func Padded() File {
	plain := mustJPEG(page(120, 80))
	return File{Name: "padded.jpg", Data: slices.Concat(plain[:2], bytes.Repeat(segment(0xfe, strings.Repeat("x", 1<<16-3)), 32), plain[2:]), Format: "jpeg"}
}

func bmpVariants() (all []File) {
	encode := func(name string, img image.Image) []byte {
		var b bytes.Buffer
		if err := bmp.Encode(&b, img); err != nil {
			panic(err) // a buffer never fails
		}
		all = append(all, File{Name: "bmp-" + name + ".bmp", Data: b.Bytes(), Format: "bmp"})
		return b.Bytes()
	}
	r := image.Rect(0, 0, 60, 40)
	encode("8bit", page(60, 40))
	encode("32bit", transparent(image.NewNRGBA(r)))
	top := slices.Clone(encode("24bit", convert(image.NewRGBA(r))))
	gap := slices.Concat(top[:54], make([]byte, 10), top[54:]) // between header and pixels
	gap[10] += 10
	all = append(all, File{Name: "bmp-gap.bmp", Data: gap, Format: "bmp"})
	height := -40
	copy(top[22:26], []byte{byte(height), byte(height >> 8), byte(height >> 16), byte(height >> 24)})
	return append(all, File{Name: "bmp-top-down.bmp", Data: top, Format: "bmp"})
}

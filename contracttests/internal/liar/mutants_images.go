package liar

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"image"
	_ "image/jpeg" // registers the decoder, like the imports below
	_ "image/png"
	"net/url"
	"regexp"
	"slices"
	"strings"

	_ "golang.org/x/image/bmp"
	_ "golang.org/x/image/tiff"
	_ "golang.org/x/image/webp"
)

// picture holds what mutants need to know of an inline image.
type picture struct {
	header        string // of the data: URL, in front of the comma
	encoded       string
	data          []byte
	format        string // "" if the contract does not have it
	width, height int    // 0 if they cannot be read
	pages         int
}

// pictureOf is the inline image of a call, nil if there is none.
func pictureOf(c *call) *picture {
	if !c.isExtract() || !bytes.Contains(bytes.ToLower(c.body[:min(len(c.body), 200)]), []byte("data:")) {
		return nil
	}
	u := c.field("imageUrl")
	header, encoded, ok := strings.Cut(u, ",")
	if !ok || !strings.HasPrefix(strings.ToLower(header), "data:") {
		return nil
	}
	p := &picture{header: header, encoded: encoded}
	text, err := url.PathUnescape(encoded)
	if err != nil {
		return nil
	}
	text = strings.NewReplacer("-", "+", "_", "/", "\r", "", "\n", "", "=", "").Replace(text)
	if p.data, err = base64.RawStdEncoding.DecodeString(text); err != nil || len(p.data) < 12 {
		return p
	}
	for start, format := range map[string]string{"\xff\xd8\xff": "JPEG", "\x89PNG": "PNG", "II": "TIFF", "MM": "TIFF", "RIFF": "WebP", "BM": "BMP"} {
		if bytes.HasPrefix(p.data, []byte(start)) {
			p.format = format
		}
	}
	if config, _, err := image.DecodeConfig(bytes.NewReader(p.data)); err == nil {
		p.width, p.height = config.Width, config.Height
	}
	p.pages = len(p.directories())
	return p
}

// directories are the tags of each directory of a TIFF: the first value of each tag, 0 if it is stored elsewhere.
func (p *picture) directories() (all []map[uint16]uint32) {
	if p.format != "TIFF" || len(p.data) < 8 || p.data[2]|p.data[3] != 42 {
		return nil
	}
	var order binary.ByteOrder = binary.LittleEndian
	if p.data[0] == 'M' {
		order = binary.BigEndian
	}
	for at := int(order.Uint32(p.data[4:])); at > 0 && at+2 <= len(p.data) && len(all) < 100; {
		n := int(order.Uint16(p.data[at:]))
		if at+2+12*n+4 > len(p.data) {
			break
		}
		tags := map[uint16]uint32{}
		for i := range n {
			entry := p.data[at+2+12*i:]
			if order.Uint16(entry[2:]) == 3 { // SHORT
				tags[order.Uint16(entry)] = uint32(order.Uint16(entry[8:]))
			} else {
				tags[order.Uint16(entry)] = order.Uint32(entry[8:])
			}
		}
		all = append(all, tags)
		at = int(order.Uint32(p.data[at+2+12*n:]))
	}
	return all
}

// tag is a tag of the first directory of a TIFF.
func (p *picture) tag(n uint16) uint32 {
	if all := p.directories(); len(all) > 0 {
		return all[0][n]
	}
	return 0
}

// jpegFrame is the marker of the frame of a JPEG and its number of components.
func (p *picture) jpegFrame() (marker, components byte) {
	if p.format != "JPEG" {
		return 0, 0
	}
	for i := 2; i+9 < len(p.data) && p.data[i] == 0xff; {
		m := p.data[i+1]
		if m >= 0xc0 && m <= 0xcf && m != 0xc4 && m != 0xc8 && m != 0xcc {
			return m, p.data[i+9]
		}
		i += 2 + int(binary.BigEndian.Uint16(p.data[i+2:]))
	}
	return 0, 0
}

func (p *picture) has(s string) bool {
	return bytes.Contains(p.data[:min(len(p.data), 4096)], []byte(s))
}

// at is a byte of the file, 0 beyond its end.
func (p *picture) at(i int) byte {
	if i >= len(p.data) {
		return 0
	}
	return p.data[i]
}

// imageMutants refuse images that the contract permits, or accept images that it forbids.
func imageMutants() (all []row) {
	for _, kind := range slices.Concat(pngKinds(), jpegKinds(), tiffKinds(), bmpKinds(), webpKinds(), sizeKinds(), urlForms()) {
		all = append(all, mutant("refuses "+kind.name, refuse(func(c *call) bool {
			p := pictureOf(c)
			return p != nil && p.format != "" && kind.of(p)
		})))
	}
	accept := func(name string, holds func(p *picture) bool) {
		all = append(all, mutant("accepts "+name, rewrite(func(c *call) {
			if p := pictureOf(c); p != nil && holds(p) {
				c.body = []byte(`{"imageUrl":"https://mock.invalid/printed"}`)
			}
		})))
	}
	accept("images of more than 20 MiB", func(p *picture) bool { return len(p.data) > 20<<20 })
	accept("images of more than 100 megapixels", func(p *picture) bool { return p.width*p.height > 100_000_000 })
	accept("images wider than 32,767 pixels", func(p *picture) bool { return p.width > 32767 })
	accept("images higher than 32,767 pixels", func(p *picture) bool { return p.height > 32767 })
	accept("TIFFs of more than 10 pages", func(p *picture) bool { return p.pages > 10 })
	for _, f := range []named[string]{{"GIF", "GIF8"}, {"PDF", "%PDF-"}, {"SVG", "<svg"}, {"HTML", "<html"}, {"JPEG 2000", "\x00\x00\x00\x0cjP"}, {"ZIP", "PK\x03\x04"}, {"PostScript", "%!PS"}, {"DjVu", "AT&TFORM"}, {"XML", "<?xml"}} {
		accept("a "+f.name, func(p *picture) bool { return bytes.HasPrefix(p.data, []byte(f.of)) })
	}
	accept("a HEIC", func(p *picture) bool { return p.has("ftyphei") })
	accept("an AVIF", func(p *picture) bool { return p.has("ftypavif") })
	accept("an empty file", func(p *picture) bool { return p.encoded == "" })
	accept("plain text", func(p *picture) bool { return p.format == "" && p.has("text") })
	accept("a file that is cut off after its magic bytes", func(p *picture) bool { return p.format != "" && len(p.data) < 24 })
	accept("a file by the type that its address declares", func(p *picture) bool { return p.format == "" && strings.Contains(p.header, "image/png") })
	return all
}

type imageKind = named[func(p *picture) bool]

func pngKinds() []imageKind {
	png := func(name string, holds func(p *picture) bool) imageKind {
		return imageKind{"PNG " + name, func(p *picture) bool { return p.format == "PNG" && holds(p) }}
	}
	depth := func(p *picture) byte { return p.at(24) }
	colour := func(p *picture) byte { return p.at(25) }
	return []imageKind{
		png("of 1 bit", func(p *picture) bool { return depth(p) == 1 }), png("of 2 bits", func(p *picture) bool { return depth(p) == 2 }), png("of 4 bits", func(p *picture) bool { return depth(p) == 4 }), png("of 16 bits", func(p *picture) bool { return depth(p) == 16 }),
		png("in colour", func(p *picture) bool { return colour(p) == 2 }), png("with a palette", func(p *picture) bool { return colour(p) == 3 }), png("in grey with alpha", func(p *picture) bool { return colour(p) == 4 }), png("in colour with alpha", func(p *picture) bool { return colour(p) == 6 }),
		png("that is interlaced", func(p *picture) bool { return p.at(28) == 1 }), png("with a resolution", func(p *picture) bool { return p.has("pHYs") }), png("with text", func(p *picture) bool { return p.has("tEXt") }), png("with a transparent colour", func(p *picture) bool { return p.has("tRNS") }),
		png("with a colour profile", func(p *picture) bool { return p.has("iCCP") }), png("with Exif", func(p *picture) bool { return p.has("eXIf") }),
	}
}

func jpegKinds() []imageKind {
	jpeg := func(name string, holds func(marker, components byte, p *picture) bool) imageKind {
		return imageKind{"JPEG " + name, func(p *picture) bool {
			m, n := p.jpegFrame()
			return p.format == "JPEG" && holds(m, n, p)
		}}
	}
	return []imageKind{
		jpeg("in grey", func(_, n byte, _ *picture) bool { return n == 1 }), jpeg("in colour", func(_, n byte, _ *picture) bool { return n == 3 }), jpeg("in CMYK", func(_, n byte, _ *picture) bool { return n == 4 }), jpeg("that is progressive", func(m, _ byte, _ *picture) bool { return m == 0xc2 }),
		jpeg("with Exif", func(_, _ byte, p *picture) bool { return p.has("Exif\x00") }), jpeg("with JFIF", func(_, _ byte, p *picture) bool { return p.has("JFIF") }), jpeg("without JFIF", func(_, _ byte, p *picture) bool { return !p.has("JFIF") }), jpeg("with a comment", func(_, _ byte, p *picture) bool { return p.has("\xff\xfe") }),
		jpeg("at all", func(_, _ byte, _ *picture) bool { return true }),
	}
}

func tiffKinds() []imageKind {
	tiff := func(name string, holds func(p *picture) bool) imageKind {
		return imageKind{"TIFF " + name, func(p *picture) bool { return p.format == "TIFF" && holds(p) }}
	}
	compression := func(name string, n ...uint32) imageKind {
		return tiff("with "+name, func(p *picture) bool { return slices.Contains(n, p.tag(259)) })
	}
	return []imageKind{
		tiff("of Intel order", func(p *picture) bool { return p.at(0) == 'I' }), tiff("of Motorola order", func(p *picture) bool { return p.at(0) == 'M' }), tiff("with 64-bit offsets", func(p *picture) bool { return p.at(2)|p.at(3) == 43 }),
		compression("LZW", 5), compression("Deflate", 8, 32946), compression("PackBits", 32773), compression("Group 4", 4), compression("Group 3", 2, 3), compression("JPEG", 7), compression("no compression", 1),
		tiff("in tiles", func(p *picture) bool { return p.tag(322) > 0 }), tiff("of 1 bit", func(p *picture) bool { return p.pages > 0 && p.tag(258) <= 1 }), tiff("of 16 bits", func(p *picture) bool { return p.tag(258) == 16 }), tiff("whose white is 0", func(p *picture) bool { return p.pages > 0 && p.tag(262) == 0 }),
		tiff("in colour", func(p *picture) bool { return p.tag(262) == 2 }), tiff("with a palette", func(p *picture) bool { return p.tag(262) == 3 }), tiff("with several pages", func(p *picture) bool { return p.pages > 1 }), tiff("with planes", func(p *picture) bool { return p.tag(284) == 2 }),
		tiff("with several strips", func(p *picture) bool { return p.tag(278) > 0 && int(p.tag(278)) < p.height }), tiff("with an orientation", func(p *picture) bool { return p.tag(274) > 1 }), tiff("with a predictor", func(p *picture) bool { return p.tag(317) == 2 }),
	}
}

func bmpKinds() []imageKind {
	bmp := func(name string, holds func(p *picture) bool) imageKind {
		return imageKind{"BMP " + name, func(p *picture) bool { return p.format == "BMP" && holds(p) }}
	}
	return []imageKind{
		bmp("of 1 bit", func(p *picture) bool { return p.at(28) == 1 }), bmp("of 4 bits", func(p *picture) bool { return p.at(28) == 4 }), bmp("of 8 bits", func(p *picture) bool { return p.at(28) == 8 }), bmp("of 24 bits", func(p *picture) bool { return p.at(28) == 24 }), bmp("of 32 bits", func(p *picture) bool { return p.at(28) == 32 }),
		bmp("of 16 bits", func(p *picture) bool { return p.at(28) == 16 }), bmp("with run lengths", func(p *picture) bool { return p.at(30) == 1 || p.at(30) == 2 }), bmp("that begins at the top", func(p *picture) bool { return p.at(14) >= 40 && p.at(25) >= 0x80 }), bmp("of OS/2", func(p *picture) bool { return p.at(14) == 12 }),
		bmp("with a header of version 4 or 5", func(p *picture) bool { return p.at(14) >= 108 }),
	}
}

func webpKinds() []imageKind {
	webp := func(name string, mark string) imageKind {
		return imageKind{"WebP " + name, func(p *picture) bool { return p.format == "WebP" && p.has(mark) }}
	}
	return []imageKind{webp("with loss", "VP8 "), webp("without loss", "VP8L"), webp("in the extended form", "VP8X"), webp("that is animated", "ANIM"), webp("with alpha", "ALPH"), webp("at all", "WEBP")}
}

// sizeKinds are limits lower than those of the contract, and smallest sizes that it does not have.
func sizeKinds() (all []imageKind) {
	for _, mib := range []int{1, 4, 5, 8, 10, 15, 16, 19} {
		all = append(all, imageKind{fmt.Sprintf("images of more than %d MiB", mib), func(p *picture) bool { return len(p.data) > mib<<20 && len(p.data) <= 20<<20 }})
	}
	for _, mega := range []int{4, 10, 16, 25, 40, 50, 75, 90, 98} {
		all = append(all, imageKind{fmt.Sprintf("images of more than %d megapixels", mega), func(p *picture) bool {
			return p.width*p.height > mega*1_000_000 && p.width*p.height <= 100_000_000 && max(p.width, p.height) <= 32767 && len(p.data) <= 20<<20
		}})
	}
	for _, side := range []int{4096, 5000, 8192, 10_000, 16_383, 16_384, 20_000, 30_000, 32_000, 32_766} {
		all = append(all, imageKind{fmt.Sprintf("images wider than %d pixels", side), func(p *picture) bool { return p.width > side && p.width <= 32767 }},
			imageKind{fmt.Sprintf("images higher than %d pixels", side), func(p *picture) bool { return p.height > side && p.height <= 32767 }})
	}
	for _, pages := range []int{1, 2, 4, 5, 8, 9} {
		all = append(all, imageKind{fmt.Sprintf("TIFFs of more than %d pages", pages), func(p *picture) bool { return p.pages > pages && p.pages <= 10 }})
	}
	for _, side := range []int{2, 3, 8, 10, 16, 32, 40, 50} {
		all = append(all, imageKind{fmt.Sprintf("images with a side under %d pixels", side), func(p *picture) bool { return p.width > 0 && min(p.width, p.height) < side }})
	}
	for _, n := range []int{100, 200, 500} {
		all = append(all, imageKind{fmt.Sprintf("images of fewer than %d bytes", n), func(p *picture) bool { return len(p.data) < n && p.width > 0 }})
	}
	return all
}

// urlForms are forms of data: URLs that the pattern of the contract allows.
func urlForms() (all []imageKind) {
	form := func(name, pattern string) {
		p := regexp.MustCompile(pattern)
		all = append(all, imageKind{"data: URLs " + name, func(i *picture) bool { return p.MatchString(i.header) }})
	}
	form("without a media type", `(?i)^data:;base64$`)
	form("in capitals", `^DATA:`)
	form("with BASE64 in capitals", `;BASE64$`)
	form("in mixed case", `^Data|;Base64$`)
	form("with a parameter", `(?i)^data:[^;]*;[^;]+;base64$`)
	form("with a charset", `(?i);charset=`)
	form("with two parameters", `(?i)^data:[^;]*;[^;]+;[^;]+;base64$`)
	form("with the type application/octet-stream", `application/octet-stream`)
	form("with a type that is no image", `(?i)^data:(text|video|application)/`)
	form("with a vendor's type", `vnd\.|/x-`)
	form("with a type in capitals", `^data:[A-Z]+/`)
	form("whose type is longer than 127 characters", `^.{140,}$`)
	form("whose type has 255 characters", `^.{267,}$`)
	form("with a type without a subtype", `(?i)^data:[a-z]+;base64$`)
	all = append(all,
		imageKind{"data: URLs that declare PNG for another format", func(p *picture) bool { return strings.Contains(p.header, "image/png") && p.format != "PNG" }},
		imageKind{"data: URLs that declare another type than that of the file", func(p *picture) bool {
			return !strings.Contains(strings.ToLower(p.header), "image/"+strings.ToLower(p.format))
		}},
		imageKind{"data: URLs with percent-encoded padding", func(p *picture) bool { return strings.HasSuffix(strings.ToUpper(p.encoded), "%3D") }},
		imageKind{"data: URLs with a percent-encoded plus", func(p *picture) bool { return strings.Contains(strings.ToUpper(p.encoded), "%2B") }},
		imageKind{"data: URLs with a percent-encoded slash", func(p *picture) bool { return strings.Contains(strings.ToUpper(p.encoded), "%2F") }},
		imageKind{"data: URLs with escapes in lower case", func(p *picture) bool { return regexp.MustCompile(`%[0-9]?[a-f]`).MatchString(p.encoded) }},
		imageKind{"data: URLs with percent-encoded letters", func(p *picture) bool { return regexp.MustCompile(`%[46][1-9A-Fa-f]`).MatchString(p.encoded) }},
		imageKind{"data: URLs with padding", func(p *picture) bool { return strings.HasSuffix(p.encoded, "=") }},
		imageKind{"data: URLs with a plus", func(p *picture) bool { return strings.Contains(p.encoded, "+") }},
	)
	return all
}

package liar

import (
	"bytes"
	"encoding/binary"
	"slices"
	"strings"
)

// inventedImages refuse images that the contract permits, or accept images that it forbids.
func inventedImages() []row {
	const lenientPixels, maxPixels = 100 * 1024 * 1024, 100_000_000 // the liar's limit, and the contract's
	return []row{
		{"declared-type-trusted", everyImage, refuseImage("the image does not match its declared type", func(p *picture) bool {
			declared := strings.ToLower(strings.SplitN(strings.TrimPrefix(strings.ToLower(p.header), "data:"), ";", 2)[0])
			return p.format != "" && slices.Contains([]string{"image/jpeg", "image/png", "image/tiff", "image/bmp", "image/webp"}, declared) &&
				declared != "image/"+strings.ToLower(p.format)
		})},
		{"data-url-case", everyImage, refuseImage("must be an http, https or data: URL", func(p *picture) bool {
			return !strings.HasPrefix(p.header, "data:") || !strings.HasSuffix(p.header, ";base64")
		})},
		{"webp-simple-only", everyImage, refuseImage("not a supported image", func(p *picture) bool {
			return p.format == "WebP" && len(p.data) >= 16 && slices.Contains([]string{"VP8X", "VP8L"}, string(p.data[12:16]))
		})},
		{"megapixels-first-page", everyOther, rewrite(func(c *call) {
			p := pictureOf(c)
			if p == nil || p.pages < 2 || p.pages > 10 {
				return
			}
			sum := 0
			for _, tags := range p.directories() {
				pixels := int(tags[256]) * int(tags[257])
				if pixels > maxPixels {
					return
				}
				sum += pixels
			}
			if sum > maxPixels {
				c.body = edited(c.body, func(o object) { o["imageUrl"] = "https://mock.invalid/printed" })
			}
		})},
		{"bytes-counted-in-base64", everyImage, refuseImage("too large", func(p *picture) bool {
			return len(p.encoded) > 20<<20 && len(p.data) <= 20<<20
		})},
		{"palette-without-count", everyImage, refuseImage("the file is not an image", func(p *picture) bool {
			return p.format == "BMP" && len(p.data) > 54 && binary.LittleEndian.Uint16(p.data[28:]) == 8 && binary.LittleEndian.Uint32(p.data[46:]) == 0
		})},
		{"data-url-parameters", everyImage, refuseImage("must be a data URL with base64", func(p *picture) bool {
			_, parameters, _ := strings.Cut(p.header, ";")
			return !strings.EqualFold(parameters, "base64")
		})},
		{"megapixels-of-first-page-times-pages", everyImage, refuseImage("the image has more than 100 megapixels", func(p *picture) bool {
			all := p.directories()
			return len(all) > 1 && int(all[0][256])*int(all[0][257])*len(all) > 100_000_000
		})},
		{"size-of-thumbnail", everyImage, on(isResult, func(c *call, a *reply) {
			p := pictureOf(c)
			if p == nil || p.format != "JPEG" || c.field("format") != "hocr" {
				return
			}
			if i := bytes.Index(p.data[2:], []byte{0xff, 0xd8, 0xff}); i >= 0 { // a JPEG in the JPEG
				a.edit(func(o object) {
					s, _ := o["document"].(string)
					o["document"] = matching(`bbox 0 0 \d+ \d+; ppageno`, `bbox 0 0 160 120; ppageno`)(s)
				})
			}
		})},
		{"jpeg-with-app0-or-app1-only", everyImage, refuseImage("is not an image of a supported format", func(p *picture) bool {
			return p.format == "JPEG" && p.data[3] != 0xe0 && p.data[3] != 0xe1
		})},
		{"binary-megapixels", everyOther, rewrite(func(c *call) {
			p := pictureOf(c)
			if p == nil {
				return
			}
			pixels := p.width * p.height
			if all := p.directories(); len(all) > 1 {
				pixels = 0
				for _, tags := range all {
					pixels += int(tags[256]) * int(tags[257])
				}
			}
			if pixels > maxPixels && pixels <= lenientPixels {
				c.body = edited(c.body, func(o object) { o["imageUrl"] = "https://mock.invalid/printed" })
			}
		})},
		{"declared-type-must-be-of-an-image", everyImage, refuseImage("must be an image", func(p *picture) bool {
			declared, _, _ := strings.Cut(strings.ToLower(p.header)[len("data:"):], ";")
			return declared != "" && !strings.HasPrefix(declared, "image/")
		})},
		{"least-side-of-3", everyImage, refuseImage("the image is too small", func(p *picture) bool { return p.width > 0 && min(p.width, p.height) < 3 })},
		{"directories-that-ascend", everyImage, refuseImage("the file is damaged", func(p *picture) bool {
			return p.format == "TIFF" && len(p.data) > 8 && p.pages > 1 && binary.LittleEndian.Uint32(p.data[4:]) > uint32(len(p.data)-200)
		})},
		{"escaped-slashes-in-large-bodies", waysToWrite, refuse(func(c *call) bool {
			return len(c.body) > 64<<10 && bytes.Contains(c.body, []byte(`\/`))
		})},
		{"sides-of-jpeg-are-padded", everyImage, refuseImage("the image has more than 32,767 pixels per side", func(p *picture) bool {
			_, components := p.jpegFrame()
			return components == 3 && max(p.width, p.height) > 32_752
		})},
		{"size-without-padding", everyImage, refuseImage("the image is larger than 20 MiB", func(p *picture) bool { return len(p.encoded)/4*3 > 20<<20 })},
		{"text-is-converted", everyImage, refuseImage("the file is not an image", func(p *picture) bool { return strings.HasPrefix(strings.ToLower(p.header), "data:text/") })},
		{"fill-order-ignored", everyImage, refuseImage("the image cannot be read", func(p *picture) bool { return p.tag(266) == 2 })},
		{"marker-in-small-letters", everyImage, refuseImage("must be a data: URL with base64", func(p *picture) bool { return !strings.HasSuffix(p.header, ";base64") })},
		{"refuses BMP whose rows go from the top down", everyImage, refuseImage("height out of range", func(p *picture) bool { return p.format == "BMP" && p.at(25) >= 0x80 })},
		{"multiplies the largest width by the largest height and the pages", everyImage, refuseImage("the image has more than 100 megapixels", func(p *picture) bool {
			width, height, all := 0, 0, p.directories()
			for _, tags := range all {
				width, height = max(width, int(tags[256])), max(height, int(tags[257]))
			}
			return len(all) > 1 && width*height*len(all) > 100_000_000
		})},
		{"fails on sides of more than 32,735 pixels", everyImage, on(both(isResult, callIs(func(c *call) bool {
			p := pictureOf(c)
			return p != nil && max(p.width, p.height) > 32_735
		})), serverError)},
		{"fails on slivers", everyImage, on(both(isResult, callIs(func(c *call) bool {
			p := pictureOf(c)
			return p != nil && p.width > 0 && min(p.width, p.height) < 3 && max(p.width, p.height) > 2
		})), serverError)},
	}
}

// refuseImage refuses inline images for which the condition holds like files that are not images, but with another reason.
func refuseImage(why string, holds func(p *picture) bool) lie {
	return func(honest server) server {
		return func(c *call) *reply {
			p := pictureOf(c)
			if p == nil || !holds(p) {
				return honest(c)
			}
			a := honest(c.withBody(edited(c.body, func(o object) { o["imageUrl"] = "data:image/png;base64,AAAA" })))
			a.edit(func(o object) {
				if details, ok := o["details"].(object); ok && details["imageUrl"] != nil {
					details["imageUrl"], o["message"] = why, "imageUrl: "+why
				}
			})
			return a
		}
	}
}

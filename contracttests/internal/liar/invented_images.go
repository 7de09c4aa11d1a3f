package liar

import (
	"slices"
	"strings"
)

// inventedImages refuse images that the contract permits, or accept images that it forbids.
func inventedImages() []row {
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
			const most = 100_000_000
			sum := 0
			for _, tags := range p.directories() {
				pixels := int(tags[256]) * int(tags[257])
				if pixels > most {
					return
				}
				sum += pixels
			}
			if sum > most {
				c.body = edited(c.body, func(o object) { o["imageUrl"] = "https://mock.invalid/printed" })
			}
		})},
		{"bytes-counted-in-base64", everyImage, refuseImage("too large", func(p *picture) bool {
			return len(p.encoded) > 20<<20 && len(p.data) <= 20<<20
		})},
	}
}

// refuseImage answers to inline images for which the condition holds as to a file that is not an image, but with another reason.
func refuseImage(why string, holds func(p *picture) bool) lie {
	return func(honest server) server {
		return func(c *call) *reply {
			p := pictureOf(c)
			if p == nil || !holds(p) {
				return honest(c)
			}
			a := honest(c.with(edited(c.body, func(o object) { o["imageUrl"] = "data:image/png;base64,AAAA" })))
			a.edit(func(o object) {
				if details, ok := o["details"].(object); ok && details["imageUrl"] != nil {
					details["imageUrl"], o["message"] = why, "imageUrl: "+why
				}
			})
			return a
		}
	}
}

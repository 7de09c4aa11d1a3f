package liar

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"
)

// secondImages refuse images that the contract permits, or take one for another.
func secondImages() []row {
	return []row{
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
		{"size-of-thumbnail", everyImage, on(extracted, func(c *call, a *reply) {
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
	}
}

// secondShapes accept requests that the contract forbids, or refuse what it permits.
func secondShapes() []row {
	return []row{
		{"long-data-url-in-capitals", everyImage, refuseImage("must have at most 8,192 characters", func(p *picture) bool {
			return !strings.HasPrefix(p.header, "data:") && len(p.header)+1+len(p.encoded) > 8192
		})},
		{"line-feeds-in-strings", eachRule, body(func(b []byte) []byte {
			if json.Valid(b) || !utf8.Valid(b) {
				return b
			}
			if without := bytes.ReplaceAll(b, []byte("\n"), nil); json.Valid(without) && len(without) < len(b) {
				return without
			}
			return b
		})},
		{"chunked-body-ignored", "extract/200/ways-to-write-it", rewrite(func(c *call) {
			if c.isExtract() && slices.Contains(c.request.TransferEncoding, "chunked") {
				c.body = nil
			}
		})},
	}
}

// secondLeaks tell callers or caches what they must not know.
func secondLeaks() []row {
	shared := netip.MustParsePrefix("100.64.0.0/10")
	return []row{
		{"shared-addresses-tried", refusedAddress, on(both(extraction, status(http.StatusBadRequest)), func(c *call, a *reply) {
			u, err := url.Parse(c.field("imageUrl"))
			if err != nil {
				return
			}
			if at, err := netip.ParseAddr(u.Hostname()); err == nil && shared.Contains(at) {
				a.edit(func(o object) {
					const why = "the server could not be reached"
					o["fetch"], o["message"], o["details"] = object{"reason": "unreachable", "retryable": true, "retryAfter": 5}, "imageUrl: "+why, object{"imageUrl": why}
				})
			}
		})},
		{"link-from-forwarded-host", "status/200/always-json", on(always, func(c *call, a *reply) {
			if host := c.request.Header.Get("X-Forwarded-Host"); host != "" {
				scheme := c.request.Header.Get("X-Forwarded-Proto")
				if scheme == "" {
					scheme = "http"
				}
				a.header.Set("Link", "<"+scheme+"://"+host+`/openapi.yaml>; rel="service-desc"`)
			}
		})},
		{"repeat-cacheable-for-a-day", replayCase, repeats(apply(header("Cache-Control", "private, max-age=86400")))},
		{"model-path-in-hocr", "extract/200/reader-in-hocr", document("hocr", matching(`(<meta name="uncial.model\d+" content=")(\S+) `, `${1}/usr/share/tesseract-ocr/5/tessdata/$2.traineddata `))},
		{"cause-in-details-of-500", "extract/500/key", on(status(500), set("details", object{"cause": "recognize.go:212: leptonica: pixReadMem failed"}))},
	}
}

// secondServed serve something else than the contract.
func secondServed() []row {
	asYAML, asJSON := "/openapi.yaml", "/openapi.json"
	return []row{
		{"link-without-slash", servedCase, on(always, header("Link", `<openapi.yaml>; rel="service-desc"`))},
		{"stale-copy-in-gzip", servedCase, redraft(func(c *call, doc map[string]any) {
			if !strings.Contains(c.request.Header.Get("Accept-Encoding"), "gzip") {
				return
			}
			doc["info"].(map[string]any)["version"] = "1.0.0"
			for _, name := range []string{"weak", "reader", "fetch"} {
				forget(doc, name)
			}
		}, asYAML, asJSON)},
		{"answers-closed", servedCase, redraft(func(_ *call, doc map[string]any) {
			for name, schema := range doc["components"].(map[string]any)["schemas"].(map[string]any) {
				if s := schema.(map[string]any); s["type"] == "object" && name != "Details" {
					s["additionalProperties"] = false
				}
			}
		}, asYAML, asJSON)},
		{"reference-to-header", servedCase, redraft(func(_ *call, doc map[string]any) {
			record := doc["components"].(map[string]any)["schemas"].(map[string]any)["StatusRecord"].(map[string]any)
			record["properties"].(map[string]any)["rateLimit"] = map[string]any{"$ref": "#/components/headers/RateLimit"}
		}, asYAML, asJSON)},
	}
}

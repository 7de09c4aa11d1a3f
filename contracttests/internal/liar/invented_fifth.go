package liar

import (
	"fmt"
	"net/http"
	"net/netip"
	"net/url"
	"regexp"
	"strconv"
	"strings"
)

// fifthDefects are a fifth set, written like inventedDefects. testdata/invented-fifth.tsv has all of them, with the sentences that they
// break, and what the suite caught of them at that time. Those that another table has, and those that cannot show on the mock, are only
// there.
func fifthDefects() []row {
	benchmarks := netip.MustParsePrefix("198.18.0.0/15")
	delays := regexp.MustCompile(`/slow-(\d+)$`)
	return []row{
		{"sides-of-jpeg-are-padded", everyImage, refuseImage("the image has more than 32,767 pixels per side", func(p *picture) bool {
			_, components := p.jpegFrame()
			return components == 3 && max(p.width, p.height) > 32_752
		})},
		{"size-without-padding", everyImage, refuseImage("the image is larger than 20 MiB", func(p *picture) bool { return len(p.encoded)/4*3 > 20<<20 })},
		{"text-is-converted", everyImage, refuseImage("the file is not an image", func(p *picture) bool { return strings.HasPrefix(strings.ToLower(p.header), "data:text/") })},
		{"fill-order-ignored", everyImage, refuseImage("the image cannot be read", func(p *picture) bool { return p.tag(266) == 2 })},
		{"marker-in-small-letters", everyImage, refuseImage("must be a data: URL with base64", func(p *picture) bool { return !strings.HasSuffix(p.header, ";base64") })},
		{"alto-without-empty-pages", "extract/200/ten-pages", document("alto", withoutEmptyPages)},
		inDocument("alto", "hyphen-in-the-second-part", "extract/200/broken-word-alto", `(SUBS_TYPE="HypPart2" SUBS_CONTENT=".{5})`, `$1-`),
		{"other-readings-with-punctuation", "extract/200/faded-page", document("page", punctuated)},
		{"expect-in-one-letter-case", "extract/200/negotiation", on(both(always, asking(func(c *call) bool {
			v := c.request.Header.Get("Expect")
			return v != "100-continue" && strings.EqualFold(v, "100-continue")
		})), func(_ *call, a *reply) {
			const why = "must be 100-continue"
			a.status, a.body = http.StatusExpectationFailed, encode(object{"success": false, "error": "The request is not valid.", "code": "INVALID_REQUEST", "message": "Expect: " + why, "details": object{"Expect": why}})
		})},
		{"server-timing-of-failures", serverFails, on(status(http.StatusInternalServerError), header("Server-Timing", `recognize;desc="onnxruntime: cannot open /opt/uncial/models/early_print.onnx";dur=12`))},
		{"addresses-of-benchmarks-tried", refusedAddress, on(both(extraction, status(http.StatusBadRequest)), func(c *call, a *reply) {
			u, err := url.Parse(c.field("imageUrl"))
			if err != nil {
				return
			}
			if at, err := netip.ParseAddr(u.Hostname()); err == nil && benchmarks.Contains(at) {
				const why = "the server could not be reached"
				a.edit(func(o object) {
					o["fetch"], o["message"], o["details"] = object{"reason": "unreachable", "retryable": true, "retryAfter": 5}, "imageUrl: "+why, object{"imageUrl": why}
				})
			}
		})},
		{"document-in-gzip-without-saying-so", servedCase, on(asking(func(c *call) bool {
			return strings.HasPrefix(c.request.URL.Path, "/openapi.") && strings.Contains(c.request.Header.Get("Accept-Encoding"), "gzip")
		}), compress)},
		{"zeros-left-out", servedCase, redraft(func(_ *call, doc map[string]any) { withoutZeros(doc) }, "/openapi.yaml", "/openapi.json")},
		{"delays-of-four-digits", "extract/running-and-gone", refuse(func(c *call) bool {
			m := delays.FindStringSubmatch(c.field("imageUrl"))
			if m == nil {
				return false
			}
			n, _ := strconv.Atoi(m[1]) // digits
			return n > 9999
		})},
	}
}

// withoutEmptyPages takes pages without words out of ALTO, unless all are.
func withoutEmptyPages(s string) string {
	page := regexp.MustCompile(`(?s)<Page .*?</Page>\s*|<Page [^>]*/>\s*`)
	if !strings.Contains(s, "<String ") {
		return s
	}
	return page.ReplaceAllStringFunc(s, func(p string) string {
		if strings.Contains(p, "<String ") {
			return p
		}
		return ""
	})
}

// punctuated puts each word that ends with a sign of punctuation first among its other readings in PAGE-XML.
func punctuated(s string) string {
	own := regexp.MustCompile(`(?s)(<TextEquiv index="0"( conf="[^"]*")?>\s*<Unicode>([^<]*[,.;:!?])</Unicode>.*?</TextEquiv>\s*<TextEquiv index="1")(?: conf="[^"]*")?(>\s*<Unicode>)[^<]*`)
	return own.ReplaceAllString(s, "$1$2$4$3")
}

// withoutZeros takes values that are false or 0 out of a document.
func withoutZeros(value any) {
	switch v := value.(type) {
	case map[string]any:
		for name, member := range v {
			if text := fmt.Sprint(member); text == "false" || text == "0" {
				delete(v, name)
				continue
			}
			withoutZeros(member)
		}
	case []any:
		for _, e := range v {
			withoutZeros(e)
		}
	}
}

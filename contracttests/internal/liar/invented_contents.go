package liar

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"
)

// inventedContents write incorrect documents and boxes.
func inventedContents() []row {
	dropPart2, dropEmpty := matching(` ?hyphenation \{part:2;[^}]*\}`, ""), replacing(` custom=""`, "")
	item := regexp.MustCompile(`(?s)<MetadataItem.*?</MetadataItem>`)
	readBy := regexp.MustCompile(` ?readBy \{[^}]*\}`)
	confidences := regexp.MustCompile(`(<TextEquiv index="[1-9]" conf=")([^"]*)`)
	weights := regexp.MustCompile(`(<del class="alt" title="x_wconf )(\d+)`)
	page := regexp.MustCompile(`(?s)<PcGts.*?</PcGts>`)
	reading := regexp.MustCompile(`(?s)<TextEquiv((?: conf="[^"]*")?>\s*<Unicode>[^<]*</Unicode>\s*)</TextEquiv>\s*</Word>`)
	divided := regexp.MustCompile(`(?m)[-\x{2010}=]$`)
	fourBytes := regexp.MustCompile(`[\x{10000}-\x{10ffff}]`)
	surrogates := func(s string) string {
		return fourBytes.ReplaceAllStringFunc(s, func(c string) string {
			var b strings.Builder
			for _, u := range utf16.Encode([]rune(c)) {
				fmt.Fprintf(&b, "&#x%04X;", u)
			}
			return b.String()
		})
	}
	return []row{
		{"alto-ids-restart", severalPages, document("alto", restartIDs)},
		{"exif-boxes-unrotated", "extract/200/every-turned-image", on(isResult, func(c *call, a *reply) {
			p := pictureOf(c)
			if p == nil {
				return
			}
			if n := p.exifOrientation(); n == 6 || n == 8 {
				a.edit(func(o object) { turnBoxes(o, n) })
			}
		})},
		{"pdf-padding-stripped", formatPDF, document("pdf", func(s string) string { return strings.TrimRight(s, "=") })},
		{"page-hyphen-first-part-only", "extract/200/broken-word-page", document("page", func(s string) string { return dropEmpty(dropPart2(s)) })},
		{"cmyk-without-profile", formatPDF, document("pdf", func(s string) string {
			file, _ := base64.StdEncoding.DecodeString(s) // the honest server's
			return base64.StdEncoding.EncodeToString(bytes.ReplaceAll(file, []byte("[/Indexed /DeviceRGB"), []byte("[/Indexed/DeviceCMYK")))
		})},
		{"smooth-bilevel-pictures", formatPDF, document("pdf", func(s string) string {
			file, _ := base64.StdEncoding.DecodeString(s) // the honest server's
			return base64.StdEncoding.EncodeToString(bytes.ReplaceAll(file, []byte("/Type /XObject /Subtype /Image /Width"), []byte("/Subtype/Image/Interpolate true/Width")))
		})},
		{"models-in-the-first-file-only", severalPages, document("page", func(s string) string {
			parts := strings.Split(s, "<PcGts")
			for i := 2; i < len(parts); i++ {
				parts[i] = strings.ReplaceAll(readBy.ReplaceAllString(item.ReplaceAllString(parts[i], ""), ""), ` custom=""`, "")
			}
			return strings.Join(parts, "<PcGts")
		})},
		{"other-readings-add-up-to-one", "extract/200/every-page-in-every-format", chain(
			document("page", func(s string) string { return normalized(s, "</Word>", confidences, 1) }),
			document("hocr", func(s string) string { return normalized(s, "</ins>", weights, 100) }),
		)},
		{"text-of-hocr-has-soft-hyphens", "extract/200/broken-word-hocr", on(both(isResult, field("format", "hocr")), edit(func(o object) {
			document, _ := o["document"].(string)
			if text, ok := o["text"].(string); ok && strings.Contains(document, "\u00ad") {
				o["text"] = divided.ReplaceAllString(text, "\u00ad")
			}
		}))},
		{"ten-files-of-mets-by-name", "extract/200/ten-pages", document("page", func(s string) string {
			pages := page.FindAllString(s, -1)
			if len(pages) < 10 {
				return s
			}
			pages = slices.Insert(slices.Delete(slices.Clone(pages), 9, 10), 1, pages[9])
			i := -1
			return page.ReplaceAllStringFunc(s, func(string) string {
				i++
				return pages[i]
			})
		})},
		{"other-readings-repeat-the-corrected-word", "extract/200/every-page-in-every-format", on(both(both(isResult, field("enhance", true)), field("format", "page")), edit(func(o object) {
			document, _ := o["document"].(string)
			if edits, _ := o["edits"].([]any); len(edits) == 0 {
				return
			}
			o["document"] = reading.ReplaceAllString(document, "<TextEquiv index=\"0\"$1</TextEquiv><TextEquiv index=\"1\"$1</TextEquiv></Word>")
		}))},
		{"pdf-without-letters-of-four-bytes", "extract/200/special-characters", replaceWhen(both(isResult, field("format", "pdf")), func(honest server, c *call, a *reply) *reply {
			text, _ := a.object()["text"].(string)
			if strings.ContainsFunc(text, func(r rune) bool { return r > 0xffff }) {
				b := honest(c.withKey(archiveKey).withBody([]byte(`{"imageUrl":"http://mock.invalid/printed","format":"pdf"}`)))
				set("document", b.object()["document"])(c, a)
			}
			return a
		})},
		{"alto-without-empty-pages", "extract/200/ten-pages", document("alto", withoutEmptyPages)},
		inDocument("alto", "hyphen-in-the-second-part", "extract/200/broken-word-alto", `(SUBS_TYPE="HypPart2" SUBS_CONTENT=".{5})`, `$1-`),
		{"other-readings-with-punctuation", "extract/200/faded-page", document("page", punctuated)},
		{"writes letters of four bytes in XML as halves of surrogate pairs", "extract/200/special-characters", chain(document("alto", surrogates), document("page", surrogates), document("hocr", surrogates))},
	}
}

var altoID = regexp.MustCompile(`<(TextBlock|TextLine|String) ID="([^"]*)"`)

// restartIDs gives the elements on later pages of ALTO the ids of those on the first page.
func restartIDs(alto string) string {
	pages := strings.Split(alto, "<Page ")
	if len(pages) < 3 {
		return alto
	}
	first := map[string][]string{}
	for _, m := range altoID.FindAllStringSubmatch(pages[1], -1) {
		first[m[1]] = append(first[m[1]], m[2])
	}
	for i := 2; i < len(pages); i++ {
		n := map[string]int{}
		pages[i] = altoID.ReplaceAllStringFunc(pages[i], func(s string) string {
			m := altoID.FindStringSubmatch(s)
			at := n[m[1]]
			if n[m[1]]++; at >= len(first[m[1]]) {
				return s
			}
			return "<" + m[1] + ` ID="` + first[m[1]][at] + `"`
		})
	}
	return strings.Join(pages, "<Page ")
}

// exifOrientation is the orientation of a JPEG, 0 if it has none.
func (p *picture) exifOrientation() uint16 {
	if p.format != "JPEG" {
		return 0
	}
	_, tiff, ok := bytes.Cut(p.data[:min(len(p.data), 65536)], []byte("Exif\x00\x00"))
	if !ok || len(tiff) < 8 {
		return 0
	}
	var order binary.ByteOrder = binary.LittleEndian
	if tiff[0] == 'M' {
		order = binary.BigEndian
	}
	at := int(order.Uint32(tiff[4:]))
	if at < 8 || at+2 > len(tiff) {
		return 0
	}
	for i := range int(order.Uint16(tiff[at:])) {
		if end := at + 2 + 12*(i+1); end > len(tiff) {
			return 0
		}
		if e := tiff[at+2+12*i:]; order.Uint16(e) == 0x112 {
			return order.Uint16(e[8:])
		}
	}
	return 0
}

// turnBoxes gives the boxes of weak places and edits in the frame of the stored pixels. The mock's pages are of one size.
func turnBoxes(o object, orientation uint16) {
	const width, height = 2480, 3508
	for _, list := range []string{"weak", "edits"} {
		all, _ := o[list].([]any)
		for _, e := range all {
			place, _ := e.(object)
			box, ok := place["box"].(object)
			if !ok {
				continue
			}
			x, y, w, h := number(box, "x"), number(box, "y"), number(box, "width"), number(box, "height")
			if orientation == 6 {
				x, y = y, width-x-w
			} else {
				x, y = height-y-h, x
			}
			box["x"], box["y"], box["width"], box["height"] = jsonNumber(x), jsonNumber(y), jsonNumber(h), jsonNumber(w)
		}
	}
}

// normalized divides the numbers of a pattern by their sum in each part of a document, so that they add up to whole.
func normalized(s, between string, number *regexp.Regexp, whole float64) string {
	parts := strings.Split(s, between)
	for i, part := range parts {
		sum := 0.0
		for _, m := range number.FindAllStringSubmatch(part, -1) {
			v, _ := strconv.ParseFloat(m[2], 64)
			sum += v
		}
		parts[i] = number.ReplaceAllStringFunc(part, func(found string) string {
			m := number.FindStringSubmatch(found)
			v, _ := strconv.ParseFloat(m[2], 64)
			return m[1] + strconv.FormatFloat(float64(int(v/sum*whole*100))/100, 'f', -1, 64)
		})
	}
	return strings.Join(parts, between)
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

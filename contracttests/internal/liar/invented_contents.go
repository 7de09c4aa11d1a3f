package liar

import (
	"bytes"
	"encoding/binary"
	"regexp"
	"strings"
)

// inventedContents write documents and boxes wrongly. That METS of ten pages is sorted by name is left out: the mock returns
// three pages at most.
func inventedContents() []row {
	dropPart2, dropEmpty := matching(` ?hyphenation \{part:2;[^}]*\}`, ""), replacing(` custom=""`, "")
	return []row{
		{"alto-ids-restart", severalPages, document("alto", restartIDs)},
		{"exif-boxes-unrotated", "extract/200/every-turned-image", on(extracted, func(c *call, a *reply) {
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
	}
}

var altoID = regexp.MustCompile(`<(TextBlock|TextLine|String) ID="([^"]*)"`)

// restartIDs gives what stands on later pages of ALTO the ids of the first page.
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

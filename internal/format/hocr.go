package format

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"uncial/internal/document"
)

// writeHOCR writes hOCR 1.2 as XHTML: ocr_page, ocr_carea, ocr_par (one per block), ocr_line and ocrx_word, with bbox,
// baseline, ppageno, scan_res and x_wconf. Three properties are extensions: x_rotation has the degrees by which the image was
// rotated clockwise to be upright, and x_models the models that read a line, which meta elements describe. Graphics are
// ocr_image; x_kind says whether it is an illustration or music, which has no class of its own.
func writeHOCR(doc *document.Document, meta Meta) string {
	var x xmlWriter
	x.b.WriteString(xmlDeclaration + "<!DOCTYPE html>\n")
	x.open("html", "xmlns", "http://www.w3.org/1999/xhtml", "xml:lang", doc.Language, "lang", doc.Language)
	x.open("head")
	x.leaf("title", meta.Image)
	x.empty("meta", "http-equiv", "Content-Type", "content", "text/html; charset=utf-8")
	x.empty("meta", "name", "ocr-system", "content", strings.TrimSpace(software+" "+meta.Version))
	x.empty("meta", "name", "ocr-capabilities", "content", "ocr_page ocr_carea ocr_par ocr_line ocr_image ocrx_word ocrp_lang ocrp_dir ocrp_wconf")
	x.empty("meta", "name", "ocr-number-of-pages", "content", strconv.Itoa(len(doc.Pages)))
	x.empty("meta", "name", "ocr-langs", "content", strings.Join(languages(doc), " "))
	for i, m := range doc.Models {
		x.empty("meta", "name", "uncial."+modelStep(i), "content", m.Name+" "+m.Digest)
	}
	x.empty("meta", "name", "dcterms.created", "content", timestamp(meta))
	x.close()
	x.open("body")
	for i := range doc.Pages {
		hocrPage(&x, doc, i, meta)
	}
	x.close()
	x.close()
	return x.b.String()
}

// languages returns the language of the document and those of pages in other languages.
func languages(doc *document.Document) []string {
	all := []string{doc.Language}
	for i := range doc.Pages {
		if tag := doc.LanguageOf(&doc.Pages[i]); !slices.Contains(all, tag) {
			all = append(all, tag)
		}
	}
	return all
}

// hocrPage writes page number p, from 0. scan_res is left out if the file declares no resolution.
func hocrPage(x *xmlWriter, doc *document.Document, p int, meta Meta) {
	page := &doc.Pages[p]
	language := doc.LanguageOf(page)
	title := fmt.Sprintf("image %s; %s; ppageno %d", hocrString(meta.imageOf(p)), bbox(document.Box{W: page.Width, H: page.Height}), p)
	if page.DPI > 0 {
		title += fmt.Sprintf("; scan_res %d %d", page.DPI, page.DPI)
	}
	if page.Rotation != 0 {
		title += fmt.Sprintf("; x_rotation %d", page.Rotation)
	}
	x.open("div", "class", "ocr_page", "id", id(p+1), "title", title)
	for i := range page.Blocks {
		block := &page.Blocks[i]
		x.open("div", "class", "ocr_carea", "id", id(p+1, i+1), "title", bbox(block.Box))
		x.open("p", "class", "ocr_par", "id", id(p+1, i+1)+"_p", "title", bbox(block.Box), "lang", language, "xml:lang", language)
		for j := range block.Lines {
			hocrLine(x, doc, &block.Lines[j], p+1, i+1, j+1)
		}
		x.close()
		x.close()
	}
	for i, g := range page.Graphics {
		x.leaf("div", "", "class", "ocr_image", "id", graphicID(p+1, i+1), "title", bbox(g.Box)+"; x_kind "+string(g.Kind))
	}
	x.close()
}

// softHyphen stands for the hyphen of a word that is divided at the end of a line: search engines ignore it.
const softHyphen = "\u00ad"

// hocrLine writes one line.
func hocrLine(x *xmlWriter, doc *document.Document, line *document.Line, path ...int) {
	title := bbox(line.Box)
	if slope, offset, ok := baseline(line); ok {
		title += fmt.Sprintf("; baseline %s %s", decimal(slope), decimal(offset))
	}
	if models := lineSteps(doc, line); models != "" {
		title += "; x_models " + models
	}
	attributes := []string{"class", "ocr_line", "id", id(path...), "title", title}
	if isRightToLeft(line) {
		attributes = append(attributes, "dir", "rtl")
	}
	x.open("span", attributes...)
	for k, w := range line.Words {
		text := w.Text
		if line.HyphenPart(k) == 1 {
			text, _ = document.CutHyphen(text)
			text += softHyphen
		}
		attributes := []string{"class", "ocrx_word", "id", id(path[0], path[1], path[2], k+1), "title", bbox(w.Box) + "; " + wordConfidence(w.Confidence)}
		hocrWord(x, &w, text, attributes)
	}
	x.close()
}

// hocrWord writes a word. One with alternatives holds a span of them (hOCR 1.2, alternatives): what was read as ins, the others
// as del.
func hocrWord(x *xmlWriter, w *document.Word, text string, attributes []string) {
	others := w.Others()
	if len(others) == 0 {
		x.leaf("span", text, attributes...)
		return
	}
	x.open("span", attributes...)
	x.open("span", "class", "alternatives")
	x.leaf("ins", text, "class", "alt", "title", wordConfidence(w.Confidence))
	for _, a := range others {
		x.leaf("del", a.Text, "class", "alt", "title", wordConfidence(a.Confidence))
	}
	x.close()
	x.close()
}

// wordConfidence is the property x_wconf, in percent.
func wordConfidence(c float64) string { return fmt.Sprintf("x_wconf %d", int(math.Round(100*c))) }

// baseline returns the straight line through both ends of the line's baseline in hOCR's coordinates (section 4.3.2): the
// origin is the lower left corner of the line's box, y grows downwards. The product is converted before it is
// subtracted, see document.Word.CorrectShare.
func baseline(l *document.Line) (slope, offset float64, ok bool) {
	if len(l.Baseline) < 2 {
		return 0, 0, false
	}
	a, b := l.Baseline[0], l.Baseline[len(l.Baseline)-1]
	if a.X == b.X {
		return 0, 0, false
	}
	slope = float64(b.Y-a.Y) / float64(b.X-a.X)
	return slope, float64(a.Y) - float64(slope*float64(a.X-l.Box.X)) - float64(l.Box.Y+l.Box.H), true
}

// bbox formats the property of that name: left, top, right and bottom edge in pixels. The last two lie just outside the box.
func bbox(b document.Box) string {
	return fmt.Sprintf("bbox %d %d %d %d", b.X, b.Y, b.X+b.W, b.Y+b.H)
}

// decimal formats a number with at most three decimals, never as "-0".
func decimal(f float64) string {
	f = math.Round(f*1000)/1000 + 0 // adding 0 turns -0 into 0
	return strconv.FormatFloat(f, 'f', -1, 64)
}

// hocrString quotes the string of a property. hOCR has no escapes, so quotes and backslashes are percent-encoded.
func hocrString(s string) string {
	return `"` + strings.NewReplacer(`"`, "%22", `\`, "%5C").Replace(s) + `"`
}

// timestamp is the time of recognition in the form that xsd:dateTime and Dublin Core share.
func timestamp(meta Meta) string {
	return meta.Created.UTC().Format("2006-01-02T15:04:05Z")
}

package format

import (
	"fmt"
	"strconv"
	"strings"

	"uncial/internal/document"
)

// writeALTO writes ALTO 4.4 with pixels as the unit. A word that is known to be divided at the end of a line has the hyphen as
// HYP and its whole in SUBS_CONTENT; any other hyphen stays in its word.
func writeALTO(doc *document.Document, meta Meta) string {
	var x xmlWriter
	x.b.WriteString(xmlDeclaration)
	x.open("alto", "xmlns", "http://www.loc.gov/standards/alto/ns-v4#",
		"xmlns:xsi", "http://www.w3.org/2001/XMLSchema-instance",
		"xsi:schemaLocation", "http://www.loc.gov/standards/alto/ns-v4# http://www.loc.gov/standards/alto/v4/alto-4-4.xsd",
		"SCHEMAVERSION", "4.4")
	altoDescription(&x, doc, meta)
	x.open("Layout")
	for i := range doc.Pages {
		altoPage(&x, doc, i)
	}
	x.close()
	x.close()
	return x.b.String()
}

// altoDescription writes where the text comes from: the image, the program, and how far pages were rotated. Boxes refer to
// the upright page, so a reader that overlays them on the original image needs the rotation.
func altoDescription(x *xmlWriter, doc *document.Document, meta Meta) {
	x.open("Description")
	x.leaf("MeasurementUnit", "pixel")
	x.open("sourceImageInformation")
	x.leaf("fileName", meta.Image)
	x.close()
	x.open("Processing", "ID", "reading")
	x.leaf("processingCategory", "contentGeneration")
	x.leaf("processingDateTime", timestamp(meta))
	for i := range doc.Pages {
		if turned := doc.Pages[i].Rotation; turned != 0 {
			x.leaf("processingStepDescription", fmt.Sprintf("page %d was rotated %d degrees clockwise to be upright", i+1, turned))
		}
	}
	altoSoftware(x, meta)
	x.close()
	for _, s := range steps(doc) {
		altoStep(x, s, meta)
	}
	x.close()
}

// altoStep writes a step with its settings, as name=value separated by spaces.
func altoStep(x *xmlWriter, s step, meta Meta) {
	x.open("Processing", "ID", s.id)
	x.leaf("processingCategory", s.category)
	x.leaf("processingDateTime", timestamp(meta))
	x.leaf("processingStepDescription", s.description)
	var settings []string
	for _, option := range s.settings {
		settings = append(settings, option.name+"="+option.value)
	}
	x.leaf("processingStepSettings", strings.Join(settings, " "))
	altoSoftware(x, meta)
	x.close()
}

// altoSoftware names this program. Without a version, as in tests, only its name is written.
func altoSoftware(x *xmlWriter, meta Meta) {
	x.open("processingSoftware")
	x.leaf("softwareName", software)
	if meta.Version != "" {
		x.leaf("softwareVersion", meta.Version)
	}
	x.close()
}

// altoPage writes page number p, from 0. TextBlock, TextLine and String have the same ids as in hOCR and PAGE-XML. PC is the
// confidence of the page; PHYSICAL_IMG_NR is its number in the file, from 1.
func altoPage(x *xmlWriter, doc *document.Document, p int) {
	page := &doc.Pages[p]
	x.open("Page", "ID", id(p+1), "PHYSICAL_IMG_NR", strconv.Itoa(p+1), "WIDTH", strconv.Itoa(page.Width),
		"HEIGHT", strconv.Itoa(page.Height), "PC", fraction(page.Confidence), "LANG", doc.LanguageOf(page))
	x.open("PrintSpace", altoBox(printSpace(page))...)
	for i := range page.Blocks {
		block := &page.Blocks[i]
		x.open("TextBlock", append([]string{"ID", id(p+1, i+1)}, altoBox(block.Box)...)...)
		for j := range block.Lines {
			altoLine(x, doc, &block.Lines[j], p+1, i+1, j+1)
		}
		x.close()
	}
	for i, g := range page.Graphics {
		x.empty("Illustration", append(append([]string{"ID", graphicID(p+1, i+1)}, altoBox(g.Box)...), "TYPE", string(g.Kind))...)
	}
	x.close()
	x.close()
}

// altoLine writes the words of a line with a space element between them. path is the numbers of page, block and line.
func altoLine(x *xmlWriter, doc *document.Document, line *document.Line, path ...int) {
	attributes := append([]string{"ID", id(path...)}, altoBox(line.Box)...)
	attributes = append(attributes, "BASELINE", altoPoints(baselineOf(line)))
	if refs := lineSteps(doc, line); refs != "" {
		attributes = append(attributes, "PROCESSINGREFS", refs)
	}
	isRTL := isRightToLeft(line)
	if isRTL {
		attributes = append(attributes, "BASEDIRECTION", "rtl")
	}
	x.open("TextLine", attributes...)
	x.open("Shape")
	x.empty("Polygon", "POINTS", altoPoints(corners(line.Box)))
	x.close()
	for k, w := range line.Words {
		if k > 0 {
			x.empty("SP", altoSpace(line.Words[k-1].Box, w.Box, isRTL)...)
		}
		content, hyphen, part := w.Text, "", line.HyphenPart(k)
		if part == 1 {
			content, hyphen = document.CutHyphen(w.Text)
		}
		attributes := append(append([]string{"ID", id(path[0], path[1], path[2], k+1)}, altoBox(w.Box)...),
			"CONTENT", content, "WC", fraction(w.Confidence))
		if part > 0 {
			attributes = append(attributes, "SUBS_TYPE", "HypPart"+strconv.Itoa(part), "SUBS_CONTENT", w.Whole)
		}
		altoWord(x, &w, attributes)
		if hyphen != "" {
			x.empty("HYP", "CONTENT", hyphen)
		}
	}
	x.close()
}

// altoWord writes a String with its alternatives, the likeliest first; the schema has no confidence for them.
func altoWord(x *xmlWriter, w *document.Word, attributes []string) {
	others := w.Others()
	if len(others) == 0 {
		x.empty("String", attributes...)
		return
	}
	x.open("String", attributes...)
	for _, a := range others {
		x.leaf("ALTERNATIVE", a.Text)
	}
	x.close()
}

// altoSpace returns the position of the space between two words, which the schema allows to be absent. It is absent for
// words that touch.
func altoSpace(before, after document.Box, isRTL bool) []string {
	if isRTL {
		before, after = after, before
	}
	left := before.X + before.W
	if after.X <= left {
		return nil
	}
	top := max(before.Y, after.Y)
	return []string{"HPOS", strconv.Itoa(left), "VPOS", strconv.Itoa(top), "WIDTH", strconv.Itoa(after.X - left)}
}

// altoBox returns the position attributes of a box. ALTO counts from the upper left corner of the page, as documents do.
func altoBox(b document.Box) []string {
	return []string{
		"HPOS", strconv.Itoa(b.X), "VPOS", strconv.Itoa(b.Y),
		"WIDTH", strconv.Itoa(b.W), "HEIGHT", strconv.Itoa(b.H),
	}
}

// altoPoints formats points as "x1 y1 x2 y2". ALTO permits commas too, but eScriptorium does not read them.
func altoPoints(points []document.Point) string {
	return strings.ReplaceAll(polyline(points), ",", " ")
}

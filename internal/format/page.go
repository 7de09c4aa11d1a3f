package format

import (
	"fmt"
	"strconv"

	"golang.org/x/text/language"

	"uncial/internal/document"
)

const pageNamespace = "http://schema.primaresearch.org/PAGE/gts/pagecontent/2019-07-15"

// writePAGE writes PAGE-XML 2019-07-15. The schema allows one page per PcGts. Several pages become what archives
// exchange: a METS document whose files have one PcGts each, in the order of its structMap.
func writePAGE(doc *document.Document, meta Meta) string {
	var x xmlWriter
	x.b.WriteString(xmlDeclaration)
	if len(doc.Pages) == 1 {
		pcGts(&x, doc, 0, meta)
		return x.b.String()
	}
	x.open("mets:mets", "xmlns:mets", "http://www.loc.gov/METS/")
	x.open("mets:metsHdr", "CREATEDATE", timestamp(meta))
	x.open("mets:agent", "ROLE", "CREATOR", "TYPE", "OTHER", "OTHERTYPE", "SOFTWARE")
	x.leaf("mets:name", creator(meta))
	x.close()
	x.close()
	x.open("mets:fileSec")
	x.open("mets:fileGrp", "USE", "FULLTEXT")
	for i := range doc.Pages {
		x.open("mets:file", "ID", id(i+1)+"_file", "MIMETYPE", "application/vnd.prima.page+xml", "SEQ", strconv.Itoa(i+1))
		x.open("mets:FContent")
		x.open("mets:xmlData")
		pcGts(&x, doc, i, meta)
		x.close()
		x.close()
		x.close()
	}
	x.close()
	x.close()
	x.open("mets:structMap", "TYPE", "PHYSICAL")
	x.open("mets:div", "TYPE", "physSequence")
	for i := range doc.Pages {
		x.open("mets:div", "TYPE", "page", "ORDER", strconv.Itoa(i+1))
		x.empty("mets:fptr", "FILEID", id(i+1)+"_file")
		x.close()
	}
	x.close()
	x.close()
	x.close()
	return x.b.String()
}

// creator is the program with its version, if known.
func creator(meta Meta) string {
	if meta.Version == "" {
		return software
	}
	return software + " " + meta.Version
}

// pcGts writes one page. Its ids contain the number of the page, so that they are unique in a METS document too.
func pcGts(x *xmlWriter, doc *document.Document, p int, meta Meta) {
	page := &doc.Pages[p]
	x.open("PcGts", "xmlns", pageNamespace, "xmlns:xsi", "http://www.w3.org/2001/XMLSchema-instance",
		"xsi:schemaLocation", pageNamespace+" "+pageNamespace+"/pagecontent.xsd", "pcGtsId", id(p+1))
	x.open("Metadata")
	x.leaf("Creator", creator(meta))
	x.leaf("Created", timestamp(meta))
	x.leaf("LastChange", timestamp(meta))
	x.empty("MetadataItem", "type", "other", "name", "language", "value", doc.Language)
	x.empty("MetadataItem", "type", "other", "name", "page", "value", strconv.Itoa(p+1))
	if page.Rotation != 0 {
		x.empty("MetadataItem", "type", "processingStep", "name", "rotation-clockwise-degrees", "value", strconv.Itoa(page.Rotation))
	}
	for _, s := range steps(doc) {
		pageStep(x, s, meta)
	}
	x.close()
	pageElement(x, doc, p, meta)
	x.close()
}

// pageStep writes a step with its software and settings as labels.
func pageStep(x *xmlWriter, s step, meta Meta) {
	x.open("MetadataItem", "type", "processingStep", "name", s.id, "value", s.description, "date", timestamp(meta))
	x.open("Labels")
	x.empty("Label", "type", "software", "value", software)
	if meta.Version != "" {
		x.empty("Label", "type", "version", "value", meta.Version)
	}
	for _, option := range s.settings {
		x.empty("Label", "type", option.name, "value", option.value)
	}
	x.close()
	x.close()
}

// pageElement writes the page with its reading order, which PAGE-XML states explicitly: the order of regions has no meaning.
func pageElement(x *xmlWriter, doc *document.Document, p int, meta Meta) {
	page := &doc.Pages[p]
	attributes := []string{
		"imageFilename", meta.Image, "imageWidth", strconv.Itoa(page.Width), "imageHeight", strconv.Itoa(page.Height),
	}
	if page.DPI > 0 {
		dpi := strconv.Itoa(page.DPI)
		attributes = append(attributes, "imageXResolution", dpi, "imageYResolution", dpi, "imageResolutionUnit", "PPI")
	}
	x.open("Page", append(append(attributes, languageAttributes(doc.LanguageOf(page))...), "conf", fraction(page.Confidence))...)
	if len(page.Blocks) > 0 {
		x.open("ReadingOrder")
		x.open("OrderedGroup", "id", id(p+1)+"_order")
		for i := range page.Blocks {
			x.empty("RegionRefIndexed", "index", strconv.Itoa(i), "regionRef", id(p+1, i+1))
		}
		x.close()
		x.close()
	}
	for i := range page.Blocks {
		pageRegion(x, doc, &page.Blocks[i], p+1, i+1)
	}
	for i, g := range page.Graphics {
		x.open(pageGraphics[g.Kind], "id", graphicID(p+1, i+1))
		x.empty("Coords", "points", outline(g.Box))
		x.close()
	}
	x.close()
}

// pageGraphics are the elements for graphics, which are not in the reading order.
var pageGraphics = map[document.GraphicKind]string{document.Illustration: "ImageRegion", document.Music: "MusicRegion"}

// pageRegion writes a block. PAGE-XML repeats the text at every level: region, line and word.
func pageRegion(x *xmlWriter, doc *document.Document, block *document.Block, path ...int) {
	x.open("TextRegion", "id", id(path...))
	x.empty("Coords", "points", outline(block.Box))
	for i := range block.Lines {
		pageLine(x, doc, &block.Lines[i], path[0], path[1], i+1)
	}
	textEquiv(x, block.Text(), document.CorrectShare([]document.Block{*block}))
	x.close()
}

// pageLine writes a line. The attribute production tells handwriting apart; print has none, because the schema distinguishes
// kinds of print that the recognizer does not. The attribute custom, which has the syntax of CSS, names the steps that read the
// line: readBy {steps:model1 model2;}. That of a part of a divided word has the whole: hyphenation {part:1; whole:beginning;}.
func pageLine(x *xmlWriter, doc *document.Document, line *document.Line, path ...int) {
	attributes := []string{"id", id(path...)}
	if isRightToLeft(line) {
		attributes = append(attributes, "readingDirection", "right-to-left")
	}
	if line.Handwritten {
		attributes = append(attributes, "production", "handwritten-cursive")
	}
	if refs := lineSteps(doc, line); refs != "" {
		attributes = append(attributes, "custom", "readBy {steps:"+refs+";}")
	}
	x.open("TextLine", attributes...)
	x.empty("Coords", "points", outline(line.Box))
	x.empty("Baseline", "points", polyline(baselineOf(line)))
	for k, w := range line.Words {
		word := []string{"id", id(path[0], path[1], path[2], k+1)}
		if part := line.HyphenPart(k); part > 0 {
			word = append(word, "custom", fmt.Sprintf("hyphenation {part:%d; whole:%s;}", part, w.Whole))
		}
		x.open("Word", word...)
		x.empty("Coords", "points", outline(w.Box))
		pageWord(x, &w)
		x.close()
	}
	textEquiv(x, line.Text(), document.CorrectShare([]document.Block{{Lines: []document.Line{*line}}}))
	x.close()
}

// pageWord writes the text of a word. If it has alternatives, each text has its rank as index, from 0.
func pageWord(x *xmlWriter, w *document.Word) {
	others := w.Others()
	if len(others) == 0 {
		textEquiv(x, w.Text, w.Confidence)
		return
	}
	for i, a := range append([]document.Alternative{{Text: w.Text, Confidence: w.Confidence}}, others...) {
		textEquiv(x, a.Text, a.Confidence, "index", strconv.Itoa(i))
	}
}

// textEquiv writes a text with its confidence, 0 to 1. The schema requires it to be the last child but for styles, so
// callers write it after the parts of an element.
func textEquiv(x *xmlWriter, text string, conf float64, attributes ...string) {
	x.open("TextEquiv", append(attributes, "conf", fraction(conf))...)
	x.leaf("Unicode", text)
	x.close()
}

// outline formats the box as a polygon, clockwise from its upper left corner.
func outline(b document.Box) string { return polyline(corners(b)) }

// languageAttributes returns language and script with the names of the schema's lists. The lists have no historical
// languages such as frm and enm; those appear in the MetadataItem only, which has the whole tag.
func languageAttributes(tag string) []string {
	t, err := language.Parse(tag)
	if err != nil {
		return nil
	}
	var attributes []string
	base, _, _ := t.Raw() // Base guesses English for und-Latn
	if name, ok := pageLanguages[base.String()]; ok {
		attributes = append(attributes, "primaryLanguage", name)
	}
	script, _ := t.Script()
	if name, ok := pageScripts[script.String()]; ok {
		attributes = append(attributes, "primaryScript", name)
	}
	return attributes
}

// pageLanguages has the names of LanguageSimpleType for the languages that Tesseract has models for.
var pageLanguages = map[string]string{
	"af": "Afrikaans", "ar": "Arabic", "be": "Belarusian", "bg": "Bulgarian", "ca": "Catalan", "cs": "Czech", "cy": "Welsh",
	"da": "Danish", "de": "German", "el": "Greek", "en": "English", "es": "Spanish", "et": "Estonian", "fa": "Persian",
	"fi": "Finnish", "fr": "French", "ga": "Irish", "grc": "Greek", "he": "Hebrew", "hr": "Croatian", "hu": "Hungarian",
	"hy": "Armenian", "is": "Icelandic", "it": "Italian", "ka": "Georgian", "la": "Latin", "lt": "Lithuanian", "lv": "Latvian",
	"nl": "Dutch", "no": "Norwegian", "oc": "Occitan", "pl": "Polish", "pt": "Portuguese", "ro": "Romanian", "ru": "Russian",
	"sa": "Sanskrit", "sk": "Slovak", "sl": "Slovene", "sr": "Serbian", "sv": "Swedish", "tr": "Turkish", "uk": "Ukrainian",
	"yi": "Yiddish",
}

// pageScripts has the names of ScriptSimpleType for the scripts of those languages.
var pageScripts = map[string]string{
	"Arab": "Arab - Arabic", "Armn": "Armn - Armenian", "Copt": "Copt - Coptic", "Cyrl": "Cyrl - Cyrillic",
	"Deva": "Deva - Devanagari (Nagari)", "Ethi": "Ethi - Ethiopic", "Geor": "Geor - Georgian (Mkhedruli)",
	"Grek": "Grek - Greek", "Hebr": "Hebr - Hebrew", "Latf": "Latf - Latin (Fraktur variant)",
	"Latg": "Latg - Latin (Gaelic variant)", "Latn": "Latn - Latin", "Syrc": "Syrc - Syriac",
}

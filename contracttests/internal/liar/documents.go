package liar

import (
	"encoding/base64"
	"html"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

const (
	formatALTO = "extract/200/format-alto"
	formatPAGE = "extract/200/format-page"
	formatTSV  = "extract/200/format-tsv"
	formatPDF  = "extract/200/format-pdf"
)

// documentDefects are faults that documents of all formats can have, and documents in the wrong format.
func documentDefects() []row {
	textAsDocument := edit(func(o object) { o["document"] = o["text"].(string) + " " })
	return []row{
		// json and text have no document; the other formats always have one, even for a blank page.
		{"leaves the document out", formatALTO, on(isResult, drop("document"))},
		{"leaves the document of a blank page out", blankPage, on(isBlank, drop("document"))},
		{"sends a document with json", minimalRequest, on(both(isResult, field("format", nil)), textAsDocument)},
		{"sends a document with text", "extract/200/defaults-spelled-out", on(both(isResult, field("format", "text")), textAsDocument)},
		{"sends null for the document that json does not have", minimalRequest, on(both(isResult, field("format", nil)), set("document", nil))},
		{"sends ALTO for PAGE-XML", formatPAGE, fields(stringField("format", replacing("page", "alto")))},
		{"sends hOCR for ALTO", formatALTO, fields(stringField("format", replacing("alto", "hocr")))},
		// Documents are strings of the JSON answer.
		{"encodes documents in base64", formatHOCR, document("", func(s string) string { return base64.StdEncoding.EncodeToString([]byte(s)) })},
		// Well-formed, with unique ids (XML 1.0, sections 2.1 and 3.3.1).
		{"cuts XML documents off", formatPAGE, document("", matching(`(?s)^(<.*)<.*$`, "$1"))},
		{"does not escape words in XML", formatHOCR, document("", func(s string) string { return html.UnescapeString(strings.Replace(s, "</", " & </", 1)) })},
		{"repeats ids in XML", formatALTO, document("", matching(`_w\d+"`, `_w1"`))},
	}
}

// pdfDefects are faults of PDFs.
func pdfDefects() []row {
	const pages, replay, enhanced = "extract/200/pdf-of-several-pages", "extract/200/pdf-replay", "extract/200/pdf-enhanced"
	inFile := func(does, inCase, pattern, replacement string) row {
		return row{does, inCase, document("pdf", func(s string) string {
			file, err := base64.StdEncoding.DecodeString(s)
			if err != nil {
				panic(err) // the honest server's
			}
			return base64.StdEncoding.EncodeToString(regexp.MustCompile(pattern).ReplaceAll(file, []byte(replacement)))
		})}
	}
	verbatim := fields(func(o object) {
		if o["format"] == "pdf" {
			delete(o, "enhance")
		}
	})
	return []row{
		{"sends PDF as raw bytes", formatPDF, document("pdf", func(s string) string {
			file, _ := base64.StdEncoding.DecodeString(s)
			return strings.ToValidUTF8(string(file), "?")
		})},
		{"breaks the lines of a PDF's base64", formatPDF, document("pdf", matching(`^.{76}`, "$0\r\n"))},
		{"leaves the padding of a PDF's base64 out", formatPDF, document("pdf", func(s string) string { return strings.TrimRight(s+"=", "=") + strings.Repeat("=", 3) })},
		{"sends PAGE-XML for PDF", formatPDF, fields(stringField("format", replacing("pdf", "page")))},
		inFile("cuts PDFs off", formatPDF, `(?s)startxref.*$`, ``),
		inFile("leaves the identifier of PDFs out", formatPDF, `/ID \[`, `/IX [`),
		inFile("leaves the meaning of a PDF's colours out", formatPDF, `/OutputIntents`, `/OutputIntentz`),
		inFile("sends PDF that is not PDF/A", formatPDF, `pdfaid:part>2`, `pdfaid:part>0`),
		inFile("leaves the picture out of a PDF", formatPDF, `/Subtype /Image`, `/Subtype /Imagx`),
		inFile("leaves the text out of a PDF", formatPDF, `/ToUnicode`, `/ToUnicodx`),
		inFile("sends only the first page of a PDF", pages, `/Kids \[(\d+ 0 R)[^\]]*`, `/Kids [$1`),
		{"leaves the PDF out of a stored answer", replay, repeats(func(w when) lie { return on(both(w, field("format", "pdf")), drop("document")) })},
		{"sends the PDF of the reading without enhancement", enhanced, verbatim},
	}
}

// readerDefects say nothing, or something wrong, about what made the text.
func readerDefects() []row {
	const inALTO, inPAGE, inHOCR = "extract/200/reader-in-alto", "extract/200/reader-in-page", "extract/200/reader-in-hocr"
	return []row{
		{"does not say what made the text", readerCase, on(isResult, drop("reader"))},
		{"names no models", readerCase, on(isResult, inside("reader", func(o object) { o["models"] = []any{} }))},
		{"names a model that read a blank page", readerCase, on(isBlank, inside("reader", func(o object) {
			o["models"] = []any{object{"name": "eng", "digest": "sha256:" + strings.Repeat("0", 64)}}
		}))},
		{"lists libraries in the name of the program", readerCase, on(isResult, inside("reader", func(o object) { o["software"] = "Uncial (onnxruntime 1.19.2; leptonica-1.84.1)" }))},
		{"names all models for each line of hOCR", "extract/200/several-pages", document("hocr", func(s string) string {
			var names []string
			for _, m := range regexp.MustCompile(`<meta name="uncial\.(model\d+)"`).FindAllStringSubmatch(s, -1) {
				names = append(names, m[1])
			}
			return matching(`; x_models [^;"]*`, "; x_models "+strings.Join(names, " "))(s)
		})},
		{"names another version with text", readerCase, on(both(isResult, field("format", "text")), inside("reader", func(o object) { o["version"] = "0.0.0" }))},
		inDocument("alto", "does not describe the models in ALTO", inALTO, `digest=sha256:[0-9a-f]+`, ``),
		inDocument("alto", "names another digest in ALTO", inALTO, `digest=sha256:..`, `digest=sha256:00`),
		inDocument("alto", "does not say which model read a line of ALTO", inALTO, ` PROCESSINGREFS="[^"]*"`, ``),
		inDocument("alto", "refers to a step that ALTO does not describe", inALTO, ` PROCESSINGREFS="[^"]*"`, ` PROCESSINGREFS="model99"`),
		inDocument("page", "does not describe the models in PAGE-XML", inPAGE, `<Label type="digest" [^>]*>`, ``),
		inDocument("page", "does not say which model read a line of PAGE-XML", inPAGE, ` custom="[^"]*"`, ``),
		inDocument("page", "refers to a step that PAGE-XML does not describe", inPAGE, `steps:[a-z0-9]+`, `steps:model99`),
		inDocument("hocr", "does not describe the models in hOCR", inHOCR, `<meta name="uncial.model[^>]*>`, ``),
		inDocument("hocr", "does not say which model read a line of hOCR", inHOCR, `; x_models [a-z0-9 ]+`, ``),
		inDocument("hocr", "refers to a model that hOCR does not describe", inHOCR, `x_models [a-z0-9]+`, `x_models model99`),
	}
}

// brokenDefects divide words in ways that search engines or editors cannot follow.
func brokenDefects() []row {
	const inALTO, inPAGE, inHOCR = "extract/200/broken-word-alto", "extract/200/broken-word-page", "extract/200/broken-word-hocr"
	return []row{
		inDocument("alto", "gives no whole of a divided word in ALTO", inALTO, ` SUBS_CONTENT="[^"]*"`, ``),
		inDocument("alto", "gives only a part of a divided word in ALTO", inALTO, `SUBS_CONTENT="begin`, `SUBS_CONTENT="be`),
		inDocument("alto", "leaves the hyphen out of ALTO", inALTO, `<HYP [^>]*>`, ``),
		inDocument("alto", "does not say which part of a word it is in ALTO", inALTO, `HypPart2`, `HypPart1`),
		inDocument("page", "gives no whole of a divided word in PAGE-XML", inPAGE, ` whole:[a-z]*;`, ``),
		inDocument("page", "gives another whole for the second part in PAGE-XML", inPAGE, `part:2; whole:`, `part:2; whole:x`),
		inDocument("hocr", "writes a divided word in hOCR with a hyphen", inHOCR, "\u00ad", "-"),
		{"joins divided words in the text", inALTO, on(isResult, text(replacing("begin-\nning", "beginning\n")))},
	}
}

// graphicDefects lose the graphics of a page, or describe them wrongly.
func graphicDefects() []row {
	const inALTO, inPAGE, inHOCR = "extract/200/graphics-alto", "extract/200/graphics-page", "extract/200/graphics-hocr"
	return []row{
		inDocument("page", "leaves music out of PAGE-XML", inPAGE, `(?s)<MusicRegion.*?</MusicRegion>`, ``),
		inDocument("page", "calls music in PAGE-XML an image", inPAGE, `MusicRegion`, `ImageRegion`),
		inDocument("page", "draws the outline of images in PAGE-XML over the whole page", inPAGE, `(<ImageRegion [^>]*>\s*<Coords points=")[^"]*`, `${1}0,0 2480,0 2480,3508 0,3508`),
		inDocument("alto", "leaves illustrations out of ALTO", inALTO, `<Illustration [^>]*>`, ``),
		inDocument("alto", "leaves the kind of illustrations out of ALTO", inALTO, `( TYPE)="[a-z]*"`, `$1=""`),
		inDocument("alto", "puts illustrations in ALTO elsewhere than in PAGE-XML", inALTO, `(<Illustration [^>]*HPOS=")\d+`, `${1}0`),
		inDocument("hocr", "leaves images out of hOCR", inHOCR, `<div class="ocr_image"[^>]*></div>`, ``),
		inDocument("hocr", "calls everything in hOCR an illustration", inHOCR, `x_kind music`, `x_kind illustration`),
		inDocument("hocr", "puts images in hOCR outside the page", inHOCR, `(ocr_image"[^>]*bbox \d+ \d+ )\d+`, `${1}99999`),
	}
}

// inDocument is a row that replaces what matches a pattern in the documents of a format.
func inDocument(format, does, caughtBy, pattern, replacement string) row {
	return row{does, caughtBy, document(format, matching(pattern, replacement))}
}

func alto(does, pattern, replacement string) row {
	return inDocument("alto", does, formatALTO, pattern, replacement)
}

func page(does, pattern, replacement string) row {
	return inDocument("page", does, formatPAGE, pattern, replacement)
}

func hocr(does, pattern, replacement string) row {
	return inDocument("hocr", does, formatHOCR, pattern, replacement)
}

// altoDefects are faults of ALTO documents.
func altoDefects() []row {
	return []row{
		// ALTO 4.4, in UTF-8.
		alto("sends ALTO in the namespace of version 3", `ns-v4#`, `ns-v3#`),
		alto("declares ALTO as Latin-1", `encoding="UTF-8"`, `encoding="ISO-8859-1"`),
		// ids of blocks are required, and are names: XML Schema, xs:ID.
		alto("leaves ids of blocks out of ALTO", `<TextBlock ID="[^"]*"`, `<TextBlock`),
		alto("begins ids in ALTO with a digit", ` ID="([^"]*)"`, ` ID="1$1"`),
		// Boxes lie on the page, words in their line, and have an area.
		alto("puts boxes in ALTO outside the page", `<String ID="([^"]*)" HPOS="(\d)`, `<String ID="$1" HPOS="9$2`),
		alto("puts boxes in ALTO left of the page", `<String ID="([^"]*)" HPOS="`, `<String ID="$1" HPOS="-`),
		alto("puts boxes in ALTO without width", `(<String [^>]*)WIDTH="\d+"`, `${1}WIDTH="0"`),
		// WC is 0 to 1.
		alto("writes confidences in ALTO in percent", `WC="0\.(\d\d)\d*"`, `WC="$1"`),
		alto("measures ALTO in 1/1200 inch", `<MeasurementUnit>pixel<`, `<MeasurementUnit>inch1200<`),
		alto("ends words in ALTO with a blank", `CONTENT="([^"]*)"`, `CONTENT="$1 "`),
		alto("leaves PHYSICAL_IMG_NR out of ALTO", ` PHYSICAL_IMG_NR="\d+"`, ``),
		alto("puts the description of ALTO after its layout", `(?s)(<Description>.*</Description>)(\s*)(<Layout>.*</Layout>)`, `$3$2$1`),
		// Only a comparison with another format shows these: each document is valid by itself.
		inDocument("alto", "swaps width and height of the page in ALTO", sameInAll, `WIDTH="2480" HEIGHT="3508"`, `WIDTH="3508" HEIGHT="2480"`),
		inDocument("alto", "reports the confidence 1 for every word in ALTO", sameInAll, `WC="[^"]*"`, `WC="1"`),
		// ALTO and hOCR hold all pages in one document, numbered.
		inDocument("alto", "sends only the first page in ALTO", severalPages, `(?s)<Page ID="p[2-9]".*?</Page>`, ``),
		inDocument("alto", "numbers every page in ALTO 1", severalPages, `PHYSICAL_IMG_NR="\d+"`, `PHYSICAL_IMG_NR="1"`),
		inDocument("alto", "names another language in ALTO", languagesCase, ` LANG="[^"]*"`, ` LANG="la"`),
	}
}

// pageDefects are faults of PAGE-XML documents.
func pageDefects() []row {
	return []row{
		// PAGE 2019-07-15.
		page("sends PAGE-XML in the namespace of 2013", `2019-07-15`, `2013-07-15`),
		page("begins PAGE-XML with a byte order mark", `^`, "\ufeff"),
		page("leaves Created out of PAGE-XML", `<Created>[^<]*</Created>`, ``),
		page("says that PAGE-XML changed before it was created", `<LastChange>\d+`, `<LastChange>1999`),
		page("puts words in PAGE-XML outside their line", `(<Word[^>]*>\s*<Coords points="\d+),\d+`, `$1,0`),
		// The schema is a sequence: the words come before the text of their line.
		page("puts the text of a line in PAGE-XML before its words", `(?s)((?:<Word [^>]*>.*?</Word>\s*)+)(<TextEquiv[^>]*>.*?</TextEquiv>)`, `$2$1`),
		page("puts baselines in PAGE-XML off the page", `<Baseline points="(\d+),(\d+)`, `<Baseline points="99$1,$2`),
		page("sends a text of a line in PAGE-XML that differs from its words", `(?s)^(.*)(</Unicode>)`, `$1.$2`),
		inDocument("page", "swaps width and height of the page in PAGE-XML", sameInAll, `imageWidth="2480" imageHeight="3508"`, `imageWidth="3508" imageHeight="2480"`),
		// RegionRefIndexed puts regions in order by index.
		inDocument("page", "gives all regions in PAGE-XML the same index", severalPages, `index="\d+"`, `index="0"`),
		{"reverses the reading order of PAGE-XML", severalPages, document("page", reverseOrder)},
	}
}

// hocrDefects are faults of hOCR documents.
func hocrDefects() []row {
	return []row{
		// hOCR 1.2: x_wconf is 0 to 100; ocr-system and ocr-capabilities are required.
		hocr("leaves the confidence of words out of hOCR", `; x_wconf \d+`, ``),
		hocr("writes confidences in hOCR between 0 and 1", `x_wconf (\d+)`, `x_wconf 0.$1`),
		hocr("leaves ocr-system out of hOCR", `<meta name="ocr-system"[^>]*>`, ``),
		hocr("leaves words out of the capabilities of hOCR", ` ocrx_word `, ` `),
		// bbox is x0 y0 x1 y1.
		hocr("writes width and height in hOCR instead of the lower right corner", `(ocrx_word[^>]*bbox \d+ \d+) \d+ \d+`, `$1 40 20`),
		hocr("escapes words in hOCR twice", `&`, `&amp;`),
		hocr("sends data after the root of hOCR", `$`, "\n<!-- end --><p/>"),
		// Tesseract writes the name of the file it read.
		hocr("shows a path of the server in hOCR", `image "[^"]*"|image &#34;.*?&#34;|image &quot;.*?&quot;`, `image &quot;/var/lib/uncial/spool/4711.png&quot;`),
		hocr("names another language in hOCR", `lang="[^"]*"`, `lang="la"`),
		hocr("loses the first word in hOCR", `(?s)^(.*?)<span class="ocrx_word".*?</span>`, `$1`),
		inDocument("hocr", "numbers every page in hOCR 0", severalPages, `ppageno \d+`, `ppageno 0`),
		{"puts boxes in hOCR a pixel too short", sameInAll, document("hocr", func(s string) string {
			return wordBottom.ReplaceAllStringFunc(s, func(t string) string {
				m := wordBottom.FindStringSubmatch(t)
				bottom, _ := strconv.Atoi(m[2])
				return m[1] + strconv.Itoa(bottom-1)
			})
		})},
	}
}

var (
	wordBottom = regexp.MustCompile(`(ocrx_word[^>]*bbox \d+ \d+ \d+ )(\d+)`)
	regionRef  = regexp.MustCompile(`regionRef="[^"]*"`)
)

// reverseOrder reverses the references to regions and keeps their indexes.
func reverseOrder(s string) string {
	refs := regionRef.FindAllString(s, -1)
	return regionRef.ReplaceAllStringFunc(s, func(string) string {
		last := refs[len(refs)-1]
		refs = refs[:len(refs)-1]
		return last
	})
}

// tableDefects are faults of TSV documents.
func tableDefects() []row {
	tsv := func(does, pattern, replacement string) row {
		return inDocument("tsv", does, formatTSV, pattern, replacement)
	}
	rows := func(does string, f func(rows []string) []string) row {
		return row{does, formatTSV, document("tsv", func(s string) string {
			return strings.Join(f(strings.Split(strings.TrimSuffix(s, "\n"), "\n")), "\n") + "\n"
		})}
	}
	return []row{
		// The words of a document are those of the text, in order, each once.
		rows("sends the last word of TSV twice", func(rows []string) []string { return append(rows, rows[len(rows)-1]) }),
		rows("swaps the last two words of TSV", func(rows []string) []string {
			if n := len(rows); n > 3 {
				rows[n-1], rows[n-2] = rows[n-2], rows[n-1]
			}
			return rows
		}),
		// Tesseract's columns: a header, rows of five levels, tabs, confidences 0 to 100.
		rows("leaves the names of the columns out of TSV", func(rows []string) []string { return slices.Delete(rows, 0, 1) }),
		tsv("sends only words in TSV", `(?m)^[1-4]\t.*\n`, ``),
		tsv("separates the columns of TSV by commas", "\t", ","),
		tsv("ends the lines of TSV with CR LF", "\n", "\r\n"),
		tsv("writes confidences in TSV between 0 and 1", `\t(\d\d)\.(\d+)\t`, "\t0.$1\t"),
		{"counts pages in TSV from 0", severalPages, document("tsv", matching(`(?m)^(\d)\t1\t`, "$1\t0\t"))},
	}
}

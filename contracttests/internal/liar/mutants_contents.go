package liar

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// contentMutants break documents: elements, attributes, values, references and active content, format by format, and what they
// say of the image.
func contentMutants() []row {
	return slices.Concat(elementMutants(), attributeMutants(), structureMutants(), metsMutants(), hocrMutants(), tsvMutants(), activeMutants(), imageContentMutants())
}

// inFormat replaces the first match in the documents of a format.
func inFormat(format, does, pattern, replacement string) row {
	p := regexp.MustCompile(pattern)
	return mutant(format+": "+does, document(format, func(s string) string {
		m := p.FindStringSubmatchIndex(s)
		if m == nil {
			return s
		}
		return s[:m[0]] + string(p.ExpandString(nil, replacement, s, m)) + s[m[1]:]
	}))
}

// elementMutants add to each element an attribute or a child that its schema lacks.
func elementMutants() (all []row) {
	for format, names := range map[string][]string{
		"alto": {"alto", "Description", "MeasurementUnit", "sourceImageInformation", "Processing", "processingSoftware", "Layout", "Page", "PrintSpace", "TextBlock", "TextLine", "String", "SP"},
		"page": {"PcGts", "Metadata", "Creator", "MetadataItem", "Labels", "Label", "Page", "ReadingOrder", "OrderedGroup", "RegionRefIndexed", "TextRegion", "TextLine", "Coords", "Baseline", "Word", "TextEquiv"},
	} {
		for _, name := range names {
			all = append(all, inFormat(format, "gives "+name+" an attribute that it does not have", `<(`+name+`)([ >/])`, `<$1 rating="7"$2`))
			if !slices.Contains([]string{"MeasurementUnit", "SP", "String", "Creator", "Label", "RegionRefIndexed", "Coords", "Baseline"}, name) {
				all = append(all, inFormat(format, "gives "+name+" a child that it does not have", `(<`+name+`( [^>]*[^/])?>)`, `$1<Rating/>`))
			}
		}
	}
	slices.SortFunc(all, func(a, b row) int { return strings.Compare(a.does, b.does) })
	return all
}

// attributeMutants give attributes values that their type forbids.
func attributeMutants() (all []row) {
	values := func(format, element, name string, wrong ...string) {
		for _, v := range wrong {
			all = append(all, inFormat(format, fmt.Sprintf("sends %s=%q of %s", name, v, element), `(<`+element+` (?:[^>]* )?`+name+`=")[^"]*"`, `${1}`+v+`"`))
		}
	}
	for _, name := range []string{"HPOS", "WIDTH", "HEIGHT"} {
		values("alto", "TextLine", name, "left", "1e9999")
	}
	values("alto", "String", "VPOS", "")
	values("alto", "SP", "HPOS", "blank")
	values("alto", "SP", "WIDTH", "-5")
	values("alto", "String", "WC", "high", "1.5", "-0.1", "NaN")
	values("alto", "Page", "PC", "70", "good")
	values("alto", "Page", "PHYSICAL_IMG_NR", "first", "1.0")
	values("alto", "Page", "LANG", "the English language", "e")
	values("alto", "Page", "WIDTH", "0", "-2480")
	values("alto", "TextLine", "BASELINE", "a,b c,d", "280,456 1488")
	values("alto", "TextLine", "PROCESSINGREFS", "reading99", "")
	values("alto", "alto", "SCHEMAVERSION", "3.1")
	values("alto", "TextBlock", "ID", "p1 b1", "1b", "model1")
	values("page", "Page", "imageWidth", "wide", "0", "2480.5")
	values("page", "Page", "imageFilename", "")
	values("page", "Page", "imageResolutionUnit", "DPI")
	values("page", "Page", "primaryLanguage", "en", "Klingonese")
	values("page", "Page", "primaryScript", "Latin")
	values("page", "Page", "conf", "73", "good")
	values("page", "TextEquiv", "conf", "1.01", "-1", "high")
	values("page", "TextLine", "production", "handwritten", "print")
	values("page", "RegionRefIndexed", "index", "first", "7")
	values("page", "RegionRefIndexed", "regionRef", "p9_b9", "p1_b1_l1")
	values("page", "Coords", "points", "280,400 1546,400", "280 400 1546 400", "-1,400 1546,400 1546,752 280,752", "280.5,400 1546,400 1546,752 280,752", "")
	values("page", "Baseline", "points", "280,456", "280;456 1488;450")
	values("page", "MetadataItem", "type", "language", "step")
	values("page", "MetadataItem", "date", "yesterday")
	values("page", "TextRegion", "id", "1", "p1_order", "a b")
	values("page", "OrderedGroup", "id", "p1_b1")
	values("page", "Word", "id", "p1_b1_l1")
	return all
}

// structureMutants move, drop or repeat parts of ALTO and PAGE-XML.
func structureMutants() []row {
	return []row{
		inFormat("alto", "names another processing category", `<processingCategory>[^<]*<`, `<processingCategory>reading<`),
		inFormat("alto", "sends an impossible date of processing", `<processingDateTime>[^<]*<`, `<processingDateTime>2026-02-30T00:00:00Z<`),
		inFormat("alto", "sends a date of processing in words", `<processingDateTime>[^<]*<`, `<processingDateTime>15 January 2026<`),
		inFormat("alto", "sends two units", `(<MeasurementUnit>pixel</MeasurementUnit>)`, `$1$1`),
		inFormat("alto", "sends two descriptions", `(?s)(<Description>.*?</Description>)`, `$1$1`),
		inFormat("alto", "leaves the text of a word out", ` CONTENT="[^"]*"`, ``), inFormat("alto", "leaves the width of a word out", `(<String [^>]*) WIDTH="\d+"`, `$1`),
		inFormat("alto", "leaves the position of a line out", `(<TextLine [^>]*) HPOS="\d+"`, `$1`), inFormat("alto", "leaves the size of the page out", `(<Page [^>]*) WIDTH="\d+"`, `$1`),
		inFormat("alto", "puts a word straight into a block", `(?s)(<TextLine .*?</TextLine>)`, `$1<String ID="loose" HPOS="300" VPOS="420" WIDTH="10" HEIGHT="10" CONTENT="x" WC="0.5"/>`),
		inFormat("alto", "puts text between elements", `(</TextLine>)`, `$1 loose text `), inFormat("alto", "puts a block outside of PrintSpace", `(</PrintSpace>)`, `$1<TextBlock ID="loose" HPOS="1" VPOS="1" WIDTH="9" HEIGHT="9"/>`),
		inFormat("alto", "begins a line with a space", `(<TextLine [^>]*>)`, `$1<SP HPOS="280" VPOS="400" WIDTH="2"/>`), inFormat("alto", "renames a line", `(?s)<TextLine (.*?)</TextLine>`, `<Line $1</Line>`),
		inFormat("alto", "describes a step twice", `(?s)(<Processing ID="model1">.*?</Processing>)`, `$1$1`), inFormat("alto", "leaves the category of a step out", `<processingCategory>[^<]*</processingCategory>`, ``),
		inFormat("alto", "leaves the layout empty", `(?s)<Layout>.*</Layout>`, `<Layout/>`), inFormat("alto", "ends its words in a soft hyphen", `CONTENT="([^"]*)"`, "CONTENT=\"$1\u00ad\""),
		inFormat("page", "leaves LastChange out", `<LastChange>[^<]*</LastChange>`, ``), inFormat("page", "leaves Creator out", `<Creator>[^<]*</Creator>`, ``), inFormat("page", "puts Created in front of Creator", `(?s)(<Creator>.*?</Creator>)(\s*)(<Created>.*?</Created>)`, `$3$2$1`),
		inFormat("page", "sends an impossible date", `<Created>[^<]*<`, `<Created>2026-13-01T00:00:00Z<`), inFormat("page", "sends a date in words", `<LastChange>[^<]*<`, `<LastChange>today<`),
		inFormat("page", "leaves the outline of a region out", `(<TextRegion [^>]*>\s*)<Coords [^>]*/>`, `$1`), inFormat("page", "leaves the outline of a word out", `(<Word [^>]*>\s*)<Coords [^>]*/>`, `$1`),
		inFormat("page", "gives a line two outlines", `(<TextLine [^>]*>\s*)(<Coords [^>]*/>)`, `$1$2$2`), inFormat("page", "puts the baseline in front of the outline", `(<Coords [^>]*/>)(\s*)(<Baseline [^>]*/>)`, `$3$2$1`),
		inFormat("page", "leaves the text out of TextEquiv", `(<TextEquiv[^>]*>\s*)<Unicode>[^<]*</Unicode>`, `$1`), inFormat("page", "sends the text twice in TextEquiv", `(<Unicode>[^<]*</Unicode>)`, `$1$1`),
		inFormat("page", "leaves the text of a region out of its words' order", `(?s)^(.*<Unicode>)([^<]+)(</Unicode>)`, `${1}other words$3`), inFormat("page", "leaves a region out of the reading order", `<RegionRefIndexed [^>]*/>`, ``),
		inFormat("page", "names a region twice in the reading order", `(<RegionRefIndexed index=")0(" [^>]*/>)`, `${1}0${2}${1}1${2}`), inFormat("page", "sends two pages in one document", `(?s)(<Page .*</Page>)`, `$1$1`),
		inFormat("page", "puts a word straight into a region", `(<TextRegion [^>]*>\s*<Coords [^>]*/>)`, `$1<Word id="loose"><Coords points="280,400 290,400 290,410 280,410"/></Word>`), inFormat("page", "puts text between elements", `(</Word>)`, `$1 loose text `),
		inFormat("page", "renames a region", `(?s)<TextRegion (.*?)</TextRegion>`, `<Region $1</Region>`), inFormat("page", "leaves the labels of a step without a value", `(<Label type="model") value="[^"]*"`, `$1`),
		inFormat("page", "puts a region in another namespace", `<TextRegion `, `<TextRegion xmlns="http://example.org/" `), inFormat("page", "leaves the height of the page out", ` imageHeight="\d+"`, ``),
	}
}

// metsMutants break the METS document of several pages.
func metsMutants() []row {
	mets := func(does, pattern, replacement string) row {
		return inFormat("page", "METS: "+does, pattern, replacement)
	}
	return []row{
		mets("is in another namespace", `xmlns:mets="[^"]*"`, `xmlns:mets="http://www.loc.gov/METS2/"`), mets("points to a file that is not there", `FILEID="p2_file"`, `FILEID="p9_file"`),
		mets("points to the first page twice", `FILEID="p2_file"`, `FILEID="p1_file"`), mets("gives two files one id", `ID="p2_file"`, `ID="p1_file"`), mets("leaves the structure out", `(?s)<mets:structMap.*</mets:structMap>`, ``),
		mets("leaves the files out", `(?s)<mets:fileSec>.*</mets:fileSec>`, ``), mets("has an empty file", `(?s)<mets:FContent>.*?</mets:FContent>`, ``), mets("has a file without a page", `(?s)<mets:xmlData>.*?</mets:xmlData>`, `<mets:xmlData/>`),
		mets("counts the pages from 0", `ORDER="1"`, `ORDER="0"`), mets("gives two pages one number", `ORDER="2"`, `ORDER="1"`), mets("numbers a page in words", `ORDER="1"`, `ORDER="first"`), mets("leaves a page out of the structure", `(?s)<mets:div TYPE="page" ORDER="3">.*?</mets:div>`, ``),
		mets("names another media type", `MIMETYPE="[^"]*"`, `MIMETYPE="not a type"`), mets("sends an impossible date", `CREATEDATE="[^"]*"`, `CREATEDATE="2026-02-30T12:00:00Z"`), mets("names a role that METS lacks", `ROLE="CREATOR"`, `ROLE="MAKER"`), mets("names a type of agent that METS lacks", `TYPE="OTHER" OTHERTYPE`, `TYPE="PROGRAM" OTHERTYPE`),
		mets("has an element that METS lacks", `(<mets:fileSec>)`, `<mets:pages/>$1`), mets("gives the files an attribute that they do not have", `<mets:fileGrp `, `<mets:fileGrp pages="3" `), mets("puts the structure in front of the files", `(?s)(<mets:fileSec>.*</mets:fileSec>)(\s*)(<mets:structMap.*</mets:structMap>)`, `$3$2$1`),
		mets("swaps the contents of two files", `(?s)(<PcGts.*?</PcGts>)(.*?)(<PcGts.*?</PcGts>)`, `$3$2$1`), mets("gives two pages one pcGtsId", `pcGtsId="p2"`, `pcGtsId="p1"`), mets("links a file on another host", `(?s)<mets:FContent>.*?</mets:FContent>`, `<mets:FLocat LOCTYPE="URL" xmlns:xlink="http://www.w3.org/1999/xlink" xlink:href="http://example.org/p1.xml"/>`),
		mets("numbers a file in words", `SEQ="1"`, `SEQ="one"`), mets("leaves the id of a file out", `<mets:file ID="[^"]*"`, `<mets:file`),
		mutant("page: METS: wraps one page as well", document("page", func(s string) string {
			if strings.Contains(s, "<mets:") {
				return s
			}
			head, root, _ := strings.Cut(s, "?>")
			return head + `?><mets:mets xmlns:mets="http://www.loc.gov/METS/"><mets:fileSec><mets:fileGrp><mets:file ID="f1" MIMETYPE="application/vnd.prima.page+xml"><mets:FContent><mets:xmlData>` + root +
				`</mets:xmlData></mets:FContent></mets:file></mets:fileGrp></mets:fileSec><mets:structMap TYPE="PHYSICAL"><mets:div TYPE="physSequence"><mets:div TYPE="page" ORDER="1"><mets:fptr FILEID="f1"/></mets:div></mets:div></mets:structMap></mets:mets>`
		})),
	}
}

// hocrMutants break properties, classes and metadata of hOCR.
func hocrMutants() []row {
	hocr := func(does, pattern, replacement string) row { return inFormat("hocr", does, pattern, replacement) }
	return []row{
		hocr("names a class that hOCR lacks", `class="ocr_line"`, `class="ocr_textline_x"`), hocr("leaves the box of a line out", `(class="ocr_line"[^>]*title=")bbox \d+ \d+ \d+ \d+; ?`, `$1`), hocr("sends three numbers in a box", `(ocrx_word[^>]*bbox \d+ \d+ \d+) \d+`, `$1`),
		hocr("turns a box around", `(ocrx_word[^>]*bbox) (\d+) (\d+) (\d+) (\d+)`, `$1 $4 $3 $2 $5`), hocr("sends a negative box", `(ocrx_word[^>]*bbox) `, `$1 -`), hocr("sends a confidence over 100", `x_wconf \d+`, `x_wconf 187`), hocr("sends a confidence in words", `x_wconf \d+`, `x_wconf high`),
		hocr("sends a confidence of a word below 0", `x_wconf \d+`, `x_wconf -1`), hocr("numbers a page in words", `ppageno \d+`, `ppageno one`), hocr("leaves the number of a page out", `; ppageno \d+`, ``), hocr("separates properties by commas", `(ocrx_word[^>]*bbox \d+ \d+ \d+ \d+);`, `$1,`),
		hocr("repeats a property", `(ocrx_word[^>]*title=")(bbox \d+ \d+ \d+ \d+)`, `$1$2; $2`), hocr("leaves the image without quotes", `image &#34;[^;&]*&#34;`, `image page one`), hocr("sends a baseline of words", `baseline [-0-9. ]+`, `baseline straight`), hocr("sends a baseline of one number", `baseline ([-0-9.]+) [-0-9.]+`, `baseline $1`),
		hocr("sends a resolution in words", `scan_res \d+ \d+`, `scan_res fine fine`), hocr("leaves the namespace out", ` xmlns="[^"]*"`, ``), hocr("leaves the head out", `(?s)<head>.*</head>`, ``), hocr("leaves the title out", `(?s)<title>.*?</title>`, ``),
		hocr("leaves ocr-capabilities out", `<meta name="ocr-capabilities"[^>]*>`, ``), hocr("lists a capability that hOCR lacks", `ocrp_wconf`, `ocrp_magic`), hocr("leaves lines out of the capabilities", ` ocr_line `, ` `), hocr("counts too many pages", `(ocr-number-of-pages" content=")\d+`, `${1}99`),
		hocr("names languages that do not occur", `(ocr-langs" content=")[^"]*`, `${1}tlh`), hocr("names a language that is no tag", `(<html[^>]* lang=")[^"]*`, `${1}the English language`), hocr("puts a word into a word", `(?s)(<span class="ocrx_word"[^>]*>)([^<]*)(</span>)`, `$1<span class="ocrx_word" title="bbox 280 400 290 410; x_wconf 9">$2</span>$3`),
		hocr("puts text between words", `(<span class="ocr_line"[^>]*>)`, `$1 loose `), hocr("gives an id twice", `id="p1_b1_l1_w2"`, `id="p1_b1_l1_w1"`), hocr("gives an id with a blank", `id="p1_b1_l1"`, `id="p1 b1 l1"`), hocr("puts a line outside of its area", `(?s)(<div class="ocr_carea".*?</div>)`, `$1<span class="ocr_line" title="bbox 1 1 9 9"><span class="ocrx_word" title="bbox 1 1 9 9; x_wconf 9">x</span></span>`),
		hocr("names another charset", `charset=utf-8`, `charset=iso-8859-1`), hocr("has an element that XHTML lacks", `(<body>)`, `$1<page/>`), hocr("has an attribute that XHTML lacks", `<body`, `<body rating="7"`), hocr("has a page whose box does not begin at 0", `(ocr_page[^>]*bbox) 0 0`, `$1 5 5`),
		hocr("has words larger than their line", `(ocr_line[^>]*bbox \d+ \d+ )\d+`, `${1}300`), hocr("leaves the title of a word out", `(<span class="ocrx_word"[^>]*) title="[^"]*"`, `$1`),
	}
}

// tsvMutants break rows and columns of TSV.
func tsvMutants() []row {
	tsv := func(does, pattern, replacement string) row { return inFormat("tsv", does, pattern, replacement) }
	const word = `(?m)^5\t(\d+)\t(\d+)\t(\d+)\t(\d+)\t(\d+)\t(\d+)\t(\d+)\t(\d+)\t(\d+)\t([0-9.]+)\t(.*)$`
	return []row{
		tsv("sends a level 6", `(?m)^5\t`, "6\t"), tsv("sends a level in words", `(?m)^4\t`, "line\t"), tsv("numbers the first word 0", word, "5\t$1\t$2\t$3\t$4\t0\t$6\t$7\t$8\t$9\t$10\t$11"), tsv("skips a number of a word", word, "5\t$1\t$2\t$3\t$4\t7\t$6\t$7\t$8\t$9\t$10\t$11"),
		tsv("numbers a paragraph 0", word, "5\t$1\t$2\t0\t$4\t$5\t$6\t$7\t$8\t$9\t$10\t$11"), tsv("sends a word of a line that is not there", word, "5\t$1\t$2\t$3\t99\t$5\t$6\t$7\t$8\t$9\t$10\t$11"), tsv("sends a word of a block that is not there", word, "5\t$1\t99\t$3\t$4\t$5\t$6\t$7\t$8\t$9\t$10\t$11"),
		tsv("sends a negative position", word, "5\t$1\t$2\t$3\t$4\t$5\t-$6\t$7\t$8\t$9\t$10\t$11"), tsv("sends a position with a fraction", word, "5\t$1\t$2\t$3\t$4\t$5\t$6.5\t$7\t$8\t$9\t$10\t$11"), tsv("sends a word without width", word, "5\t$1\t$2\t$3\t$4\t$5\t$6\t$7\t0\t$9\t$10\t$11"),
		tsv("sends a confidence over 100", word, "5\t$1\t$2\t$3\t$4\t$5\t$6\t$7\t$8\t$9\t101\t$11"), tsv("sends a word with the confidence -1", word, "5\t$1\t$2\t$3\t$4\t$5\t$6\t$7\t$8\t$9\t-1\t$11"), tsv("sends a confidence in words", word, "5\t$1\t$2\t$3\t$4\t$5\t$6\t$7\t$8\t$9\thigh\t$11"),
		tsv("sends a word without text", word, "5\t$1\t$2\t$3\t$4\t$5\t$6\t$7\t$8\t$9\t$10\t"), tsv("sends text with a line", `(?m)^(4\t.*\t-1\t)$`, "${1}text"), tsv("sends a confidence with a line", `(?m)^(4\t.*)\t-1\t$`, "$1\t88\t"), tsv("sends a row with eleven columns", `(?m)^(4\t.*)\t-1\t$`, "$1\t-1"),
		tsv("sends a row with thirteen columns", `(?m)^(4\t.*)\t-1\t$`, "$1\t-1\t\t"), tsv("renames a column", `page_num`, `page`), tsv("swaps two columns in the header", "left\ttop", "top\tleft"), tsv("sends an empty row", `(?m)^4\t`, "\n4\t"), tsv("sends a comment", `(?m)^4\t`, "# a line\n4\t"),
		tsv("puts text in quotation marks", word, "5\t$1\t$2\t$3\t$4\t$5\t$6\t$7\t$8\t$9\t$10\t\"$11\""), tsv("begins with a byte order mark", `^`, "\ufeff"), tsv("sends a word in front of its line", `(?m)^(4\t.*)\n(5\t.*)$`, "$2\n$1"), tsv("leaves the row of a line out", `(?m)^4\t.*\n`, ""), tsv("leaves the row of a paragraph out", `(?m)^3\t.*\n`, ""),
		tsv("leaves the row of a block out", `(?m)^2\t.*\n`, ""), tsv("sends a line smaller than its words", `(?m)^(4\t\d+\t\d+\t\d+\t\d+\t0\t\d+\t\d+)\t\d+\t\d+`, "$1\t5\t5"), tsv("sends a page that does not begin at 0", `(?m)^(1\t.*)\t0\t0\t(\d+)\t(\d+)\t-1\t$`, "$1\t5\t5\t$2\t$3\t-1\t"), tsv("sends the row of the page twice", `(?m)^(1\t.*)$`, "$1\n$1"),
	}
}

// activeMutants send what runs or loads something when a document is opened.
func activeMutants() (all []row) {
	add := func(format, does, pattern, replacement string) {
		all = append(all, inFormat(format, "active: "+does, pattern, replacement))
	}
	for format, root := range map[string]string{"alto": "alto", "page": "PcGts"} {
		add(format, "declares an external entity", `(<`+root+`)`, `<!DOCTYPE `+root+` [<!ENTITY x SYSTEM "file:///etc/passwd">]>$1`)
		add(format, "declares an entity", `(<`+root+`)`, `<!DOCTYPE `+root+` [<!ENTITY x "y">]>$1`)
		add(format, "names a document type on another host", `(<`+root+`)`, `<!DOCTYPE `+root+` SYSTEM "http://example.org/x.dtd">$1`)
		add(format, "names a style sheet", `(<`+root+`)`, `<?xml-stylesheet type="text/xsl" href="http://example.org/x.xsl"?>$1`)
		add(format, "includes another document", `(<(?:Layout|ReadingOrder)>)`, `<xi:include xmlns:xi="http://www.w3.org/2001/XInclude" href="http://example.org/x.xml"/>$1`)
		add(format, "has a script", `(<(?:Layout|ReadingOrder)>)`, `<script xmlns="http://www.w3.org/1999/xhtml">alert(1)</script>$1`)
	}
	for _, h := range [][3]string{
		{"has a script", `(</head>)`, `<script>alert(1)</script>$1`},
		{"has a script of another host", `(</head>)`, `<script src="http://example.org/x.js"></script>$1`},
		{"runs a script when it is loaded", `<body`, `<body onload="alert(1)"`},
		{"runs a script on a click", `<span class="ocrx_word"`, `<span onclick="alert(1)" class="ocrx_word"`},
		{"has a link that runs a script", `(<body>)`, `$1<a href="javascript:alert(1)">x</a>`},
		{"has a frame", `(<body>)`, `$1<iframe src="http://example.org/"></iframe>`},
		{"has an object", `(<body>)`, `$1<object data="http://example.org/x"></object>`},
		{"has a style sheet of another host", `(</head>)`, `<link rel="stylesheet" href="http://example.org/x.css"/>$1`},
		{"goes to another page", `(</head>)`, `<meta http-equiv="refresh" content="0;url=http://example.org/"/>$1`},
		{"changes the base", `(</head>)`, `<base href="http://example.org/"/>$1`},
		{"loads an image of another host", `(<body>)`, `$1<img src="http://example.org/x.png" alt=""/>`},
		{"has a form", `(<body>)`, `$1<form action="http://example.org/"><input name="x"/></form>`},
		{"declares an external entity", `<!DOCTYPE html>`, `<!DOCTYPE html [<!ENTITY x SYSTEM "file:///etc/passwd">]>`},
		{"names a style sheet", `(<!DOCTYPE html>)`, `<?xml-stylesheet href="http://example.org/x.css"?>$1`},
		{"has a style that loads an image", `<body`, `<body style="background:url(http://example.org/x.png)"`},
		{"has an SVG with a script", `(<body>)`, `$1<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>`},
	} {
		add("hocr", h[0], h[1], h[2])
	}
	slices.SortFunc(all, func(a, b row) int { return strings.Compare(a.does, b.does) })
	return all
}

// ReadsImages is part of the description of mutants that show only on a server that really reads images.
const ReadsImages = "of an image that was read"

// imageContentMutants contradict the image that was sent.
func imageContentMutants() (all []row) {
	scale := func(f func(n string) string) func(string) string {
		number := regexp.MustCompile(`\b\d{2,4}\b`)
		return func(s string) string { return number.ReplaceAllStringFunc(s, f) }
	}
	for format, size := range map[string][2]string{"alto": {`(<Page [^>]*WIDTH=")\d+(" HEIGHT=")\d+`, `${1}2480${2}3508`}, "page": {`imageWidth="\d+" imageHeight="\d+"`, `imageWidth="2480" imageHeight="3508"`}, "hocr": {`(ocr_page[^>]*bbox 0 0) \d+ \d+`, `$1 2480 3508`}, "tsv": {`(?m)^(1\t.*\t0\t0)\t\d+\t\d+\t-1\t$`, "$1\t2480\t3508\t-1\t"}} {
		all = append(all, mutant(format+": sends the size of another page "+ReadsImages, document(format, matching(size[0], size[1]))))
		all = append(all, mutant(format+": adds a pixel to the size "+ReadsImages, document(format, scale(func(n string) string {
			if n == "900" {
				return "901"
			}
			return n
		}))))
	}
	slices.SortFunc(all, func(a, b row) int { return strings.Compare(a.does, b.does) })
	return append(all,
		mutant("says something else "+ReadsImages, on(isResult, text(func(s string) string { return strings.Map(rot13, s) }))),
		mutant("leaves out the last word "+ReadsImages, on(isResult, text(func(s string) string { return s[:max(0, strings.LastIndex(s, " "))] }))),
		mutant("adds a word "+ReadsImages, on(isResult, text(func(s string) string { return s + " also" }))),
		mutant("swaps two letters of each word "+ReadsImages, on(isResult, text(matching(`(\pL)(\pL)(\pL*)`, `$2$1$3`)))),
		mutant("mirrors the text "+ReadsImages, on(isResult, text(reversed))),
	)
}

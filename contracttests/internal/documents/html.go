package documents

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// htmlElements are the elements that hOCR may have: text and its structure, nothing that loads or runs anything.
var htmlElements = strings.Fields("html head title meta body div p span em strong b i u s sub sup small ins del br hr h1 h2 h3 h4 h5 h6 ul ol li table thead tbody tr td th blockquote bdo ruby rb rt rp")

// htmlAttributes are the attributes that they may have; meta has more.
var (
	htmlAttributes = strings.Fields("id class title lang dir xmlns")
	metaAttributes = strings.Fields("name content http-equiv charset lang")
)

// The names of hOCR 1.2 (sections 4 to 9 and 11).
var (
	hocrClasses = strings.Fields(`ocr_document ocr_title ocr_author ocr_abstract ocr_part ocr_chapter ocr_section ocr_subsection ocr_subsubsection ocr_display ocr_blockquote ocr_par ocr_linear ocr_page ocr_column
		ocr_carea ocr_line ocr_separator ocr_noise ocr_float ocr_textfloat ocr_textimage ocr_image ocr_linedrawing ocr_photo ocr_header ocr_footer ocr_pageno ocr_table ocr_glyph ocr_glyphs ocr_dropcap ocr_math ocr_chem
		ocr_caption ocr_cinfo ocrx_block ocrx_line ocrx_word`)
	hocrCapabilities = strings.Fields("ocrp_lang ocrp_dir ocrp_poly ocrp_font ocrp_nlp ocrp_wconf ocr_embeddedformat ocr_unordered")
	hocrProperties   = strings.Fields(`bbox textangle poly order presence cflow baseline image imagemd5 ppageno lpageno scan_res nlp cuts hardbreak`)
)

// charset finds the encoding in a Content-Type.
var charset = regexp.MustCompile(`(?i)charset=["']?([a-z0-9-]+)`)

// checkHTML requires the document to be XHTML that contains only text, and to use the classes and properties of hOCR as
// defined.
func (n *node) checkHTML() error {
	if n.space != xhtml {
		return fmt.Errorf("hOCR must be in the namespace %s, not %q", xhtml, n.space)
	}
	head := n.first("head")
	if head == nil || head.first("title") == nil || n.first("body") == nil {
		return errors.New("hOCR must have a head with a title, and a body")
	}
	for _, m := range head.all(named("meta")) {
		if m.attr["name"] == "ocr-capabilities" {
			for c := range strings.FieldsSeq(m.attr["content"]) {
				if !slices.Contains(hocrClasses, c) && !slices.Contains(hocrCapabilities, c) && !strings.HasPrefix(c, "ocrx_") {
					return fmt.Errorf("hOCR has no capability %q", c)
				}
			}
		}
		if found := charset.FindStringSubmatch(m.attr["content"] + m.attr["charset"]); found != nil && !strings.EqualFold(found[1], "utf-8") {
			return fmt.Errorf("the document names the charset %s; it is sent in UTF-8", found[1])
		}
		if equiv := m.attr["http-equiv"]; equiv != "" && !strings.EqualFold(equiv, "Content-Type") {
			return fmt.Errorf("the document has <meta http-equiv=%q>, which programs may follow", equiv)
		}
	}
	return n.checkElement()
}

// checkElement checks the element and all below it.
func (n *node) checkElement() error {
	allowed := htmlAttributes
	if n.name == "meta" {
		allowed = metaAttributes
	}
	if n.space != xhtml || !slices.Contains(htmlElements, n.name) {
		return fmt.Errorf("<%s> is not an element of text", n.name)
	}
	for name := range n.attr {
		if !slices.Contains(allowed, name) {
			return fmt.Errorf("<%s> must not have the attribute %s", n.name, name)
		}
	}
	classes := strings.Fields(n.attr["class"])
	for _, c := range classes {
		if strings.HasPrefix(c, "ocr_") && !slices.Contains(hocrClasses, c) {
			return fmt.Errorf("hOCR has no class %q", c)
		}
	}
	isWord := slices.Contains(classes, "ocrx_word")
	if isWord && len(n.all(class("ocrx_word"))) > 0 {
		return fmt.Errorf("the word %q contains a word", n.attr["id"])
	}
	if len(classes) > 0 && strings.HasPrefix(classes[0], "ocr_") && strings.TrimSpace(n.text) != "" && len(n.all(class("ocrx_word"))) > 0 {
		return fmt.Errorf("there is text between the words of %q: %q", n.attr["id"], strings.TrimSpace(n.text))
	}
	if len(classes) > 0 && strings.HasPrefix(classes[0], "ocr") {
		if err := checkTitle(n.attr["title"]); err != nil {
			return err
		}
	}
	for _, c := range n.children {
		if err := c.checkElement(); err != nil {
			return err
		}
	}
	return nil
}

// propertyForms are the forms of the values of properties.
var propertyForms = map[string]*regexp.Regexp{
	"bbox": regexp.MustCompile(`^\d+ \d+ \d+ \d+$`), "baseline": regexp.MustCompile(`^[-+]?[\d.]+(?: [-+]?[\d.]+)+$`), "ppageno": regexp.MustCompile(`^\d+$`), "scan_res": regexp.MustCompile(`^\d+ \d+$`),
	"textangle": regexp.MustCompile(`^[-+]?[\d.]+$`), "x_wconf": regexp.MustCompile(`^[\d.]+$`), "image": regexp.MustCompile(`^"[^"]*"$`), "x_confs": regexp.MustCompile(`^[\d. ]+$`), "order": regexp.MustCompile(`^\d+$`),
}

// checkTitle checks the properties in a title: known names, each once, with values in their form.
func checkTitle(title string) error {
	seen := map[string]bool{}
	for entry := range strings.SplitSeq(quoted.ReplaceAllStringFunc(title, func(s string) string { return strings.ReplaceAll(s, ";", ",") }), ";") {
		name, value, _ := strings.Cut(strings.TrimSpace(entry), " ")
		value = strings.TrimSpace(value)
		switch {
		case name == "":
			continue
		case seen[name]:
			return fmt.Errorf("the title %q has %s twice", title, name)
		case !slices.Contains(hocrProperties, name) && !strings.HasPrefix(name, "x_"):
			return fmt.Errorf("hOCR has no property %q", name)
		case propertyForms[name] != nil && !propertyForms[name].MatchString(value):
			return fmt.Errorf("the property %s is %q", name, value)
		}
		seen[name] = true
		if v, err := strconv.ParseFloat(value, 64); name == "x_wconf" && (err != nil || v > 100) {
			return fmt.Errorf("x_wconf is %q; it is a percentage", value)
		}
	}
	return nil
}

package documents

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// hocr is the vocabulary of hOCR 1.2 (sections 6 and 9): the class says what an element is, the title holds its properties.
var hocr = vocabulary{
	is: map[kind]func(*node) bool{
		pageKind: class("ocr_page"), blockKind: class("ocr_carea"),
		lineKind: class("ocr_line", "ocr_header", "ocr_caption", "ocr_textfloat"), wordKind: class("ocrx_word"),
	},
	id:  "id",
	box: hocrBox,
	word: func(n *node) (string, float64, error) {
		conf, err := strconv.ParseFloat(property(n.attr["title"], "x_wconf"), 64)
		if err != nil {
			return "", 0, fmt.Errorf("the title %q has no x_wconf", n.attr["title"])
		}
		if all := n.all(class("alternatives")); len(all) > 0 {
			n = all[0].first("ins")
		}
		if n == nil {
			return "", 0, errors.New("its alternatives have no ins, which is the word itself")
		}
		return strings.TrimSpace(n.inner()), conf / 100, nil // x_wconf is a percentage
	},
	others: hocrOthers,
	number: func(n *node) (string, int, bool) { return property(n.attr["title"], "ppageno"), 0, false },
}

// hocrOthers are the texts of del in the alternatives of a word (hOCR 1.2, alternatives), which has one ins and nothing else.
func hocrOthers(n *node) (texts []string, err error) {
	all := n.all(class("alternatives"))
	switch {
	case len(all) == 0:
		return nil, nil
	case len(all) > 1 || strings.TrimSpace(n.text) != "" || len(n.children) != 1:
		return nil, errors.New("it must hold its alternatives alone, in one element")
	case strings.TrimSpace(all[0].text) != "" || len(all[0].all(named("ins"))) != 1:
		return nil, errors.New("its alternatives must be one ins, which is the word itself, and del")
	}
	surest := property(n.attr["title"], "x_wconf")
	for _, c := range all[0].children {
		if conf := property(c.attr["title"], "x_wconf"); conf != "" && moreThan(conf, surest) {
			return nil, fmt.Errorf("its reading %q is more confident than the one before", c.inner())
		} else if conf != "" {
			surest = conf
		}
		if !class("alt")(c) || c.name != "ins" && c.name != "del" {
			return nil, fmt.Errorf("its alternatives hold <%s> of the class %q; expected ins and del of the class alt", c.name, c.attr["class"])
		}
		if c.name == "del" {
			texts = append(texts, strings.TrimSpace(c.inner()))
		}
	}
	return texts, nil
}

// moreThan reports whether a is greater than b. It is false if either is not a number.
func moreThan(a, b string) bool {
	x, errX := strconv.ParseFloat(a, 64)
	y, errY := strconv.ParseFloat(b, 64)
	return errX == nil && errY == nil && x > y
}

// readHOCR reads hOCR as XHTML, and requires the metadata of section 11. hOCR in HTML syntax is refused, because it is
// not XML.
func readHOCR(text string) (*Document, error) {
	root, err := parseXML(text)
	if err != nil {
		return nil, err
	}
	if root.name != "html" {
		return nil, fmt.Errorf("the root of hOCR must be <html>, not <%s>", root.name)
	}
	if err := root.checkHTML(); err != nil {
		return nil, err
	}
	meta := map[string]string{}
	for _, m := range root.all(named("meta")) {
		meta[m.attr["name"]] = m.attr["content"]
	}
	for _, name := range []string{"ocr-system", "ocr-capabilities"} {
		if meta[name] == "" {
			return nil, fmt.Errorf("hOCR needs <meta name=%q> (section 11)", name)
		}
	}
	// The name of the image is quoted, so it needs the raw property.
	for _, page := range root.all(class("ocr_page")) {
		if err := ofImage(rawProperty(page.attr["title"], "image")); err != nil {
			return nil, err
		}
	}
	if class := root.undeclared(strings.Fields(meta["ocr-capabilities"])); class != "" {
		return nil, fmt.Errorf("the document uses the class %s, which its ocr-capabilities do not list (section 11)", class)
	}
	if pages := len(root.all(class("ocr_page"))); meta["ocr-number-of-pages"] != "" && meta["ocr-number-of-pages"] != strconv.Itoa(pages) {
		return nil, fmt.Errorf("ocr-number-of-pages is %s, but there are %d", meta["ocr-number-of-pages"], pages)
	}
	doc, err := hocr.readAll(root)
	if err == nil && meta["ocr-langs"] != "" {
		doc.Languages = append(doc.Languages, strings.Fields(meta["ocr-langs"])...)
	}
	return doc, err
}

// undeclared returns the first hOCR class, in document order, that an element has and the capabilities do not list, or "".
// Classes that do not begin with "ocr" are styling.
func (n *node) undeclared(capabilities []string) string {
	for class := range strings.FieldsSeq(n.attr["class"]) {
		if strings.HasPrefix(class, "ocr") && !slices.Contains(capabilities, class) {
			return class
		}
	}
	for _, c := range n.children {
		if class := c.undeclared(capabilities); class != "" {
			return class
		}
	}
	return ""
}

// class matches elements that have one of the classes. An element may have several, separated by blanks.
func class(names ...string) func(*node) bool {
	return func(n *node) bool {
		return slices.ContainsFunc(strings.Fields(n.attr["class"]), func(c string) bool { return slices.Contains(names, c) })
	}
}

// inner is the text of the element and its descendants.
func (n *node) inner() string {
	var text strings.Builder
	text.WriteString(n.text)
	for _, c := range n.children {
		text.WriteString(c.inner())
	}
	return text.String()
}

// quoted matches file names in titles, which may contain semicolons and names of properties.
var quoted = regexp.MustCompile(`"[^"]*"`)

// property is the value of a property in a title, or "". Quoted text is ignored.
func property(title, name string) string {
	return rawProperty(quoted.ReplaceAllString(title, `""`), name)
}

// rawProperty is like property, but keeps quoted text.
func rawProperty(title, name string) string {
	for entry := range strings.SplitSeq(title, ";") {
		if key, value, _ := strings.Cut(strings.TrimSpace(entry), " "); key == name {
			return strings.TrimSpace(value)
		}
	}
	return ""
}

// hocrBox reads the property bbox, which all levels must have (section 5): left, top, right and bottom edge in pixels from
// the upper left corner of the page.
func hocrBox(n *node) (Box, error) {
	fields := strings.Fields(property(n.attr["title"], "bbox"))
	var edges [4]int
	if len(fields) != len(edges) {
		return Box{}, fmt.Errorf("the title %q has no bbox of four numbers", n.attr["title"])
	}
	for i, f := range fields {
		v, err := strconv.Atoi(f)
		if err != nil {
			return Box{}, fmt.Errorf("the bbox in the title %q must consist of whole numbers", n.attr["title"])
		}
		edges[i] = v
	}
	return Box{edges[0], edges[1], edges[2], edges[3]}, nil
}

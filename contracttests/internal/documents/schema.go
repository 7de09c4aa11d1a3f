package documents

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// altoOrder and pageOrder are the children of an element in the order that the schemas of ALTO 4.4 and PAGE-XML
// 2019-07-15 want them in. Others may stand anywhere.
var (
	altoOrder = map[string][]string{
		"alto":        {"Description", "Styles", "Tags", "ReadingOrder", "Layout"},
		"Description": {"MeasurementUnit", "sourceImageInformation", "OCRProcessing", "Processing"},
		"Page":        {"TopMargin", "LeftMargin", "RightMargin", "BottomMargin", "PrintSpace"},
	}
	pageOrder = map[string][]string{
		"PcGts":      {"Metadata", "Page"},
		"Metadata":   {"Creator", "Created", "LastChange", "Comments", "UserDefined", "MetadataItem"},
		"Page":       {"AlternativeImage", "Border", "PrintSpace", "ReadingOrder", "Layers", "Relations", "TextStyle", "UserDefined", "Labels", "TextRegion"},
		"TextRegion": {"AlternativeImage", "Coords", "UserDefined", "Labels", "Roles", "TextRegion", "TextLine", "TextEquiv", "TextStyle"},
		"TextLine":   {"AlternativeImage", "Coords", "Baseline", "Word", "TextEquiv", "TextStyle", "UserDefined", "Labels"},
		"Word":       {"AlternativeImage", "Coords", "Glyph", "TextEquiv", "TextStyle", "UserDefined", "Labels"},
		"TextEquiv":  {"PlainText", "Unicode"},
	}
)

// inOrder wants the children of each element in the order of the schema.
func (n *node) inOrder(order map[string][]string) error {
	names, last := order[n.name], 0
	for _, c := range n.children {
		if at := slices.Index(names, c.name); at >= 0 {
			if at < last {
				return fmt.Errorf("<%s> stands behind <%s> in <%s>, where the schema wants it in front", c.name, names[last], n.name)
			}
			last = at
		}
		if err := c.inOrder(order); err != nil {
			return err
		}
	}
	return nil
}

const xhtml = "http://www.w3.org/1999/xhtml"

// ncName is what an id in XML must be (xs:ID, XML Schema part 2, section 3.3.8).
var ncName = regexp.MustCompile(`^[\p{L}_][\p{L}\p{M}\p{N}._\x{B7}-]*$`)

// checkID wants an id that may be one. HTML asks less than XML.
func (n *node) checkID(id string) error {
	if strings.ContainsAny(id, " \t\r\n") || n.space != xhtml && n.space != "" && !ncName.MatchString(id) {
		return fmt.Errorf("the id %q of <%s> is none: it must begin with a letter and have no blanks", id, n.name)
	}
	return nil
}

// onPage wants a baseline of two points or more, all on the page.
func onPage(points string, page Box) error {
	numbers := strings.FieldsFunc(points, func(r rune) bool { return r == ' ' || r == ',' })
	if len(numbers) < 4 || len(numbers)%2 != 0 {
		return fmt.Errorf("the baseline %q is not of two points or more", points)
	}
	for i, text := range numbers {
		v, err := strconv.ParseFloat(text, 64)
		if limit := []int{page.Right, page.Bottom}[i%2]; err != nil || v < 0 || v > float64(limit) {
			return fmt.Errorf("the baseline %q reaches beyond its page", points)
		}
	}
	return nil
}

var inside = regexp.MustCompile(`^(?:/|[A-Za-z]:\\|\\\\|file:)`)

// ofImage wants the name of an image that tells nothing of where the server keeps its files.
func ofImage(name string) error {
	if inside.MatchString(strings.Trim(strings.TrimSpace(name), `"`)) {
		return fmt.Errorf("the image is called %q, which shows a path of the server", name)
	}
	return nil
}

package documents

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// altoOrder and pageOrder list the children of an element in the order that the schemas of ALTO 4.4 and PAGE-XML 2019-07-15
// require. Other children may be anywhere. Only the order is checked: ids, boxes and texts have checks of their own, and
// full schemas need a validator that the suite does not link.
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
		"TextEquiv":  {"plainText", "Unicode"},
	}
)

// inOrder requires the children of each element to be in the order of the schema.
func (n *node) inOrder(order map[string][]string) error {
	names, last := order[n.name], 0
	for _, c := range n.children {
		if at := slices.Index(names, c.name); at >= 0 {
			if at < last {
				return fmt.Errorf("<%s> follows <%s> in <%s>; the schema requires it earlier", c.name, names[last], n.name)
			}
			last = at
		}
		if err := c.inOrder(order); err != nil {
			return err
		}
	}
	return nil
}

// xhtml is the namespace whose ids follow HTML.
const xhtml = "http://www.w3.org/1999/xhtml"

// ncName is what an id in XML must be (xs:ID, XML Schema part 2, section 3.3.8).
var ncName = regexp.MustCompile(`^[\p{L}_][\p{L}\p{M}\p{N}._\x{B7}-]*$`)

// checkID requires a valid id. HTML permits more than XML.
func (n *node) checkID(id string) error {
	if strings.ContainsAny(id, " \t\r\n") || n.space != xhtml && n.space != "" && !ncName.MatchString(id) {
		return fmt.Errorf("the id %q of <%s> is invalid: it must begin with a letter and contain no spaces", id, n.name)
	}
	return nil
}

// onPage requires a baseline of two points or more, all on the page.
func onPage(points string, page Box) error {
	numbers := strings.FieldsFunc(points, func(r rune) bool { return r == ' ' || r == ',' })
	if len(numbers) < 4 || len(numbers)%2 != 0 {
		return fmt.Errorf("the baseline %q must have two points or more", points)
	}
	for i, text := range numbers {
		v, err := strconv.ParseFloat(text, 64)
		if limit := []int{page.Right, page.Bottom}[i%2]; err != nil || v < 0 || v > float64(limit) {
			return fmt.Errorf("the baseline %q extends beyond its page", points)
		}
	}
	return nil
}

// serverPath matches the paths of files on a server.
var serverPath = regexp.MustCompile(`^(?:/|[A-Za-z]:\\|\\\\|file:)`)

// ofImage requires the name of an image not to reveal where the server keeps its files. File names and http URLs are
// allowed.
func ofImage(name string) error {
	if serverPath.MatchString(strings.Trim(strings.TrimSpace(name), `"`)) {
		return fmt.Errorf("the name of the image is %q, a path of the server", name)
	}
	return nil
}

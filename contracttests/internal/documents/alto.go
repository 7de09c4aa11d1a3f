package documents

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// altoNamespace is the XML namespace of all 4.x versions.
const altoNamespace = "http://www.loc.gov/standards/alto/ns-v4#"

// alto is the vocabulary of ALTO 4.4. Lines and words may lack ids, which the schema makes optional.
var alto = vocabulary{
	is: map[kind]func(*node) bool{
		pageKind: named("Page"), blockKind: named("TextBlock"), lineKind: named("TextLine"), wordKind: named("String"),
	},
	id:    "ID",
	needs: []kind{pageKind, blockKind},
	box:   altoBox,
	word: func(n *node) (string, float64, error) {
		conf, err := n.fraction("WC")
		return n.attr["CONTENT"], conf, err
	},
	others: func(n *node) (texts []string, err error) {
		for _, a := range n.all(named("ALTERNATIVE")) {
			texts = append(texts, a.text)
		}
		return texts, nil
	},
	check: func(n *node, e *Element) error {
		// The schema makes PrintSpace optional, but it is where blocks belong.
		if e.kind == pageKind && n.first("PrintSpace") == nil {
			return errors.New("has no PrintSpace")
		}
		if e.kind == pageKind {
			return checkBaselines(n, e.Box)
		}
		return nil
	},
	number: func(n *node) (string, int, bool) { return n.attr["PHYSICAL_IMG_NR"], 1, true },
}

// checkBaselines requires the baselines of lines to lie on the page. ALTO 3 and earlier gave them as one number, the
// vertical position, which version 4 still permits and which is not checked.
func checkBaselines(n *node, page Box) error {
	for _, line := range n.all(named("TextLine")) {
		if points := line.attr["BASELINE"]; strings.ContainsAny(points, " ,") {
			if err := onPage(points, page); err != nil {
				return err
			}
		}
	}
	return nil
}

// readALTO reads ALTO in pixels: other units would need the resolution, which answers do not carry. Versions before 4 have
// other namespaces and are refused.
func readALTO(text string) (*Document, error) {
	root, err := parseXML(text)
	if err != nil {
		return nil, err
	}
	if version := root.attr["SCHEMAVERSION"]; version != "" && !strings.HasPrefix(version, "4") {
		return nil, fmt.Errorf("ALTO 4 has the SCHEMAVERSION %q", version)
	}
	if root.name != "alto" || root.space != altoNamespace {
		return nil, fmt.Errorf("the root of ALTO 4 must be <alto xmlns=%q>, not <%s xmlns=%q>", altoNamespace, root.name, root.space)
	}
	if err := errors.Join(sameSpace(root), root.validate()); err != nil {
		return nil, err
	}
	// fileName occurs in sourceImageInformation.
	for _, name := range root.all(named("fileName")) {
		if err := ofImage(name.text); err != nil {
			return nil, err
		}
	}
	units := root.all(named("MeasurementUnit"))
	if len(units) != 1 || units[0].text != "pixel" {
		return nil, errors.New("the MeasurementUnit must be pixel")
	}
	if len(root.all(named("Layout"))) != 1 {
		return nil, errors.New("ALTO must have exactly one Layout")
	}
	for _, line := range root.all(named("TextLine")) {
		if err := joinHyphen(line); err != nil {
			return nil, err
		}
	}
	return alto.readAll(root)
}

// joinHyphen appends the HYP of a line to its last word, which is what was printed. The schema allows HYP at the end only.
func joinHyphen(line *node) error {
	last := len(line.children) - 1
	i := slices.IndexFunc(line.children, func(c *node) bool { return c.name == "HYP" })
	switch {
	case i < 0:
		return nil
	case i != last || i == 0 || line.children[i-1].name != "String":
		return errors.New("<HYP> must follow the last <String> of its line")
	}
	word := line.children[i-1]
	if part := word.attr["SUBS_TYPE"]; part != "" && part != "HypPart1" {
		return fmt.Errorf("the word in front of <HYP> has the SUBS_TYPE %q", part)
	}
	word.attr["CONTENT"] += line.children[i].attr["CONTENT"]
	return nil
}

// sameSpace requires every element to be in the namespace of the root.
func sameSpace(root *node) error {
	for _, c := range root.children {
		if c.space != root.space {
			return fmt.Errorf("<%s> is in the namespace %q, not in the one of its root", c.name, c.space)
		}
		if err := sameSpace(c); err != nil {
			return err
		}
	}
	return nil
}

// altoBox reads the position of an element in whole pixels. A page has only a size. Negative numbers are refused, although
// the schema permits them: no word lies left of or above its page.
func altoBox(n *node) (Box, error) {
	if n.name == "Page" {
		v, err := n.integers("WIDTH", "HEIGHT")
		return Box{0, 0, v[0], v[1]}, err
	}
	v, err := n.integers("HPOS", "VPOS", "WIDTH", "HEIGHT")
	if err == nil && slices.Min(v) < 0 {
		err = fmt.Errorf("HPOS, VPOS, WIDTH and HEIGHT of <%s> must not be negative", n.name)
	}
	return Box{v[0], v[1], v[0] + v[2], v[1] + v[3]}, err
}

package documents

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// pageNamespace carries the version of the schema.
const pageNamespace = "http://schema.primaresearch.org/PAGE/gts/pagecontent/2019-07-15"

// page is the vocabulary of PAGE-XML 2019-07-15, in which every element needs an id.
var page = vocabulary{
	is: map[kind]func(*node) bool{
		pageKind: named("PcGts"), blockKind: named("TextRegion"), lineKind: named("TextLine"), wordKind: named("Word"),
	},
	id:    "id",
	needs: []kind{pageKind, blockKind, lineKind, wordKind},
	box:   pageBox,
	word:  textEquiv,
	check: pageText,
}

// readPAGE reads a PcGts, or a document such as METS with one PcGts for each page. What surrounds them is not checked: the
// contract leaves the container open.
func readPAGE(text string) (*Document, error) {
	root, err := parseXML(text)
	if err != nil {
		return nil, err
	}
	files := root.all(named("PcGts"))
	if root.name == "PcGts" {
		files = []*node{root}
	}
	if len(files) == 0 {
		return nil, fmt.Errorf("PAGE-XML needs a <PcGts> for each page; <%s> contains none", root.name)
	}
	for i, f := range files {
		if err := checkPcGts(f); err != nil {
			return nil, err
		}
		// A PcGts has no id of its own; its number serves in messages.
		f.attr["id"] = fmt.Sprint(i + 1)
	}
	return page.readAll(&node{children: files})
}

// checkPcGts checks the parts of one file: namespace, order of elements, metadata, image name and reading order. The rest of
// the schema, such as types of attributes, is left to the project's own schema tests (internal/format).
func checkPcGts(f *node) error {
	if f.space != pageNamespace {
		return fmt.Errorf("the namespace of <PcGts> must be %q, not %q", pageNamespace, f.space)
	}
	if err := errors.Join(sameSpace(f), f.inOrder(pageOrder)); err != nil {
		return err
	}
	meta, pages := f.first("Metadata"), f.all(named("Page"))
	if meta == nil || len(pages) != 1 {
		return errors.New("a <PcGts> must have <Metadata> and one <Page>")
	}
	for _, name := range []string{"Created", "LastChange"} {
		n := meta.first(name)
		if n == nil {
			return fmt.Errorf("<Metadata> has no <%s>", name)
		}
		if !isDateTime(n.text) {
			return fmt.Errorf("<%s> must be a date and time, not %q", name, n.text)
		}
	}
	if err := ofImage(pages[0].attr["imageFilename"]); err != nil {
		return err
	}
	return checkOrder(pages[0])
}

// isDateTime reports whether the text is an xs:dateTime, with or without a zone (XML Schema part 2, section 3.2.7). Years of
// more than four digits, which the type permits, are refused.
func isDateTime(text string) bool {
	_, withZone := time.Parse(time.RFC3339, text)
	_, without := time.Parse("2006-01-02T15:04:05", text)
	return withZone == nil || without == nil
}

// checkOrder requires the reading order, if there is one, to list each region of the page once, in the order of the file.
func checkOrder(p *node) error {
	if p.attr["imageFilename"] == "" {
		return errors.New("the <Page> has no imageFilename")
	}
	regions := p.all(named("TextRegion"))
	order := p.all(named("RegionRefIndexed", "RegionRef"))
	// Without a reading order the order of the file applies.
	if len(order) == 0 {
		return nil
	}
	if len(order) != len(regions) {
		return fmt.Errorf("the reading order lists %d of %d regions", len(order), len(regions))
	}
	last := -1
	for i, ref := range order {
		if index, has := ref.attr["index"]; has {
			n, err := strconv.Atoi(index)
			if err != nil || n <= last {
				return fmt.Errorf("the reading order has the index %q after %d", index, last)
			}
			last = n
		}
		if ref.attr["regionRef"] != regions[i].attr["id"] {
			return fmt.Errorf("the reading order lists %q instead of the region %q", ref.attr["regionRef"], regions[i].attr["id"])
		}
	}
	return nil
}

// pageBox is the bounding box of an outline, which may be any polygon: other servers than ours trace regions and lines. A
// page has only a size.
func pageBox(n *node) (Box, error) {
	if n.name == "PcGts" {
		v, err := n.first("Page").integers("imageWidth", "imageHeight")
		return Box{0, 0, v[0], v[1]}, err
	}
	coords := n.first("Coords")
	if coords == nil {
		return Box{}, errors.New("has no Coords")
	}
	points := strings.Fields(coords.attr["points"])
	// The schema requires two points, but two cannot enclose an area.
	if len(points) < 3 {
		return Box{}, fmt.Errorf("its points %q are not an outline", coords.attr["points"])
	}
	var box Box
	for i, p := range points {
		xs, ys, _ := strings.Cut(p, ",")
		x, errX := strconv.Atoi(xs)
		y, errY := strconv.Atoi(ys)
		if errX != nil || errY != nil || x < 0 || y < 0 {
			return Box{}, fmt.Errorf("its points %q are not pairs of whole numbers", coords.attr["points"])
		}
		if i == 0 {
			box = Box{x, y, x, y}
		}
		box = Box{min(box.Left, x), min(box.Top, y), max(box.Right, x), max(box.Bottom, y)}
	}
	return box, nil
}

// textEquiv is the text of a word and its confidence. The schema makes both optional; the suite requires them, because the
// other formats have them.
func textEquiv(n *node) (string, float64, error) {
	equiv := n.first("TextEquiv")
	if equiv == nil || equiv.first("Unicode") == nil {
		return "", 0, errors.New("has no TextEquiv with Unicode")
	}
	conf, err := equiv.fraction("conf")
	return equiv.first("Unicode").text, conf, err
}

// pageText requires the text of regions and lines, if given, to be that of their words, and baselines to lie on the page.
func pageText(n *node, e *Element) error {
	if e.kind == pageKind {
		for _, b := range n.all(named("Baseline")) {
			if err := onPage(b.attr["points"], e.Box); err != nil {
				return err
			}
		}
	}
	if equiv := n.first("TextEquiv"); equiv != nil && equiv.first("Unicode") != nil {
		if got := equiv.first("Unicode").text; got != e.plainText() {
			return fmt.Errorf("its TextEquiv %q is not the text of its words %q", got, e.plainText())
		}
	}
	return nil
}

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
	id:     "id",
	needs:  []kind{pageKind, blockKind, lineKind, wordKind},
	box:    pageBox,
	word:   textEquiv,
	others: otherTexts,
	check:  pageText,
}

// readPAGE reads the PcGts of one page, or a METS document with one PcGts for each of several pages.
func readPAGE(text string) (*Document, error) {
	root, err := parseXML(text)
	if err != nil {
		return nil, err
	}
	files := []*node{root}
	if root.name != "PcGts" {
		if files, err = pagesOf(root); err != nil {
			return nil, err
		}
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

// pagesOf returns the pages of a METS document in their order: its structure must name each file once, counted from 1.
func pagesOf(root *node) (pages []*node, err error) {
	if root.name != "mets" {
		return nil, fmt.Errorf("PAGE-XML must be a <PcGts>, or a <mets> with one for each page, not <%s>", root.name)
	}
	if err := root.validate(); err != nil {
		return nil, err
	}
	files := map[string]*node{}
	all := root.all(named("file"))
	for _, f := range all {
		files[f.attr["ID"]] = f
	}
	refs := root.first("structMap").all(named("fptr"))
	if len(refs) < 2 || len(refs) != len(all) {
		return nil, fmt.Errorf("METS must hold several pages, and name each file once in its structure; it has %d files and names %d", len(all), len(refs))
	}
	for i, div := range root.first("structMap").all(func(n *node) bool { return n.first("fptr") != nil }) {
		if order := div.attr["ORDER"]; order != "" && order != strconv.Itoa(i+1) {
			return nil, fmt.Errorf("page %d of METS has the ORDER %q", i+1, order)
		}
		f := files[div.first("fptr").attr["FILEID"]]
		if f == nil {
			return nil, fmt.Errorf("METS names the file %q, which does not exist or is named twice", div.first("fptr").attr["FILEID"])
		}
		delete(files, f.attr["ID"])
		found := f.all(named("PcGts"))
		if len(found) != 1 || f != all[i] {
			return nil, fmt.Errorf("file %d of METS must hold the <PcGts> of page %d", i+1, i+1)
		}
		pages = append(pages, found[0])
	}
	if len(pages) != len(all) {
		return nil, fmt.Errorf("METS has %d files and a place for %d pages", len(all), len(pages))
	}
	return pages, nil
}

// checkPcGts checks one file: namespace, schema, metadata, image name and reading order.
func checkPcGts(f *node) error {
	if f.space != pageNamespace {
		return fmt.Errorf("the namespace of <PcGts> must be %q, not %q", pageNamespace, f.space)
	}
	if err := errors.Join(sameSpace(f), f.validate()); err != nil {
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
	created, noZone := time.Parse(time.RFC3339, meta.first("Created").text)
	if changed, err := time.Parse(time.RFC3339, meta.first("LastChange").text); err == nil && noZone == nil && changed.Before(created) {
		return fmt.Errorf("<LastChange> is %s, before <Created>, %s", meta.first("LastChange").text, meta.first("Created").text)
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

// pageBox is the bounding box of an outline, which may be any polygon: some servers trace regions and lines. A
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

// otherTexts are the texts of a word besides the first. Several texts have their ranks as index, from 0, and none is more
// confident than the one before.
func otherTexts(n *node) (texts []string, err error) {
	last := 1.0
	for _, c := range n.children {
		if c.name != "TextEquiv" {
			continue
		}
		index := c.attr["index"]
		if index == "" && n.count("TextEquiv") == 1 {
			return nil, nil
		}
		if index != strconv.Itoa(len(texts)) {
			return nil, fmt.Errorf("its TextEquiv number %d has the index %q", len(texts), index)
		}
		conf, err := c.fraction("conf")
		if err != nil || c.first("Unicode") == nil {
			return nil, errors.Join(err, errors.New("a TextEquiv has no text or no confidence"))
		}
		if conf > last {
			return nil, fmt.Errorf("its TextEquiv with index %s is more confident than the one before", index)
		}
		last, texts = conf, append(texts, c.first("Unicode").text)
	}
	return texts[min(1, len(texts)):], nil
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

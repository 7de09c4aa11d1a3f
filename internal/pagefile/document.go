package pagefile

import (
	"errors"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"uncial/internal/document"
)

// ReadDocument returns the document that internal/format wrote as PAGE-XML, so that it can be written in any other format. In
// contrast to Read, it keeps what only Uncial writes: language, rotation, models, divided words, other readings of words, and
// the boxes of lines and regions. The names of a line's models are in each of its words. Confidence, Enhanced and Edits of the
// document are not in the file; they are in the answer. The error says which element is wrong.
func ReadDocument(source []byte) (*document.Document, error) {
	root, pages, err := parse(source)
	if err != nil {
		return nil, err
	}
	doc := &document.Document{Pages: pages}
	files := descendants(root, "PcGts")
	if len(files) != len(pages) {
		return nil, errors.New("each PcGts must have exactly one page")
	}
	for i, file := range files {
		fillDocument(doc, file.all("Metadata"))
		if err := fillPage(&doc.Pages[i], file, doc.Models); err != nil {
			return nil, err
		}
	}
	return doc.Normalized(), nil
}

// descendants returns all elements of that name, the root included, none of which contains another.
func descendants(n *node, name string) (found []*node) {
	if n.XMLName.Local == name {
		return []*node{n}
	}
	for i := range n.Nodes {
		found = append(found, descendants(&n.Nodes[i], name)...)
	}
	return found
}

// fillDocument reads language and models, which each page repeats.
func fillDocument(doc *document.Document, metadata []*node) {
	doc.Models = nil
	for _, m := range metadata {
		for _, item := range m.all("MetadataItem") {
			if item.attr("name") == "language" {
				doc.Language = item.attr("value")
			}
			var model document.Model
			for _, labels := range item.all("Labels") {
				for _, label := range labels.all("Label") {
					switch label.attr("type") {
					case "model":
						model.Name = label.attr("value")
					case "digest":
						model.Digest = label.attr("value")
					}
				}
			}
			if model.Name != "" {
				doc.Models = append(doc.Models, model)
			}
		}
	}
}

// fillPage adds what Read leaves out to a page that was parsed from the same file.
func fillPage(p *document.Page, file *node, models []document.Model) error {
	page := file.first("Page")
	if page == nil {
		return errors.New("PcGts without Page")
	}
	p.DPI, _ = strconv.Atoi(page.attr("imageXResolution")) // 0 if it is missing
	var err error
	if p.Confidence, err = page.confidence("conf"); err != nil {
		return err
	}
	for _, metadata := range file.all("Metadata") {
		for _, item := range metadata.all("MetadataItem") {
			if item.attr("name") == "rotation-clockwise-degrees" {
				p.Rotation, _ = strconv.Atoi(item.attr("value"))
			}
		}
	}
	regions := textRegions(page)
	sortRegions(regions, page.first("ReadingOrder"))
	if len(regions) != len(p.Blocks) {
		return errors.New("a TextRegion has no text")
	}
	for i, region := range regions {
		if err := fillBlock(&p.Blocks[i], region, p, models); err != nil {
			return err
		}
	}
	return nil
}

// fillBlock adds the boxes of a region and of its lines, and what the attribute custom says.
func fillBlock(b *document.Block, region *node, p *document.Page, models []document.Model) (err error) {
	lines := region.all("TextLine")
	if len(lines) != len(b.Lines) {
		return errors.New(region.name() + ": a TextLine has no text")
	}
	if b.Box, err = pageBox(region, p); err != nil {
		return err
	}
	for i, n := range lines {
		line := &b.Lines[i]
		if line.Box, err = pageBox(n, p); err != nil {
			return err
		}
		if slices.Equal(line.Baseline, lowerEdge(line.Box)) {
			line.Baseline = nil // written in place of a baseline that is not known
		}
		var names []string
		for step := range strings.FieldsSeq(customValue(n, "readBy", "steps")) {
			if number, err := strconv.Atoi(strings.TrimPrefix(step, "model")); err == nil && number >= 1 && number <= len(models) {
				names = append(names, models[number-1].Name)
			}
		}
		elements := n.all("Word")
		if len(elements) != len(line.Words) {
			return errors.New(n.name() + ": a Word has no text, or several words")
		}
		for k := range line.Words {
			line.Words[k].Model = strings.Join(names, "+")
			line.Words[k].Whole = customValue(elements[k], "hyphenation", "whole")
			if line.Words[k].Alternatives, err = alternatives(elements[k]); err != nil {
				return err
			}
		}
	}
	return nil
}

// lowerEdge returns the lower edge of a box as a baseline.
func lowerEdge(b document.Box) []document.Point {
	return []document.Point{{X: b.X, Y: b.Y + b.H}, {X: b.X + b.W, Y: b.Y + b.H}}
}

// customs matches one group of the attribute custom: its name and its properties.
var customs = regexp.MustCompile(`([A-Za-z]+) \{([^}]*)\}`)

// customValue returns a property of a group in the attribute custom, such as whole in "hyphenation {part:1; whole:word;}", or
// "".
func customValue(n *node, group, property string) string {
	for _, match := range customs.FindAllStringSubmatch(n.attr("custom"), -1) {
		properties := strings.Split(match[2], ";")
		i := slices.IndexFunc(properties, func(s string) bool { return strings.HasPrefix(strings.TrimSpace(s), property+":") })
		if match[1] == group && i >= 0 {
			return strings.TrimSpace(properties[i])[len(property)+1:]
		}
	}
	return ""
}

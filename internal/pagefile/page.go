package pagefile

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"uncial/internal/document"
)

// readPAGE reads the page of each PcGts element, in the order of the file.
func readPAGE(n *node) (pages []document.Page, err error) {
	if n.XMLName.Local != "PcGts" {
		for i := range n.Nodes {
			more, err := readPAGE(&n.Nodes[i])
			if err != nil {
				return nil, err
			}
			pages = append(pages, more...)
		}
		return pages, nil
	}
	for _, page := range n.all("Page") {
		p, err := sheet(page, "imageWidth", "imageHeight")
		if err != nil {
			return nil, err
		}
		regions := textRegions(page)
		sortRegions(regions, page.first("ReadingOrder"))
		for _, r := range regions {
			block, err := pageBlock(r, &p)
			if err != nil {
				return nil, err
			}
			if len(block.Lines) > 0 {
				p.Blocks = append(p.Blocks, block)
			}
		}
		p.Graphics = pageGraphics(page, &p)
		pages = append(pages, p)
	}
	return pages, nil
}

// pageGraphics returns the regions of images and music below an element. One whose outline is missing or not on the page is
// left out, because no text depends on it.
func pageGraphics(n *node, p *document.Page) (found []document.Graphic) {
	kinds := map[string]document.GraphicKind{"ImageRegion": document.Illustration, "MusicRegion": document.Music}
	for i := range n.Nodes {
		child := &n.Nodes[i]
		if kind, ok := kinds[child.XMLName.Local]; ok {
			if box, err := pageBox(child, p); err == nil {
				found = append(found, document.Graphic{Box: box, Kind: kind})
			}
		}
		found = append(found, pageGraphics(child, p)...)
	}
	return found
}

// textRegions returns the regions of text below an element, nested ones after the one that contains them.
func textRegions(n *node) (found []*node) {
	for i := range n.Nodes {
		child := &n.Nodes[i]
		if child.XMLName.Local == "TextRegion" {
			found = append(found, child)
		}
		found = append(found, textRegions(child)...)
	}
	return found
}

// sortRegions brings regions into the reading order. Those that it does not mention come last, in the order of the file.
func sortRegions(regions []*node, order *node) {
	if order == nil {
		return
	}
	position := map[string]int{}
	for i, id := range references(order) {
		position[id] = i
	}
	at := func(n *node) int {
		if i, ok := position[n.attr("id")]; ok {
			return i
		}
		return len(position)
	}
	slices.SortStableFunc(regions, func(a, b *node) int { return cmp.Compare(at(a), at(b)) })
}

// references returns the ids below a group of the reading order. Children with an index come in its order.
func references(group *node) (ids []string) {
	children := make([]*node, len(group.Nodes))
	for i := range group.Nodes {
		children[i] = &group.Nodes[i]
	}
	index := func(n *node) int {
		i, err := strconv.Atoi(n.attr("index"))
		if err != nil {
			return 0
		}
		return i
	}
	slices.SortStableFunc(children, func(a, b *node) int { return cmp.Compare(index(a), index(b)) })
	for _, n := range children {
		if id := n.attr("regionRef"); id != "" {
			ids = append(ids, id)
		}
		ids = append(ids, references(n)...)
	}
	return ids
}

// pageBlock reads the lines of a region. A region whose text is not divided into lines has no place for each word, and is
// an error.
func pageBlock(n *node, p *document.Page) (block document.Block, err error) {
	lines := n.all("TextLine")
	if text, _ := textOf(n); len(lines) == 0 && strings.TrimSpace(text) != "" && len(textRegions(n)) == 0 {
		return block, fmt.Errorf("%s: has text, but no TextLine", n.name())
	}
	for _, l := range lines {
		line, err := pageLine(l, p)
		if err != nil {
			return block, err
		}
		if len(line.Words) > 0 {
			block.Lines = append(block.Lines, line)
			block.Box = block.Box.Union(line.Box)
		}
	}
	return block, nil
}

// pageLine reads the words of a line, or divides its text if it has none.
func pageLine(n *node, p *document.Page) (line document.Line, err error) {
	line.Handwritten = strings.HasPrefix(n.attr("production"), "handwritten")
	elements := n.all("Word")
	ofLine := len(elements) == 0
	if ofLine {
		elements = []*node{n}
	}
	for _, w := range elements {
		text, equiv := textOf(w)
		if strings.TrimSpace(text) == "" {
			continue
		}
		box, err := pageBox(w, p)
		if err != nil {
			return line, err
		}
		confidence, err := equiv.confidence("conf")
		if err != nil {
			return line, err
		}
		found, err := words(w, text, box, confidence)
		if err != nil {
			return line, err
		}
		if ofLine { // its confidence is the share of correct characters
			for i := range found {
				found[i].Confidence = document.ConfidenceOf(found[i].Text, confidence)
			}
		}
		line.Words = append(line.Words, found...)
	}
	line.Box = document.WordsBox(line.Words)
	if b := n.first("Baseline"); b != nil {
		if line.Baseline, err = points(b.attr("points")); err != nil {
			return line, fmt.Errorf("%s: Baseline: %w", n.name(), err)
		}
	}
	return line, nil
}

// textOf returns the text of an element: that of its first TextEquiv by index.
func textOf(n *node) (text string, equiv *node) {
	all := equivs(n)
	if len(all) == 0 {
		return "", &node{}
	}
	return unicodeOf(all[0]), all[0]
}

// equivs returns each TextEquiv of an element, by index.
func equivs(n *node) []*node {
	all := n.all("TextEquiv")
	slices.SortStableFunc(all, func(a, b *node) int {
		i, _ := strconv.Atoi(a.attr("index")) // 0 if it is missing
		j, _ := strconv.Atoi(b.attr("index"))
		return cmp.Compare(i, j)
	})
	return all
}

// unicodeOf returns the text of a TextEquiv.
func unicodeOf(equiv *node) string {
	if u := equiv.first("Unicode"); u != nil {
		return u.Text
	}
	return ""
}

// alternatives returns the other readings of a word: what each TextEquiv after the first says.
func alternatives(word *node) (all []document.Alternative, err error) {
	for i, equiv := range equivs(word) {
		if i == 0 {
			continue
		}
		confidence, err := equiv.confidence("conf")
		if err != nil {
			return nil, err
		}
		all = append(all, document.Alternative{Text: unicodeOf(equiv), Confidence: confidence})
	}
	return all, nil
}

// pageBox returns the box around the outline of an element. Outlines of other tools touch the edge of the page, so that
// coordinates equal to its size are on it.
func pageBox(n *node, p *document.Page) (box document.Box, err error) {
	coords := n.first("Coords")
	if coords == nil {
		return box, fmt.Errorf("%s: has no Coords", n.name())
	}
	all, err := points(coords.attr("points"))
	if err != nil {
		return box, fmt.Errorf("%s: Coords: %w", n.name(), err)
	}
	box = boxOf(all)
	return box, onPage(n, box, p)
}

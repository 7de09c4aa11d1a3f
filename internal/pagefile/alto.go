package pagefile

import (
	"fmt"
	"strings"

	"uncial/internal/document"
)

// readALTO reads the pages of an ALTO file. Its unit must be pixels: other units depend on the resolution of an image that this
// package does not have.
func readALTO(root *node) ([]document.Page, error) {
	if unit := root.first("Description", "MeasurementUnit"); unit != nil && strings.TrimSpace(unit.Text) != "pixel" {
		return nil, fmt.Errorf("MeasurementUnit must be pixel, not %q", shorten(strings.TrimSpace(unit.Text)))
	}
	var pages []document.Page
	for _, layout := range root.all("Layout") {
		for _, n := range layout.all("Page") {
			p, err := sheet(n, "WIDTH", "HEIGHT")
			if err != nil {
				return nil, err
			}
			if err := altoBlocks(n, &p); err != nil {
				return nil, err
			}
			pages = append(pages, p)
		}
	}
	return pages, nil
}

// altoBlocks adds the blocks below an element, which may be nested in print space, margins and composed blocks.
func altoBlocks(n *node, p *document.Page) error {
	for i := range n.Nodes {
		child := &n.Nodes[i]
		if child.XMLName.Local == "Illustration" {
			addIllustration(child, p)
		}
		if child.XMLName.Local != "TextBlock" {
			if err := altoBlocks(child, p); err != nil {
				return err
			}
			continue
		}
		var block document.Block
		for _, l := range child.all("TextLine") {
			line, err := altoLine(l, p)
			if err != nil {
				return err
			}
			if len(line.Words) > 0 {
				block.Lines = append(block.Lines, line)
				block.Box = block.Box.Union(line.Box)
			}
		}
		if len(block.Lines) > 0 {
			p.Blocks = append(p.Blocks, block)
		}
	}
	return nil
}

// addIllustration adds a graphic, unless its box is missing or not on the page: no text depends on it.
func addIllustration(n *node, p *document.Page) {
	box, err := altoBox(n)
	if err != nil || onPage(n, box, p) != nil {
		return
	}
	kind := document.Illustration
	if n.attr("TYPE") == string(document.Music) {
		kind = document.Music
	}
	p.Graphics = append(p.Graphics, document.Graphic{Box: box, Kind: kind})
}

// altoLine reads the words of a line. Some tools write the whole line as one String, which is then divided at its spaces.
func altoLine(n *node, p *document.Page) (line document.Line, err error) {
	for i := range n.Nodes {
		child := &n.Nodes[i]
		switch child.XMLName.Local {
		case "String":
			found, err := altoWords(child, n, p)
			if err != nil {
				return line, err
			}
			line.Words = append(line.Words, found...)
		case "HYP":
			if last := len(line.Words) - 1; last >= 0 {
				line.Words[last].Text = document.WordText(line.Words[last].Text + child.attr("CONTENT"))
			}
		}
	}
	line.Box = document.WordsBox(line.Words)
	baseline := n.attr("BASELINE")
	if !strings.ContainsAny(strings.TrimSpace(baseline), ", ") {
		return line, nil // before version 4.2, a single height
	}
	if line.Baseline, err = points(baseline); err != nil {
		return line, fmt.Errorf("%s: BASELINE: %w", n.name(), err)
	}
	return line, nil
}

// altoWords reads a String. Its box is that of the line if it has none of its own.
func altoWords(n, line *node, p *document.Page) ([]document.Word, error) {
	of := n
	if n.attr("HPOS") == "" {
		of = line
	}
	box, err := altoBox(of)
	if err != nil {
		return nil, err
	}
	if err := onPage(of, box, p); err != nil {
		return nil, err
	}
	confidence, err := n.confidence("WC")
	if err != nil {
		return nil, err
	}
	return words(n, n.attr("CONTENT"), box, confidence)
}

// altoBox reads the four attributes of a box or, if there are none, the polygon of the element.
func altoBox(n *node) (box document.Box, err error) {
	if polygon := n.first("Shape", "Polygon"); n.attr("HPOS") == "" && polygon != nil {
		all, err := points(polygon.attr("POINTS"))
		if err != nil {
			return box, fmt.Errorf("%s: POINTS: %w", n.name(), err)
		}
		return boxOf(all), nil
	}
	for _, side := range []struct {
		name string
		to   *int
	}{{"HPOS", &box.X}, {"VPOS", &box.Y}, {"WIDTH", &box.W}, {"HEIGHT", &box.H}} {
		if *side.to, err = n.whole(side.name); err != nil {
			return box, err
		}
	}
	return box, nil
}

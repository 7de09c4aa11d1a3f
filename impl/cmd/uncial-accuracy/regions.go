package main

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"text/tabwriter"
	"unicode/utf8"

	"uncial/internal/document"
)

// The kinds of labelled regions.
const (
	printRegion = "print"
	handRegion  = "handwriting"
	// ornamentRegion is an initial, a headpiece or a frame: it may be found as an illustration, or not.
	ornamentRegion = "ornament"
)

var regionKinds = []string{printRegion, handRegion, string(document.Illustration), string(document.Music), ornamentRegion}

const (
	// perMille is the unit of labels: thousandths of the width and the height of the upright page.
	perMille = 1000
	// sameRegion is the minimum overlap of a labelled and a found region, as a share of both together.
	sameRegion = 0.5
)

// region is a part of a page whose kind a person has labelled.
type region struct {
	page, kind               string
	left, top, right, bottom int // in perMille
}

// loadRegions reads a file of lines "page id, kind, left, top, right, bottom", separated by tabs. Lines that begin with # are
// comments.
func loadRegions(path string) (all []region, err error) {
	data, err := os.ReadFile(path) // #nosec G304 -- the path is an argument
	if err != nil {
		return nil, fmt.Errorf("--regions: %w", err)
	}
	r := csv.NewReader(bytes.NewReader(data))
	r.Comma, r.Comment, r.FieldsPerRecord = '\t', '#', 6
	rows, err := r.ReadAll()
	if err != nil {
		return nil, fmt.Errorf("--regions: %s: %w", path, err)
	}
	for i, row := range rows {
		label := region{page: row[0], kind: row[1]}
		for j, side := range []*int{&label.left, &label.top, &label.right, &label.bottom} {
			if *side, err = strconv.Atoi(row[j+2]); err != nil || *side < 0 || *side > perMille {
				return nil, fmt.Errorf("--regions: %s: label %d: %q is not a number from 0 to %d", path, i+1, row[j+2], perMille)
			}
		}
		if !slices.Contains(regionKinds, label.kind) || label.left >= label.right || label.top >= label.bottom {
			return nil, fmt.Errorf("--regions: %s: label %d: expected one of the kinds %v, and a box with an area", path, i+1, regionKinds)
		}
		all = append(all, label)
	}
	return all, nil
}

// box returns the region in pixels of a page.
func (r region) box(p *document.Page) document.Box {
	x, y := r.left*p.Width/perMille, r.top*p.Height/perMille
	return document.Box{X: x, Y: y, W: r.right*p.Width/perMille - x, H: r.bottom*p.Height/perMille - y}
}

// found returns the kind that a reading gives to the region, "" if it has nothing there. Text has the kind of most of its
// characters.
func (r region) found(p *document.Page) string {
	box := r.box(p)
	for _, g := range p.Graphics {
		if overlap(g.Box, box) >= sameRegion {
			return string(g.Kind)
		}
	}
	characters := map[bool]int{}
	for line := range document.Lines(p.Blocks) {
		for _, w := range line.Words {
			if x, y := w.Box.X+w.Box.W/2, w.Box.Y+w.Box.H/2; x >= box.X && x < box.X+box.W && y >= box.Y && y < box.Y+box.H {
				characters[line.Handwritten] += utf8.RuneCountInString(w.Text)
			}
		}
	}
	switch {
	case characters[true]+characters[false] == 0:
		return ""
	case characters[true] > characters[false]:
		return handRegion
	}
	return printRegion
}

// overlap returns the area that two boxes share, as a share of the area that they cover together.
func overlap(a, b document.Box) float64 {
	w, h := min(a.X+a.W, b.X+b.W)-max(a.X, b.X), min(a.Y+a.H, b.Y+b.H)-max(a.Y, b.Y)
	if w <= 0 || h <= 0 {
		return 0
	}
	return float64(w*h) / float64(a.W*a.H+b.W*b.H-w*h)
}

// printRegions prints how many labelled regions have their kind in the readings, and each that has another, or that no label
// mentions.
func printRegions(out io.Writer, labels []region, outcomes []outcome) error {
	right, all := map[string]int{}, map[string]int{}
	var wrong []string
	for _, o := range outcomes {
		p := &o.document.Pages[0]
		own := slices.DeleteFunc(slices.Clone(labels), func(l region) bool { return l.page != o.Page.ID })
		for _, l := range own {
			all[l.kind]++
			kind := l.found(p)
			if kind == l.kind || l.kind == ornamentRegion {
				right[l.kind]++
				continue
			}
			wrong = append(wrong, fmt.Sprintf("%s: the %s at %d,%d %s", l.page, l.kind, l.left, l.top, mistake(kind)))
		}
		for _, g := range p.Graphics {
			if len(own) > 0 && !slices.ContainsFunc(own, func(l region) bool { return overlap(g.Box, l.box(p)) >= sameRegion }) {
				wrong = append(wrong, fmt.Sprintf("%s: found an unlabelled %s at %d,%d to %d,%d", o.Page.ID, g.Kind, perMille*g.Box.X/p.Width,
					perMille*g.Box.Y/p.Height, perMille*(g.Box.X+g.Box.W)/p.Width, perMille*(g.Box.Y+g.Box.H)/p.Height))
			}
		}
	}
	t := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "kind\tlabelled\tright")
	for _, kind := range regionKinds {
		fmt.Fprintf(t, "%s\t%d\t%d\n", kind, all[kind], right[kind])
	}
	for _, w := range wrong {
		fmt.Fprintln(t, w)
	}
	return t.Flush()
}

// mistake says what became of a region that was found as a different kind, or not at all ("").
func mistake(found string) string {
	if found == "" {
		return "was not found"
	}
	return "was taken for " + found
}

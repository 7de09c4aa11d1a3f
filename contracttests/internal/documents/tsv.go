package documents

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// tsvHeader is the first line that Tesseract writes.
const tsvHeader = "level\tpage_num\tblock_num\tpar_num\tline_num\tword_num\tleft\ttop\twidth\theight\tconf\ttext"

// readTSV reads Tesseract's twelve columns. Paragraphs, its third level, become part of their block. A missing line feed at
// the end is accepted; an empty line is not.
func readTSV(text string) (*Document, error) {
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	if lines[0] != tsvHeader {
		return nil, fmt.Errorf("the first line of TSV must name its twelve columns, not %q", lines[0])
	}
	r := &tsvReader{doc: &Document{}}
	for i, line := range lines[1:] {
		if err := r.row(line); err != nil {
			return nil, fmt.Errorf("line %d of the TSV: %w", i+2, err)
		}
	}
	return r.doc, nil
}

// tsvReader keeps the open elements, because each row refers to its parents only by number.
type tsvReader struct {
	doc  *Document
	open [5]*Element // page, block, (paragraph), line at their level - 1
	last [5]int      // the numbers of the previous row
}

// row reads one line: level, five numbers, box, confidence and text.
func (r *tsvReader) row(line string) error {
	columns := strings.Split(line, "\t")
	if len(columns) != 12 {
		return fmt.Errorf("expected 12 columns, not %d", len(columns))
	}
	var n [10]int
	for i := range n {
		v, err := strconv.Atoi(columns[i])
		if err != nil || v < 0 {
			return fmt.Errorf("column %d must be a whole number, not %q", i+1, columns[i])
		}
		n[i] = v
	}
	level := n[0]
	if level < 1 || level > 5 {
		return fmt.Errorf("the level must be 1 to 5, not %d", level)
	}
	if err := r.advance(level, [5]int(n[1:6])); err != nil {
		return err
	}
	// The five numbers identify a row.
	e := &Element{Name: fmt.Sprint(r.last), Box: Box{n[6], n[7], n[6] + n[8], n[7] + n[9]}}
	if err := e.rate(level, columns[10], columns[11]); err != nil {
		return err
	}
	return r.put(e, level)
}

// advance requires the numbers to count from 1 within their parent, without gaps, and to be 0 below their level.
func (r *tsvReader) advance(level int, numbers [5]int) error {
	want := r.last
	want[level-1]++
	// Numbers restart within each parent.
	clear(want[level:])
	if numbers != want {
		return fmt.Errorf("a row of level %d has the numbers %v; expected %v", level, numbers, want)
	}
	r.last = numbers
	return nil
}

// rate sets confidence and text, which only words have. TSV gives confidences in percent; Element.check refuses those above
// 100.
func (e *Element) rate(level int, conf, text string) error {
	if level < 5 {
		if strings.TrimRight(strings.TrimRight(conf, "0"), ".") != "-1" || text != "" {
			return errors.New("only words may have a confidence and a text; other rows have -1 and no text")
		}
		return nil
	}
	v, err := strconv.ParseFloat(conf, 64)
	e.Confidence, e.Text = v/100, text
	if strings.Contains(text, "\u00ad") {
		return errors.New("a word has a soft hyphen; a divided word stays as printed")
	}
	if err != nil {
		return fmt.Errorf("the confidence of a word must be a number, not %q", conf)
	}
	return nil
}

// put adds the element to its parent. Every level above it must be open: rows are in document order, each parent before its
// parts.
func (r *tsvReader) put(e *Element, level int) error {
	e.kind = []kind{pageKind, blockKind, blockKind, lineKind, wordKind}[level-1]
	r.open[level-1] = e
	clear(r.open[level:])
	switch level {
	case 1:
		r.doc.Pages = append(r.doc.Pages, e)
		return nil
	case 3:
		// A paragraph must lie in its block, but does not become an element.
		if block := r.open[1]; block == nil || !block.Box.Contains(e.Box) {
			return errors.New("a paragraph is outside of its block")
		}
		return nil
	}
	parent := r.open[[]int{1: 0, 3: 1, 4: 3}[level-1]]
	if parent == nil || slices.Contains(r.open[:level-1], nil) {
		return errors.New("the row has no parent")
	}
	parent.Parts = append(parent.Parts, e)
	return nil
}

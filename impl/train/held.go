package train

import (
	"errors"
	"fmt"

	"uncial/impl/groundtruth"
	"uncial/impl/ocr/neural/training"
)

// heldPages is the interval at which pages are held back: one page in 10 or, with fewer than 10 pages, one line in 10.
const heldPages = 10

// minLines is the minimum number of lines of the ground truth. One of as many lines is held back to measure the error.
const minLines = heldPages

// page is a page of the ground truth. held means that it is in --held-back: the error is measured on its lines, and they are
// not trained on.
type page struct {
	groundtruth.Page
	held bool
}

// divide returns all pages. It is an error if a page is in both lists.
func divide(pages, heldBack []groundtruth.Page) ([]page, error) {
	var out []page
	trainedOn := map[string]bool{}
	for _, p := range pages {
		out = append(out, page{p, false})
		trainedOn[p.Image] = true
	}
	for _, p := range heldBack {
		if trainedOn[p.Image] {
			return nil, fmt.Errorf("--held-back: %s is also in the folders of --ground-truth", p.Image)
		}
		out = append(out, page{p, true})
	}
	return out, nil
}

// enough returns an error if too few lines were cut out of the pages. someHeldBack means that there are pages of --held-back.
func enough(pages [][]training.Line, someHeldBack bool) error {
	trained, held := 0, 0
	for _, lines := range pages {
		if lines[0].Held {
			held += len(lines)
		} else {
			trained += len(lines)
		}
	}
	switch {
	case trained == 0:
		return errors.New("--ground-truth: no line could be cut out of the images")
	case trained < minLines:
		return fmt.Errorf("--ground-truth: only %s could be cut out of the images; training needs at least %d", count(trained, "line"), minLines)
	case someHeldBack && held == 0:
		return errors.New("--held-back: no line could be cut out of the images")
	}
	return nil
}

// holdBack chooses the lines that the error is measured on: those of every tenth page or, with few pages, every tenth line. It
// counts only lines and pages that could be cut, so that it always finds some: there are at least minLines.
func holdBack(pages [][]training.Line) {
	n := 0 // lines so far
	for p, lines := range pages {
		for i := range lines {
			at := p
			if len(pages) < heldPages {
				at = n
			}
			lines[i].Held = at%heldPages == heldPages/2
			n++
		}
	}
}

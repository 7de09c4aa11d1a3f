package train

import (
	"fmt"

	"uncial/impl/groundtruth"
)

// heldPages is the interval at which pages are held back: one page in 10 or, with fewer than 10 pages, one line in 10.
const heldPages = 10

// page is a page of the ground truth.
type page struct {
	groundtruth.Page
	// held means that all of the page's lines are held back: the error is measured on them, and they are not trained on. line
	// means that only one line in heldPages is held back.
	held, line bool
}

// isHeld reports whether line number line (from 0) of the page is held back.
func (p page) isHeld(line int) bool {
	if p.line {
		return line%heldPages == heldPages/2
	}
	return p.held
}

// divide chooses the pages and lines that the error is measured on: the pages in heldBack or, if there are none, every tenth
// page or, with few pages, every tenth line. It is an error if a page is in both lists.
func divide(pages, heldBack []groundtruth.Page) ([]page, error) {
	var out []page
	trainedOn := map[string]bool{}
	few := len(heldBack) == 0 && len(pages) < heldPages
	for i, p := range pages {
		out = append(out, page{p, len(heldBack) == 0 && i%heldPages == heldPages/2, few})
		trainedOn[p.Image] = true
	}
	for _, p := range heldBack {
		if trainedOn[p.Image] {
			return nil, fmt.Errorf("--held-back: %s is also in the folders of --ground-truth", p.Image)
		}
		out = append(out, page{p, true, false})
	}
	return out, nil
}

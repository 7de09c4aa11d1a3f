package reading

import (
	"context"
	"image"
	"slices"

	"uncial/impl/ocr/imaging"
)

const (
	// askance is the estimated share of right characters below which a page may be lying on its side or upside down.
	askance = 0.5
	// uprightGain is how much surer a part of the page must be read when it is turned, and uprightSure how sure.
	uprightGain = 0.2
	uprightSure = 0.7
	// legible is how sure the model for hands is of a page that certainly stands upright, and handGain how much surer it
	// must be of a page when that is turned. On the shared pages it is 0.02 to 0.40 surer of those that stand upright.
	legible  = 0.33
	handGain = 0.03
)

// look is what was seen of a page as it lies.
type look struct {
	gray   *image.Gray
	sheet  sheet
	isHand bool    // all of it is written by hand
	sure   float64 // of some lines, where it is a hand
}

// turns says by how many quarters clockwise the page has to be turned to stand upright. It is asked of pages that can
// hardly be read as they lie, whose confidence is given, and tries a hand upside down, or print and then a hand in all
// positions.
func (l look) turns(ctx context.Context, src Source, o Options, model string, confidence float64) (int, error) {
	switch {
	case l.isHand && l.sure < legible:
		return l.handTurns(ctx, src, o, model, 2)
	case l.isHand, confidence >= askance, l.sheet.blank, len(l.sheet.letters) == 0:
		return 0, nil
	}
	if quarters, err := printTurns(ctx, l.sheet.source(src), l.sheet.img, model); quarters != 0 || err != nil {
		return quarters, err
	}
	return l.handTurns(ctx, src, o, model, 1, 2, 3)
}

// handTurns is the position of those given in which the page is a hand's that is surer than as it lies, or 0.
func (l look) handTurns(ctx context.Context, src Source, o Options, model string, positions ...int) (int, error) {
	best, at := l.sure+handGain, 0
	for _, quarters := range positions {
		spots := turned(l.sheet.letters, l.gray.Rect.Size(), quarters)
		sure, ok, err := lookForHands(src, o, model, imaging.Turn(l.gray, quarters), spots).sure(ctx)
		if err != nil {
			return 0, err
		}
		if ok && sure > best {
			best, at = sure, quarters
		}
	}
	return at, nil
}

// turned are boxes on a page of that size after it was turned clockwise by quarters.
func turned(boxes []image.Rectangle, size image.Point, quarters int) []image.Rectangle {
	out := slices.Clone(boxes)
	for range quarters {
		for i, b := range out {
			out[i] = image.Rect(size.Y-b.Max.Y, b.Min.X, size.Y-b.Min.Y, b.Max.X)
		}
		size = image.Pt(size.Y, size.X)
	}
	return out
}

// printTurns says by how many quarters clockwise a printed page has to be turned. It reads the middle of the page in each
// position, which is a quarter of it.
func printTurns(ctx context.Context, src Source, img *image.Gray, model string) (int, error) {
	size := img.Rect.Size()
	middle := imaging.Crop(img, image.Rect(size.X/4, size.Y/4, size.X*3/4, size.Y*3/4))
	best, at, lying := 0.0, 0, 0.0
	for quarters := range 4 {
		a, err := read(ctx, src, imaging.Turn(middle, quarters), model)
		if err != nil {
			return 0, err
		}
		if quarters == 0 {
			lying = a.confidence
		}
		if a.confidence > best {
			best, at = a.confidence, quarters
		}
	}
	if best < uprightSure || best < lying+uprightGain {
		return 0, nil
	}
	return at, nil
}

package reading

import (
	"context"
	"image"

	"uncial/impl/ocr/imaging"
)

const (
	// askance is the estimated share of right characters below which a page may be lying on its side or upside down.
	askance = 0.5
	// uprightGain is how much surer a part of the page must be read when it is turned, and uprightSure how sure.
	uprightGain = 0.2
	uprightSure = 0.7
)

// turns says by how many quarters clockwise the page has to be turned to stand upright. It reads the middle of the page
// in each position, which is a quarter of it, so it is asked only of pages that cannot be read as they lie.
func turns(ctx context.Context, src Source, img *image.Gray, model string) (int, error) {
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

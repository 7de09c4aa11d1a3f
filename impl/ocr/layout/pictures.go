package layout

import (
	"image"
	"slices"

	"uncial/impl/ocr/imaging"
)

// Illustrations returns the boxes of possible woodcuts, engravings and photographs on a page of print, whose bounds begin at
// (0, 0). marks are the components of ink, and height is the usual height of letters. A frame around text looks like a picture
// too: the caller must check whether it contains words.
func Illustrations(page *image.Gray, marks []image.Rectangle, height int) []image.Rectangle {
	minSide := float64(height) * minPictureSide
	var found []image.Rectangle
	for _, m := range marks {
		if m.Dx() >= minPicture*height && m.Dy() >= maxMarkHeight*height && inkShare(page, m) >= minPictureInk {
			found = append(found, m)
		}
	}
	if len(found) > maxIllustrations {
		return nil
	}
	found = united(found)
	return slices.DeleteFunc(found, func(b image.Rectangle) bool {
		return float64(min(b.Dx(), b.Dy())) < minSide || !b.Inset(-1).In(page.Rect) || inkShare(page, b) < minPictureInk
	})
}

// Initials returns the boxes of possible initials: letters, with or without ornament, that are at least two lines high. The
// arguments are those of Illustrations. The caller must check whether there is text to the right of each box.
func Initials(page *image.Gray, marks []image.Rectangle, height int) []image.Rectangle {
	h := float64(height)
	var found []image.Rectangle
	for _, m := range marks {
		if w, tall := float64(m.Dx()), float64(m.Dy()); tall >= minInitial*h && w >= narrowestInitial*h && max(w, tall) <= largestInitial*h &&
			m.Inset(-1).In(page.Rect) && inkShare(page, m) >= minPictureInk {
			found = append(found, m)
		}
	}
	if len(found) > maxInitials {
		return nil
	}
	return united(found)
}

// united joins boxes that overlap by at least samePicture of the smaller one.
func united(boxes []image.Rectangle) []image.Rectangle {
	return merged(boxes, func(a, b image.Rectangle) bool {
		return float64(imaging.Area(a.Intersect(b))) >= samePicture*float64(min(imaging.Area(a), imaging.Area(b)))
	})
}

// merged joins boxes that belong together.
func merged(boxes []image.Rectangle, belong func(a, b image.Rectangle) bool) []image.Rectangle {
	var out []image.Rectangle
	for _, b := range boxes {
		for i := 0; i < len(out); i++ {
			if belong(b, out[i]) {
				b = b.Union(out[i])
				out = slices.Delete(out, i, i+1)
				i = -1 // the larger box may belong with earlier ones
			}
		}
		out = append(out, b)
	}
	return out
}

// inkShare returns the share of a rectangle's pixels that are ink, 0..1.
func inkShare(page *image.Gray, r image.Rectangle) float64 {
	n := 0
	for y := r.Min.Y; y < r.Max.Y; y++ {
		for _, v := range page.Pix[page.PixOffset(r.Min.X, y):page.PixOffset(r.Max.X, y)] {
			if v < inkGrey {
				n++
			}
		}
	}
	return float64(n) / float64(imaging.Area(r))
}

package reading

import (
	"image"
	"image/draw"
	"maps"
	"slices"

	"uncial/impl/ocr/imaging"
)

// isTexture reports whether the ink is a texture instead of writing, such as a checkerboard, noise, or a page that is all
// black. The layout analysis could take the whole deadline just to find no text in it. There are five kinds of textures, each
// with a property that writing never has:
//   - nearly all spots have one of a few sizes, to the pixel,
//   - ink is scattered at random,
//   - ink repeats itself in both directions,
//   - half of the page is ink, and hardly any spot has the size of a letter,
//   - specks are everywhere, and hardly any spot has the size of a letter.
//
// spots are all components of ink, specks included.
func (s sheet) isTexture(spots []image.Rectangle) bool {
	legible := 0
	sizes := map[image.Point]int{}
	for _, l := range s.letters {
		if l.Dy() > maxIllegibleHeight {
			legible++
		}
		sizes[l.Size()]++
	}
	area := s.img.Rect.Dx() * s.img.Rect.Dy()
	if area < minTexturePixels {
		return false // a word or a line, which costs little to read
	}
	threshold := imaging.InkThreshold(s.img)
	switch {
	case len(s.letters) >= minTextureSpots && float64(spotsOfCommonSizes(sizes, sameSizes)) >= sameSizeShare*float64(len(s.letters)):
		return true
	case s.isNoise(threshold), imaging.IsPattern(s.img, threshold):
		return true
	case legible > maxTextureLetters:
		return false
	case len(spots) >= area/pixelsPerSpeck:
		return true
	}
	return float64(imaging.InkPixels(s.img, threshold)) >= textureInk*float64(area)
}

// spotsOfCommonSizes returns the number of spots that have one of the n most common sizes.
func spotsOfCommonSizes(sizes map[image.Point]int, n int) int {
	counts := slices.Sorted(maps.Values(sizes))
	sum := 0
	for _, count := range counts[max(len(counts)-n, 0):] {
		sum += count
	}
	return sum
}

// isNoise reports whether ink is scattered at random. Pixels up to the threshold are ink. Slanted writing looks random only
// until the page is rotated.
func (s sheet) isNoise(threshold uint8) bool {
	order := imaging.Order(s.img, threshold)
	return order > 0 && order <= maxNoiseOrder && imaging.Slant(s.letters) == 0
}

// eraseHalftone whitens a picture of dots on a sheet whose ink is a texture, and sets the ink outside it, if that may be text:
// the caption and the number of a plate. spots are all components of ink. The picture has nearly all of them.
func (s *sheet) eraseHalftone(spots []image.Rectangle) {
	if len(spots) < minTextureSpots {
		return
	}
	var xs, ys []int
	var box image.Rectangle // of the largest spot, which may be the frame
	for _, r := range spots {
		middle := imaging.Middle(r)
		xs, ys = append(xs, middle.X), append(ys, middle.Y)
		if imaging.Area(r) > imaging.Area(box) {
			box = r
		}
	}
	slices.Sort(xs)
	slices.Sort(ys)
	few := len(spots) / spotsPerOutlier
	box = box.Union(image.Rect(xs[few], ys[few], xs[len(xs)-1-few], ys[len(ys)-1-few])).Inset(-halftoneMargin).Intersect(s.img.Rect)
	rest := slices.DeleteFunc(slices.Clone(spots), func(r image.Rectangle) bool { return r.Overlaps(box) })
	if float64(imaging.Area(box)) > maxHalftone*float64(imaging.Area(s.img.Rect)) || len(imaging.LetterShaped(imaging.WithoutSpecks(rest))) < minCaption {
		return
	}
	s.img = whitened(s.img, box)
	s.halftone = box
	s.setInk(rest)
}

// withoutHalftone returns an image of the page without the picture of dots, or the image itself if there is none.
func (p *page) withoutHalftone(g *image.Gray) *image.Gray {
	if p.sheet.halftone.Empty() {
		return g
	}
	return whitened(g, p.sheet.halftone)
}

// whitened returns a copy of an image with a white box.
func whitened(g *image.Gray, box image.Rectangle) *image.Gray {
	out := imaging.Crop(g, g.Rect)
	draw.Draw(out, box, image.White, image.Point{}, draw.Src)
	return out
}

package reading

import (
	"image"
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

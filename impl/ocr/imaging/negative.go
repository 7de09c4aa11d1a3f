package imaging

import "image"

// negativeLetters is how many times as many light letters as dark ones a negative has at least. The dark spots that it
// has are the counters of letters such as o and e, less than half as many.
const negativeLetters = 1.5

// Bright is the page with its greys spread up to white where it is so dark that nothing on it is: a picture taken without
// light, a scan with the lamp off. Other pages are returned as they are, negatives too: theirs is dark where it is blank.
func Bright(g *image.Gray) *image.Gray {
	const enough, white = 110, 240 // the brightest greys of a page that stays, and what those of others become
	brightest := quantile(Histogram(g), 0.99)
	if brightest >= enough || brightest == 0 || Positive(g) != g {
		return g
	}
	out := image.NewGray(image.Rect(0, 0, g.Rect.Dx(), g.Rect.Dy()))
	for y := range g.Rect.Dy() {
		to := row(out, y)
		for x, v := range row(g, y) {
			to[x] = uint8(min(int(v)*white/brightest, 255))
		}
	}
	return out
}

// Positive is the page with dark writing on light paper: its inverse where it is a negative, as films of newspapers
// often are. Other pages are returned as they are, those on a dark table too.
func Positive(g *image.Gray) *image.Gray {
	if h := Histogram(g); median(h) > int(otsu(h)) {
		return g
	}
	inverse := image.NewGray(image.Rect(0, 0, g.Rect.Dx(), g.Rect.Dy()))
	for y := range g.Rect.Dy() {
		to := row(inverse, y)
		for x, v := range row(g, y) {
			to[x] = 255 - v
		}
	}
	light, dark := len(Letters(inverse)), len(Letters(g))
	if light < enoughLetters || float64(light) < negativeLetters*float64(dark) {
		return g
	}
	// The letters of a negative show as they are. A grey page on white shows specks until its background is divided.
	if light < len(Letters(Flatten(inverse)))/2 {
		return g
	}
	return inverse
}

package ocrtest

import (
	"image"
	"math"
	"math/rand/v2"
)

// point is a place of a pen in units of the height of small letters: x to the right, y up from the line.
type point struct{ x, y float64 }

// glyph is a letter of the drawn hand: the way of the pen, which goes on into the next letter, what is added when the word
// is done (dots, bars, accents), and how far the next letter stands to the right. A point that stands twice is a corner.
type glyph struct {
	way     []point
	marks   [][]point
	advance float64
}

var (
	bowl   = []point{{.95, .85}, {.6, 1}, {.15, .6}, {.25, .08}, {.55, .1}, {.9, .6}}
	accent = []point{{.45, 1.3}, {.75, 1.65}}
	tittle = [][]point{{{.42, 1.42}, {.46, 1.5}}}
)

// cursive is a round, joined hand such as was taught in the 19th century, without capitals, k, w and z.
var cursive = map[rune]glyph{
	'a': {way: with(bowl, point{.97, 1}, point{.97, 1}, point{.9, .35}, point{1, .05}, point{1.25, .25}), advance: 1.15},
	'b': {way: []point{{.2, .5}, {.45, 1.6}, {.4, 2}, {.2, 1.8}, {.2, .6}, {.25, .1}, {.55, .02}, {.85, .4}, {.78, .92}, {.78, .92}, {1.05, .8}}, advance: 1},
	'c': {way: []point{{.75, .8}, {.5, 1}, {.12, .6}, {.2, .1}, {.5, 0}, {.85, .25}}, advance: .8},
	'd': {way: with(bowl, point{1, 2}, point{1, 2}, point{.92, .35}, point{1.02, .05}, point{1.25, .25}), advance: 1.15},
	'e': {way: []point{{.1, .35}, {.55, .65}, {.5, .97}, {.3, .98}, {.1, .6}, {.2, .1}, {.45, 0}, {.8, .25}}, advance: .75},
	'é': {way: []point{{.1, .35}, {.55, .65}, {.5, .97}, {.3, .98}, {.1, .6}, {.2, .1}, {.45, 0}, {.8, .25}}, marks: [][]point{accent}, advance: .75},
	'è': {way: []point{{.1, .35}, {.55, .65}, {.5, .97}, {.3, .98}, {.1, .6}, {.2, .1}, {.45, 0}, {.8, .25}}, marks: [][]point{{{.3, 1.65}, {.6, 1.3}}}, advance: .75},
	'f': {way: []point{{.3, .6}, {.65, 1.7}, {.55, 2.05}, {.35, 1.8}, {.3, .5}, {.25, -.8}, {.4, -.95}, {.5, -.5}, {.4, .1}, {.8, .3}}, advance: .8},
	'g': {way: with(bowl, point{.97, 1}, point{.97, 1}, point{.9, 0}, point{.75, -.85}, point{.45, -.9}, point{.4, -.6}, point{.8, -.1}, point{1.25, .3}), advance: 1.15},
	'h': {way: []point{{.2, .5}, {.5, 1.6}, {.42, 2}, {.22, 1.7}, {.15, 0}, {.15, 0}, {.25, .6}, {.55, 1}, {.8, .85}, {.78, .3}, {.9, .03}, {1.2, .25}}, advance: 1.1},
	'i': {way: []point{{.1, .3}, {.35, 1}, {.35, 1}, {.3, .3}, {.42, .03}, {.7, .25}}, marks: tittle, advance: .62},
	'j': {way: []point{{.1, .3}, {.4, 1}, {.4, 1}, {.3, -.3}, {.15, -.9}, {-.1, -.85}, {-.1, -.6}, {.3, -.1}, {.7, .3}}, marks: tittle, advance: .65},
	'l': {way: []point{{.15, .4}, {.5, 1.6}, {.42, 2}, {.25, 1.8}, {.2, .4}, {.3, .03}, {.65, .25}}, advance: .6},
	'm': {way: []point{{.1, .5}, {.25, 1}, {.3, .7}, {.25, 0}, {.25, 0}, {.4, .7}, {.6, 1}, {.75, .8}, {.72, 0}, {.72, 0}, {.88, .7}, {1.1, 1}, {1.25, .8}, {1.22, .3}, {1.35, .03}, {1.65, .25}}, advance: 1.6},
	'n': {way: []point{{.1, .5}, {.25, 1}, {.3, .7}, {.25, 0}, {.25, 0}, {.4, .7}, {.62, 1}, {.78, .8}, {.76, .3}, {.88, .03}, {1.2, .25}}, advance: 1.15},
	'o': {way: []point{{.6, .95}, {.35, 1}, {.1, .55}, {.25, .05}, {.6, .1}, {.8, .55}, {.6, .95}, {.7, .85}, {1, .8}}, advance: .95},
	'p': {way: []point{{.1, .4}, {.3, 1}, {.3, 1}, {.2, -.9}, {.2, -.9}, {.28, .3}, {.45, .9}, {.7, 1}, {.85, .6}, {.7, .05}, {.4, .05}, {.75, 0}, {1.1, .25}}, advance: 1.05},
	'q': {way: with(bowl, point{.97, 1}, point{.97, 1}, point{.9, -.9}, point{.9, -.9}, point{1.25, .3}), advance: 1.2},
	'r': {way: []point{{.1, .4}, {.25, 1}, {.32, 1.08}, {.4, .85}, {.62, .9}, {.58, .4}, {.65, .05}, {.9, .25}}, advance: .85},
	's': {way: []point{{.15, .4}, {.45, 1.05}, {.45, 1.05}, {.6, .5}, {.5, .05}, {.2, .08}, {.5, .02}, {.85, .25}}, advance: .8},
	't': {way: []point{{.15, .5}, {.4, 1.5}, {.4, 1.5}, {.32, .4}, {.42, .03}, {.75, .25}}, marks: [][]point{{{.1, 1.1}, {.7, 1.15}}}, advance: .7},
	'u': {way: []point{{.1, .4}, {.25, 1}, {.25, 1}, {.2, .4}, {.35, .03}, {.6, .2}, {.8, 1}, {.8, 1}, {.75, .35}, {.88, .03}, {1.2, .25}}, advance: 1.15},
	'v': {way: []point{{.1, .6}, {.25, 1}, {.35, .7}, {.42, .05}, {.42, .05}, {.7, .6}, {.75, 1}, {1, .85}}, advance: .95},
	'x': {way: []point{{.1, .8}, {.3, 1}, {.5, .5}, {.7, .03}, {.95, .25}}, marks: [][]point{{{.75, .98}, {.15, .02}}}, advance: .9},
	'y': {way: []point{{.1, .4}, {.25, 1}, {.25, 1}, {.2, .4}, {.35, .03}, {.6, .2}, {.8, 1}, {.8, 1}, {.7, 0}, {.5, -.85}, {.25, -.9}, {.2, -.6}, {.6, -.1}, {1.1, .3}}, advance: 1.05},
}

func with(begin []point, more ...point) []point { return append(append([]point{}, begin...), more...) }

const (
	slant     = 0.35 // how far letters lean to the right for their height
	wordSpace = 0.9  // between words, in heights of small letters
	unsteady  = 0.05 // how far the pen strays, likewise
)

// Write draws text in a joined hand from x on, its small letters so many pixels high, standing on base, and returns where
// it ends. Letters that the hand does not know are left out. The same seed writes the same.
func Write(g *image.Gray, x, small int, base func(x float64) float64, text string, seed uint64) int {
	random := rand.New(rand.NewPCG(seed, 2)) // #nosec G404 -- to draw, not to keep secrets
	size, at := float64(small), float64(x)/float64(small)
	stray := func() float64 { return unsteady * (2*random.Float64() - 1) }
	var way []point
	lift := func() {
		trace(g, way, size, base)
		way = nil
	}
	for _, r := range text {
		letter, ok := cursive[r]
		if !ok {
			lift()
			at += wordSpace
			continue
		}
		for i, p := range letter.way {
			if i > 0 && p == letter.way[i-1] {
				way = append(way, way[len(way)-1]) // a corner stays one
				continue
			}
			way = append(way, point{at + p.x + stray(), p.y + stray()})
		}
		for _, m := range letter.marks {
			mark := make([]point, len(m))
			for i, p := range m {
				mark[i] = point{at + p.x, p.y}
			}
			trace(g, mark, size, base)
		}
		at += letter.advance
	}
	lift()
	return int(at * size)
}

// trace draws a smooth curve through the points (a Catmull-Rom spline). The pen is broader on its way down.
func trace(g *image.Gray, way []point, size float64, base func(x float64) float64) {
	for i := 0; i+1 < len(way); i++ {
		before, from, to, after := way[max(i-1, 0)], way[i], way[i+1], way[min(i+2, len(way)-1)]
		pen := size / 13
		if to.y < from.y-0.2 {
			pen = size / 8
		}
		steps := int(2*size*math.Hypot(to.x-from.x, to.y-from.y)) + 1
		for s := range steps {
			t := float64(s) / float64(steps)
			x := between(before.x, from.x, to.x, after.x, t)
			y := between(before.y, from.y, to.y, after.y, t)
			px := (x + slant*y) * size
			dot(g, px, base(px)-y*size, pen)
		}
	}
}

// between is the spline's value at t, 0 at b and 1 at c.
func between(a, b, c, d, t float64) float64 {
	return b + t*(c-a)/2 + t*t*(a-2.5*b+2*c-d/2) + t*t*t*(-a+3*b-3*c+d)/2
}

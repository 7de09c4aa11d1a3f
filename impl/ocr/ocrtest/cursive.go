package ocrtest

import (
	"image"
	"math"
	"math/rand/v2"
)

// point is a position of the pen in units of the x-height: x to the right, y up from the baseline.
type point struct{ x, y float64 }

// glyph is a letter of the drawn hand: the path of the pen, which continues into the next letter; the marks added after
// it (dots, bars, accents); and the distance to the next letter. A point given twice makes a corner instead of a curve.
type glyph struct {
	path    []point
	marks   [][]point
	advance float64
}

// Shapes that several letters share.
var (
	bowl   = []point{{.95, .85}, {.6, 1}, {.15, .6}, {.25, .08}, {.55, .1}, {.9, .6}}
	accent = []point{{.45, 1.3}, {.75, 1.65}}
	tittle = [][]point{{{.42, 1.42}, {.46, 1.5}}}
)

// cursive is a round, joined hand like those taught in the 19th century. It lacks capitals, k, w and z.
var cursive = map[rune]glyph{
	'a': {path: with(bowl, point{.97, 1}, point{.97, 1}, point{.9, .35}, point{1, .05}, point{1.25, .25}), advance: 1.15},
	'b': {path: []point{{.2, .5}, {.45, 1.6}, {.4, 2}, {.2, 1.8}, {.2, .6}, {.25, .1}, {.55, .02}, {.85, .4}, {.78, .92}, {.78, .92}, {1.05, .8}}, advance: 1},
	'c': {path: []point{{.75, .8}, {.5, 1}, {.12, .6}, {.2, .1}, {.5, 0}, {.85, .25}}, advance: .8},
	'd': {path: with(bowl, point{1, 2}, point{1, 2}, point{.92, .35}, point{1.02, .05}, point{1.25, .25}), advance: 1.15},
	'e': {path: []point{{.1, .35}, {.55, .65}, {.5, .97}, {.3, .98}, {.1, .6}, {.2, .1}, {.45, 0}, {.8, .25}}, advance: .75},
	'é': {path: []point{{.1, .35}, {.55, .65}, {.5, .97}, {.3, .98}, {.1, .6}, {.2, .1}, {.45, 0}, {.8, .25}}, marks: [][]point{accent}, advance: .75},
	'è': {path: []point{{.1, .35}, {.55, .65}, {.5, .97}, {.3, .98}, {.1, .6}, {.2, .1}, {.45, 0}, {.8, .25}}, marks: [][]point{{{.3, 1.65}, {.6, 1.3}}}, advance: .75},
	'f': {path: []point{{.3, .6}, {.65, 1.7}, {.55, 2.05}, {.35, 1.8}, {.3, .5}, {.25, -.8}, {.4, -.95}, {.5, -.5}, {.4, .1}, {.8, .3}}, advance: .8},
	'g': {path: with(bowl, point{.97, 1}, point{.97, 1}, point{.9, 0}, point{.75, -.85}, point{.45, -.9}, point{.4, -.6}, point{.8, -.1}, point{1.25, .3}), advance: 1.15},
	'h': {path: []point{{.2, .5}, {.5, 1.6}, {.42, 2}, {.22, 1.7}, {.15, 0}, {.15, 0}, {.25, .6}, {.55, 1}, {.8, .85}, {.78, .3}, {.9, .03}, {1.2, .25}}, advance: 1.1},
	'i': {path: []point{{.1, .3}, {.35, 1}, {.35, 1}, {.3, .3}, {.42, .03}, {.7, .25}}, marks: tittle, advance: .62},
	'j': {path: []point{{.1, .3}, {.4, 1}, {.4, 1}, {.3, -.3}, {.15, -.9}, {-.1, -.85}, {-.1, -.6}, {.3, -.1}, {.7, .3}}, marks: tittle, advance: .65},
	'l': {path: []point{{.15, .4}, {.5, 1.6}, {.42, 2}, {.25, 1.8}, {.2, .4}, {.3, .03}, {.65, .25}}, advance: .6},
	'm': {path: []point{{.1, .5}, {.25, 1}, {.3, .7}, {.25, 0}, {.25, 0}, {.4, .7}, {.6, 1}, {.75, .8}, {.72, 0}, {.72, 0}, {.88, .7}, {1.1, 1}, {1.25, .8}, {1.22, .3}, {1.35, .03}, {1.65, .25}}, advance: 1.6},
	'n': {path: []point{{.1, .5}, {.25, 1}, {.3, .7}, {.25, 0}, {.25, 0}, {.4, .7}, {.62, 1}, {.78, .8}, {.76, .3}, {.88, .03}, {1.2, .25}}, advance: 1.15},
	'o': {path: []point{{.6, .95}, {.35, 1}, {.1, .55}, {.25, .05}, {.6, .1}, {.8, .55}, {.6, .95}, {.7, .85}, {1, .8}}, advance: .95},
	'p': {path: []point{{.1, .4}, {.3, 1}, {.3, 1}, {.2, -.9}, {.2, -.9}, {.28, .3}, {.45, .9}, {.7, 1}, {.85, .6}, {.7, .05}, {.4, .05}, {.75, 0}, {1.1, .25}}, advance: 1.05},
	'q': {path: with(bowl, point{.97, 1}, point{.97, 1}, point{.9, -.9}, point{.9, -.9}, point{1.25, .3}), advance: 1.2},
	'r': {path: []point{{.1, .4}, {.25, 1}, {.32, 1.08}, {.4, .85}, {.62, .9}, {.58, .4}, {.65, .05}, {.9, .25}}, advance: .85},
	's': {path: []point{{.15, .4}, {.45, 1.05}, {.45, 1.05}, {.6, .5}, {.5, .05}, {.2, .08}, {.5, .02}, {.85, .25}}, advance: .8},
	't': {path: []point{{.15, .5}, {.4, 1.5}, {.4, 1.5}, {.32, .4}, {.42, .03}, {.75, .25}}, marks: [][]point{{{.1, 1.1}, {.7, 1.15}}}, advance: .7},
	'u': {path: []point{{.1, .4}, {.25, 1}, {.25, 1}, {.2, .4}, {.35, .03}, {.6, .2}, {.8, 1}, {.8, 1}, {.75, .35}, {.88, .03}, {1.2, .25}}, advance: 1.15},
	'v': {path: []point{{.1, .6}, {.25, 1}, {.35, .7}, {.42, .05}, {.42, .05}, {.7, .6}, {.75, 1}, {1, .85}}, advance: .95},
	'x': {path: []point{{.1, .8}, {.3, 1}, {.5, .5}, {.7, .03}, {.95, .25}}, marks: [][]point{{{.75, .98}, {.15, .02}}}, advance: .9},
	'y': {path: []point{{.1, .4}, {.25, 1}, {.25, 1}, {.2, .4}, {.35, .03}, {.6, .2}, {.8, 1}, {.8, 1}, {.7, 0}, {.5, -.85}, {.25, -.9}, {.2, -.6}, {.6, -.1}, {1.1, .3}}, advance: 1.05},
}

// with returns a path that begins with a shape that several letters share.
func with(begin []point, more ...point) []point { return append(append([]point{}, begin...), more...) }

// The hand is slanted and irregular, because recognizers and the detection of handwriting expect both.
const (
	slant     = 0.35 // to the right, per unit of height
	wordSpace = 0.9  // between words, in x-heights
	jitter    = 0.05 // maximum deviation of the pen, in x-heights
)

// Write draws text in a joined hand, starting at x, with an x-height of small pixels, and returns the x where it ends. base
// returns the y of the baseline at each x. Characters that the hand does not have become gaps. The same seed gives the same
// drawing.
func Write(g *image.Gray, x, small int, base func(x float64) float64, text string, seed uint64) int {
	random := rand.New(rand.NewPCG(seed, 2)) // #nosec G404 -- a drawing, not a secret
	size, at := float64(small), float64(x)/float64(small)
	stray := func() float64 { return jitter * (2*random.Float64() - 1) }
	var path []point
	lift := func() {
		trace(g, path, size, base)
		path = nil
	}
	for _, r := range text {
		letter, ok := cursive[r]
		if !ok {
			lift()
			at += wordSpace
			continue
		}
		for i, p := range letter.path {
			if i > 0 && p == letter.path[i-1] {
				path = append(path, path[len(path)-1]) // keep the corner
				continue
			}
			path = append(path, point{at + p.x + stray(), p.y + stray()})
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

// trace draws a smooth curve (a Catmull-Rom spline) through the points. Downstrokes are broader than upstrokes, as with a
// nib. Points are in x-heights, size is the x-height in pixels.
func trace(g *image.Gray, path []point, size float64, base func(x float64) float64) {
	for i := 0; i+1 < len(path); i++ {
		before, from, to, after := path[max(i-1, 0)], path[i], path[i+1], path[min(i+2, len(path)-1)]
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

// between returns the value of the spline at t, which runs from 0 at b to 1 at c.
func between(a, b, c, d, t float64) float64 {
	return b + t*(c-a)/2 + t*t*(a-2.5*b+2*c-d/2) + t*t*t*(-a+3*b-3*c+d)/2
}

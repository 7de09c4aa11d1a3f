package neural

import (
	"fmt"
	"math"
	"strconv"
)

// finderFormat is the version of the format of models that find lines, the first thing in their metadata.
const finderFormat = "uncial-finder-1"

// The network of a FinderModel has the shape of a U: it looks at the page at a half, a quarter and so on down to a 32nd of its
// size, with two convolutions at each size, and then returns size by size, adding what it saw there on the way down.
const (
	finderDepth = 4                       // times that the network halves its input after the first convolution
	finderConvs = 2 * (2*finderDepth + 1) // convolutions, two at each size on both ways
	finderMaps  = 4                       // channels of the last one
	finderCell  = 2 << finderDepth        // pixels of the input that the sides of the network's planes are multiples of
	maxFinder   = 256                     // channels of a layer
	// heightUnit is the height in pixels that the network states as 1.
	heightUnit = 16
)

// FinderModel is the weights of a network that finds baselines. It is immutable.
type FinderModel struct {
	version, digest string
	convs           []convolution
}

// LoadFinder takes a model that finds lines from the content of its file, which has the same form as that of a line model. data is
// not kept.
func LoadFinder(data []byte) (*FinderModel, error) {
	f, err := openFile(data, finderFormat)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrModel, err)
	}
	m := &FinderModel{version: f.meta["version"], digest: f.meta["sha256"]}
	m.build(f)
	if f.err != nil {
		return nil, fmt.Errorf("%w: %w", ErrModel, f.err)
	}
	return m, nil
}

// build takes the convolutions from the file and checks that each layer's input fits the output of the one before. The second convolutions of a
// size have the same number of channels on both ways, because their results are added up.
func (m *FinderModel) build(f *file) {
	channels := 1
	for i := range finderConvs {
		name, side, c := "c"+strconv.Itoa(i), 3, convolution{in: channels}
		switch back := finderConvs - 1 - i; {
		case i == 0:
			side = 5
		case back == 0:
			c.out = finderMaps
		case back%2 == 0 && back <= 2*finderDepth: // the result is added to that of a convolution on the way down
			c.out = m.convs[back-1].out
		}
		c.side = side
		c.weight = f.tensor(name+".weight", maxFinder, &c.out, &c.in, &side, &side)
		c.bias = f.tensor(name+".bias", maxFinder, &c.out)
		m.convs = append(m.convs, c)
		channels = c.out
	}
}

// Maps describe a page at each point. They are half as wide and half as high as the ink that they were made from, rounded up
// to whole cells of the network; cells beyond the page have no baseline.
type Maps struct {
	W, H     int
	Baseline []float32 // probability that a baseline passes within 1.5 pixels of the map
	End      []float32 // probability that a line begins or ends within 3 pixels of the map
	// Up and Down are how far the ink of the line reaches above and below its baseline, in pixels of the page's ink. They mean
	// something only where there is a baseline.
	Up, Down []float32
}

// Finder runs a FinderModel. It serves one goroutine at a time, and keeps no memory between pages.
type Finder struct {
	kernels
	model   *FinderModel
	weights []packed
}

// NewFinder returns a finder with the fastest kernels of this processor.
func NewFinder(m *FinderModel) *Finder { return newFinder(m, available()[0]) }

// newFinder packs the weights in the order in which the kernels k read them.
func newFinder(m *FinderModel, k kernels) *Finder {
	f := &Finder{kernels: k, model: m}
	for _, c := range m.convs {
		area := c.side * c.side
		// The columns are in the order of tapsOf: by row, channel and column of the taps.
		f.weights = append(f.weights, k.pack(c.out, c.in*area, func(r, i int) float32 {
			y, channel, x := i/(c.in*c.side), i/c.side%c.in, i%c.side
			return c.weight[(r*c.in+channel)*area+y*c.side+x]
		}))
	}
	return f
}

// MaxFinderPixels is the size of the largest page that Maps takes: 3 megapixels, for which it needs 180 MB.
const MaxFinderPixels = 3_000_000

// Maps looks for baselines. ink holds h rows of w values, 0 for paper to 1 for ink. It returns empty maps if there are none or more
// than MaxFinderPixels.
func (f *Finder) Maps(ink []float32, w, h int) Maps {
	if w < 1 || h < 1 || w > MaxFinderPixels || h > MaxFinderPixels/w || len(ink) < w*h {
		return Maps{}
	}
	out := f.run(ink, w, h)
	m := Maps{W: out.w, H: out.h}
	for c, to := range []*[]float32{&m.Baseline, &m.End, &m.Up, &m.Down} {
		*to = out.channel(c)
		for i, v := range *to {
			if c < 2 {
				(*to)[i] = logistic(v)
			} else {
				(*to)[i] = heightUnit * v
			}
		}
	}
	return m
}

// run is the network: down to the smallest size and back.
func (f *Finder) run(ink []float32, w, h int) *stack {
	var kept [finderDepth]*stack // the results at each size on the way down
	var m memory
	s := f.convolve(1, f.halve(&m, ink, w, h), &m)
	for i := range kept {
		kept[i] = s
		s = f.convolve(2*i+3, f.convolve(2*i+2, s.pool(&m), &m), &m)
	}
	next := 2*finderDepth + 2
	for i := finderDepth - 1; i >= 0; i-- {
		kept[i].addEnlarged(s)
		m.release(s)
		s = f.convolve(next+1, f.convolve(next, kept[i], &m), &m)
		next += 2
	}
	return s
}

// halve is the first convolution, of 5x5 taps, which takes every second row and column. The page with a border of paper is split
// into four planes, of its even and odd rows and columns, in which its taps are neighbours.
func (f *Finder) halve(m *memory, ink []float32, w, h int) *stack {
	c := f.model.convs[0]
	cells := func(n int) int { return (n + finderCell - 1) / finderCell * finderCell }
	out := m.stack(c.out, cells(h)/2, cells(w)/2)
	stride, border := out.w+c.side/2, c.side/2
	size := (out.h + border) * stride
	phases := make([]float32, 4*size+slack)
	paper := scaled(0)
	for i := range phases {
		phases[i] = paper
	}
	for y := range h {
		row := phases[(y+border)%2*2*size+(y+border)/2*stride:]
		for x, v := range ink[y*w : (y+1)*w] {
			row[(x+border)%2*size+(x+border)/2] = scaled(v)
		}
	}
	var taps []int32
	for i := range c.side {
		for j := range c.side {
			taps = append(taps, int32(i%2*2*size+j%2*size+i/2*stride+j/2))
		}
	}
	for y := range out.h {
		f.product(phases[y*stride:], taps, f.weights[0], c.bias, out.row(y), out.stride(), out.w, true)
	}
	return out
}

// convolve is a convolution of 3x3 taps, followed by a rectifier unless it is the last one. It releases its input.
func (f *Finder) convolve(i int, in *stack, m *memory) *stack {
	c := f.model.convs[i]
	out := m.stack(c.out, in.h, in.w)
	taps := in.taps(c.side)
	for y := range out.h {
		f.product(in.data[y*in.rowSize():], taps, f.weights[i], c.bias, out.row(y), out.stride(), out.w, i < finderConvs-1)
	}
	m.release(in)
	return out
}

func logistic(v float32) float32 { return float32(1 / (1 + math.Exp(-float64(v)))) }

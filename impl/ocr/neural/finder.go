package neural

import (
	"fmt"
	"math"
	"strconv"
)

// finderFormat is the value of "format" in the metadata of models that find lines.
const finderFormat = "uncial-finder-1"

// The network of a FinderModel is a U-Net. On the way down, it processes the page at a half, a quarter and so on to a 32nd of
// its size, with two convolutions at each size. On the way up, it returns from size to size, and adds the result that it had at
// each size on the way down.
const (
	finderDepth = 4                       // number of times that the network halves its input after the first convolution
	finderConvs = 2 * (2*finderDepth + 1) // number of convolutions: two at each size, both down and up
	finderMaps  = 4                       // channels of the last convolution
	finderCell  = 2 << finderDepth        // the sides of the input are rounded up to multiples of this, in pixels
	maxFinder   = 256                     // maximum channels of a layer
	// heightUnit is the unit of the heights that the network returns, in pixels.
	heightUnit = 16
)

// FinderModel holds the weights of a network that finds baselines. It is immutable.
type FinderModel struct {
	convs []convolution
}

// LoadFinder reads a model that finds lines from the content of its file, which has the same format as that of a line model. It
// does not keep data. The error wraps ErrModel.
func LoadFinder(data []byte) (*FinderModel, error) {
	f, err := openFile(data, finderFormat)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrModel, err)
	}
	m := &FinderModel{}
	m.build(f)
	f.complete()
	if f.err != nil {
		return nil, fmt.Errorf("%w: %w", ErrModel, f.err)
	}
	return m, nil
}

// build reads the convolutions from the file, and checks that each layer's input fits the output of the previous layer. The
// outputs that are added up must have the same number of channels.
func (m *FinderModel) build(f *file) {
	channels := 1
	for i := range finderConvs {
		name, side, c := "c"+strconv.Itoa(i), 3, convolution{in: channels}
		switch back := finderConvs - 1 - i; {
		case i == 0:
			side = 5
		case back == 0:
			c.out = finderMaps
		case back%2 == 0 && back <= 2*finderDepth: // its output is added to that of a convolution on the way down
			c.out = m.convs[back-1].out
		}
		c.side = side
		c.weight = f.tensor(name+".weight", maxFinder, &c.out, &c.in, &side, &side)
		c.bias = f.tensor(name+".bias", maxFinder, &c.out)
		m.convs = append(m.convs, c)
		channels = c.out
	}
}

// Maps describe a page at each point, with W*H values each, row by row. They are half as wide and half as high as the ink that
// was passed to Finder.Maps, after its sides were rounded up to multiples of finderCell. There are no baselines beyond the
// page.
type Maps struct {
	W, H     int
	Baseline []float32 // probability that a baseline passes within 1.5 pixels of the map
	End      []float32 // probability that a line begins or ends within 3 pixels of the map
	// Up and Down are the distances to which the ink of the line reaches above and below its baseline, in pixels of the ink.
	// They are undefined where there is no baseline.
	Up, Down []float32
}

// Finder runs a FinderModel. It must not be used by several goroutines at once. It does not keep buffers between pages.
type Finder struct {
	kernels
	model   *FinderModel
	weights []float32  // of the first convolution, in blocks
	filters []*filters // of the other convolutions
}

// NewFinder returns a finder with the fastest kernels of this processor.
func NewFinder(m *FinderModel) *Finder { return newFinder(m, available()[0]) }

// newFinder returns a finder that computes with k.
func newFinder(m *FinderModel, k kernels) *Finder {
	f := &Finder{kernels: k, model: m}
	for i, c := range m.convs {
		if i == 0 {
			f.weights = k.packFirst(c)
			continue
		}
		f.filters = append(f.filters, k.newFilters(c))
	}
	return f
}

// MaxFinderPixels is the maximum number of pixels that Maps accepts. It needs 180 MB for that many, and more if a side is below
// finderCell.
const MaxFinderPixels = 3_000_000

// Maps finds baselines. ink has h rows of w values, from 0 for paper to 1 for ink. It returns empty maps if w or h is less than
// 1, or if there are more than MaxFinderPixels or fewer than w*h values.
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

// run runs the network, down to the smallest size and back.
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

// halve runs the first convolution, which has 5x5 taps and a stride of 2. It splits the page, with a border of paper, into four
// planes of its even and odd rows and columns, so that the pixels for successive outputs are adjacent.
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
		f.product(phases[y*stride:], taps, f.weights, c.out, c.bias, out.row(y), out.stride(), out.w)
	}
	return out
}

// convolve runs convolution i, which has 3x3 taps and is followed by a ReLU unless it is the last one. It releases its
// input.
func (f *Finder) convolve(i int, in *stack, m *memory) *stack {
	out := m.stack(f.model.convs[i].out, in.h, in.w)
	f.kernels.convolve(f.filters[i-1], in.grid(), out.grid(), i < finderConvs-1, poolNothing, &m.tiles)
	m.release(in)
	return out
}

func logistic(v float32) float32 { return float32(1 / (1 + math.Exp(-float64(v)))) }

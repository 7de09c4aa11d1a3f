package neural

import (
	"math"
	"slices"
	"strconv"
)

// The network has five convolutions. The first has a stride of 2; the second is followed by 2x2 max pooling, and the fourth by
// max pooling over two rows. Then come max pooling over each column, bidirectional LSTM layers, and one linear layer. So
// each step of scores covers four columns of the image, and no letter is narrower than that.
const (
	lineHeight = 48 // pixels of a line's image
	margin     = 16 // columns of paper that are added on both sides of a line
	step       = 4  // columns of the image per step of scores
)

// convolutionSides are the sides of the filters of each convolution, in pixels of its input. Those of a model file must be the
// same.
var convolutionSides = [...]int{5, 3, 3, 3, 3}

// build reads the layers from the file, and checks that each layer's input fits the output of the previous layer. The file
// determines the widths of the layers, so that larger networks work without a new program.
func (m *Model) build(f *file) {
	channels := 1
	for i, side := range convolutionSides {
		name, side, c := "c"+strconv.Itoa(i+1), side, convolution{in: channels, side: side}
		c.weight = f.tensor(name+".weight", maxWidth, &c.out, &c.in, &side, &side)
		c.bias = f.tensor(name+".bias", maxWidth, &c.out)
		m.convs = append(m.convs, c)
		channels = c.out
	}
	for i := range maxLayers {
		name := "rnn." + strconv.Itoa(i) + "."
		if _, ok := f.tensors[name+"f.wi"]; !ok || f.err != nil {
			break
		}
		m.layers = append(m.layers, f.layer(name, channels))
		channels = 2 * m.layers[i].hidden
	}
	if len(m.layers) == 0 {
		f.fail("it has no LSTM layer")
	}
	classes := len(m.info.Alphabet) + 1
	weight := f.tensor("out.weight", maxClasses, &classes, &channels)
	m.out.bias = f.tensor("out.bias", maxClasses, &classes)
	if f.err == nil {
		m.out.matrix, m.out.classes = newMatrix(weight, classes, channels, (classes+15)/16*16), classes
	}
}

// layer reads both directions of an LSTM layer with in inputs.
func (f *file) layer(name string, in int) layer {
	var l layer
	var input []float32
	gates := 0 // of one direction; the file determines it
	for d, direction := range []string{"f.", "b."} {
		input = f.appendTensor(input, name+direction+"wi", 4*maxWidth, &gates, &in)
		if l.hidden = gates / 4; gates != 4*l.hidden || l.hidden%32 != 0 {
			f.fail("%s%swi has %d rows, which is not four times a multiple of 32", name, direction, gates)
		}
		recurrent := f.tensor(name+direction+"wh", 4*maxWidth, &gates, &l.hidden)
		l.bias = f.appendTensor(l.bias, name+direction+"bias", 4*maxWidth, &gates)
		if f.err != nil {
			return l
		}
		l.recurrent[d] = newRecurrent(recurrent, l.hidden)
	}
	const apart = 16 // rows that are a power of two apart would share a few lines of the cache
	l.input = newMatrix(input, 2*gates, in, 2*gates+apart)
	return l
}

// newMatrix returns the transposed matrix in integers, in stripes. The rows of its products are stride apart. weights has the
// rows of the matrix one after the other.
func newMatrix(weights []float32, rows, columns, stride int) matrix {
	if columns%2 == 1 {
		weights = padded(weights, columns)
	}
	even := 2 * pairsOf(columns)
	magnitudes := magnitudesOf(weights, even)
	p := quantize(weights, magnitudes, math.MaxInt16, maxValueOf(magnitudes, math.MaxInt16))
	m := matrix{pairs: p, in: columns, stride: stride}
	m.data = make([]int32, inStripes(stride)*p.columns) // a stripe is a block of that height
	fillBlocks(m.data, stripe, rows, p.columns, p.data)
	return m
}

// padded returns a matrix with one more column, of zeros.
func padded(weights []float32, columns int) []float32 {
	var out []float32
	for row := range slices.Chunk(weights, columns) {
		out = append(append(out, row...), 0)
	}
	return out
}

// planes are the channels of an image between two layers, one after the other, each with a border of zeros: h rows of w pixels
// with a stride of w+2; the first pixel is at offset stride+1 of its plane.
type planes struct {
	channels, h, w int
	data           []float32
}

// stride is the distance between rows of a plane, and size the number of values of a plane, both with the border.
func (p *planes) stride() int { return p.w + 2 }
func (p *planes) size() int   { return (p.h + 2) * p.stride() }

// extent is the number of values from the first pixel of a plane to its last one.
func (p *planes) extent() int { return (p.h-1)*p.stride() + p.w }

// reshape sets the shape of the planes, and the border to zero. The pixels are undefined.
func (p *planes) reshape(channels, h, w int) {
	p.channels, p.h, p.w = channels, h, w
	p.data = grow(p.data, channels*p.size()+2*slack)
	p.clearBorder()
}

// pixels returns the data from the first pixel of a channel on; row y is at y*stride.
func (p *planes) pixels(channel int) []float32 { return p.data[channel*p.size()+p.stride()+1:] }

// clearBorder sets the border to zero.
func (p *planes) clearBorder() {
	for c := range p.channels {
		plane := p.data[c*p.size():][:p.size()]
		clear(plane[:p.stride()+1])
		for y := 1; y <= p.h; y++ {
			clear(plane[(y+1)*p.stride()-1:][:2])
		}
		clear(plane[(p.h+1)*p.stride()+1:])
	}
}

func (p *planes) grid() grid { return grid{p.channels, p.h, p.w, p.size(), p.stride(), p.data} }

// network runs a model's layers, one image at a time. It owns the buffers between the layers, which grow to the size that the
// widest line needs: about 5 KB for each column of the image.
type network struct {
	*Model
	kernels
	weights   []float32  // of the first convolution, in blocks
	filters   []*filters // of the other convolutions
	taps      []int32    // of the first convolution, for the current image
	a, b      planes
	tiles     tileBuffers
	phases    []float32
	sequence  []float32 // output of the previous layer: steps by channels
	next      []float32
	blocks    []int32 // the sequence in pairs and in blocks
	gates     []float32
	state     []float32
	scoreRows []float32
}

// newNetwork returns a network that computes with k. It packs the weights for k, and does not change the model, so that
// networks can share it.
func newNetwork(m *Model, k kernels) *network {
	n := &network{Model: m, kernels: k}
	for i, c := range m.convs {
		if i == 0 {
			n.weights = k.packFirst(c)
			continue
		}
		n.filters = append(n.filters, k.newFilters(c))
	}
	return n
}

// scores returns the log probabilities of the classes: one row for each step, in rows that are out.stride apart. ink has
// lineHeight rows of width values, from 0 for paper to 1 for ink. The result is valid until the next call.
func (n *network) scores(ink []float32, width int) (rows []float32, steps int) {
	w := (width + 2*margin + step - 1) / step * step
	n.convolveFirst(ink, width, w)
	n.convolve(1, &n.a, &n.b, poolBoth)
	n.convolve(2, &n.b, &n.a, poolNothing)
	n.convolve(3, &n.a, &n.b, poolRows)
	n.convolve(4, &n.b, &n.a, poolRows)
	steps = n.a.w
	n.maxOfColumns(&n.a)
	for i := range n.layers {
		n.runLayer(&n.layers[i], steps)
	}
	n.scoreRows = n.multiply(&n.out.matrix, steps, n.scoreRows)
	for t := range steps {
		row := n.scoreRows[t*n.out.stride : t*n.out.stride+n.out.classes]
		for i, v := range row {
			// The conversion keeps compilers from fusing the operations, so that all processors compute the same.
			row[i] = float32(v*n.out.units[i]) + n.out.bias[i]
		}
	}
	n.softmax(n.scoreRows, steps, n.out.classes, n.out.stride)
	return n.scoreRows, steps
}

// scaled returns the input of the network for a pixel, with a mean near 0 and a standard deviation near 1, as in training.
func scaled(ink float32) float32 {
	const meanInk, inkScale = 0.12, 3.6 // of the lines in training
	return (ink - meanInk) * inkScale
}

// convolveFirst runs the first convolution, which has 5x5 taps and a stride of 2. It splits the padded image into four planes
// of its even and odd rows and columns, so that the pixels for successive outputs are adjacent.
func (n *network) convolveFirst(ink []float32, width, w int) {
	c := n.convs[0]
	n.a.reshape(c.out, lineHeight/2, w/2)
	stride := n.a.stride() // (w+4)/2: the image has a border of 2 pixels
	size := (lineHeight + 4) / 2 * stride
	n.phases = grow(n.phases, 4*size+slack)
	clear(n.phases)
	paper := scaled(0)
	for y := range lineHeight {
		row := n.phases[((y+2)&1)*2*size+(y+2)/2*stride:]
		for x := range w {
			v := paper
			if i := x - margin; i >= 0 && i < width {
				v = scaled(ink[y*width+i])
			}
			row[((x+2)&1)*size+(x+2)/2] = v
		}
	}
	n.taps = n.taps[:0]
	for i := range c.side {
		for j := range c.side {
			n.taps = append(n.taps, int32((i&1*2+j&1)*size+i/2*stride+j/2))
		}
	}
	n.product(n.phases, n.taps, n.weights, c.out, c.bias, n.a.pixels(0), n.a.size(), n.a.extent())
	n.a.clearBorder()
}

// convolve runs convolution i, which has 3x3 taps and is followed by a ReLU and max pooling.
func (n *network) convolve(i int, in, out *planes, pool pooling) {
	h, w := pool.size(in.h, in.w)
	out.reshape(n.convs[i].out, h, w)
	n.kernels.convolve(n.filters[i-1], in.grid(), out.grid(), true, pool, &n.tiles)
}

// maxOfColumns sets the sequence to the maximum of each column of each channel, so that the vertical position of a letter in
// the strip does not matter.
func (n *network) maxOfColumns(in *planes) {
	n.sequence = grow(n.sequence, in.w*in.channels+slack)
	for c := range in.channels {
		px := in.pixels(c)
		for x := range in.w {
			largest := float32(0)
			for y := range in.h {
				largest = max(largest, px[y*in.stride()+x])
			}
			n.sequence[x*in.channels+c] = largest
		}
	}
}

// multiply multiplies each step of the sequence by a matrix, and returns the products in buffer, which it replaces if it is too
// small: one row for each step, in rows that are m.stride apart. The caller multiplies column i by m.units[i].
func (n *network) multiply(m *matrix, steps int, buffer []float32) []float32 {
	buffer = grow(buffer, steps*m.stride)
	var unit float32
	n.blocks, unit = n.toBlocks(n.sequence, steps, m.in, m.levels, n.blocks)
	n.productOfPairs(m.data, m.columns, n.blocks, steps, nil, unit, buffer, m.stride, m.stride)
	return buffer
}

// runLayer runs both directions of a layer over the sequence.
func (n *network) runLayer(l *layer, steps int) {
	h := l.hidden
	n.next, n.state = grow(n.next, steps*2*h+slack), grow(n.state, 6*h)
	n.gates = n.multiply(&l.input, steps, n.gates)
	for d, recurrent := range l.recurrent {
		from := d * 4 * h
		n.lstm(n.gates[from:], l.input.stride, l.input.units[from:], l.bias[from:], recurrent, steps, d == 1, n.next[d*h:], 2*h, n.state)
	}
	n.sequence, n.next = n.next, n.sequence
}

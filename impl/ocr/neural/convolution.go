package neural

import "math"

// A convolution of 3x3 taps is computed by Winograd's minimal filtering F(2x2, 3x3); see kernels.h. The 16 products of all
// tiles with all filters are 16 products of matrices.
const (
	filterSide    = 3
	tileSums      = 16
	maxTileValues = 4 // magnitude of the largest sum of a tile, see tileValues
	// tilesTogether is the number of tiles that are processed together. A row of tiles is never divided. With more tiles, the data
	// exceeds the second-level cache; with fewer, the weights are read more often.
	tilesTogether    = 288
	channelsTogether = 48 // channels of the result that are computed together: a whole number of blocks in every set
	// valueShare is the largest integer of the input as a share of that which maxValueOf proposes: the sums of tiles are up to
	// maxTileValues times as large. Values from 0.25 to 1 give equal accuracy over the sets. Lines shift by fractions of a pixel
	// with it, which changes a few words of short, barely legible pages in either direction.
	valueShare = 0.66
)

// filters are the weights of a convolution of 3x3 taps: for each of the 16 sums of a filter a matrix in blocks, with a row
// for each channel of the result and a column for each pair of channels of the input.
type filters struct {
	sums   [tileSums]pairs
	bias   []float32
	levels float32 // the largest integer of the input
}

// grid is the channels of an image, each with a border of zeros, in memory: the first value of the border is at data[0].
// Channels are plane floats apart, and rows are row floats apart.
type grid struct {
	channels, h, w, plane, row int
	data                       []float32
}

// pooling is the max pooling after a convolution.
type pooling int

const (
	poolNothing pooling = iota
	poolRows            // over two rows
	poolBoth            // over 2x2 values
)

// size returns the size of the result for one of h x w values.
func (p pooling) size(h, w int) (int, int) {
	switch p {
	case poolBoth:
		return h / 2, w / 2
	case poolRows:
		return h / 2, w
	}
	return h, w
}

// tileBuffers are the buffers of convolve. They grow to the needed size.
type tileBuffers struct {
	integers, sums []int32
	products       []float32
}

// newFilters converts the weights of a convolution.
func (k kernels) newFilters(c convolution) *filters {
	f := &filters{bias: c.bias}
	columns := 2 * pairsOf(c.in)
	sums := sumsOfFilters(c, columns)
	levels := float64(math.MaxInt16 / maxTileValues)
	var rows [tileSums][]magnitude
	for i := range sums {
		rows[i] = magnitudesOf(sums[i], columns)
		levels = min(levels, math.Floor(valueShare*maxValueOf(rows[i], math.MaxInt16)))
	}
	f.levels = float32(levels)
	for i := range sums {
		weights := quantize(sums[i], rows[i], math.MaxInt16, levels*float64(tileValues(i)))
		weights.data = inBlocks(k.rows, c.out, weights.columns, weights.data)
		f.sums[i] = weights
	}
	return f
}

// tileValues returns the magnitude that sum i of a tile can have, in units of the largest value of the input, given that no
// value is negative.
func tileValues(i int) int {
	if i == 5 { // (1, 1): the only sum without a difference
		return maxTileValues
	}
	return maxTileValues / 2
}

// convolve runs a convolution, followed by a ReLU if relu is set, and by max pooling. No value of in may be negative, because
// the sums of tiles would overflow. The sides of in that pooling halves must be even. The size of out must be pool.size of that
// of in.
func (k kernels) convolve(f *filters, in, out grid, relu bool, pool pooling, b *tileBuffers) {
	const apart = 16 // channels and sums that are a power of two apart would share a few lines of the cache
	unit := k.unit(in, f.levels)
	rows, tiles := (in.h+1)/2, ((in.w+1)/2+lanes-1)/lanes*lanes
	together := min(max(tilesTogether/tiles, 1), rows)
	pairs, columns := pairsOf(in.channels), inStripes(together*tiles)
	stride := columns + apart
	sum, product := pairs*columns+apart, channelsTogether*stride+apart
	b.sums, b.products = grow(b.sums, tileSums*sum), grow(b.products, tileSums*product)
	for first := 0; first < rows; first += together {
		n := min(together, rows-first)
		k.tiles(in, first, n, tiles, unit, b, sum)
		for c := 0; c < out.channels; c += channelsTogether {
			channels := min(channelsTogether, out.channels-c)
			for i, weights := range f.sums {
				k.productOfPairs(b.sums[i*sum:], pairs, weights.data[c*pairs:], channels, weights.units[c:], unit, b.products[i*product:], stride, n*tiles)
			}
			k.join(b.products, product, stride, channels, n, tiles, f.bias[c:], relu, pool, out, c, first)
		}
	}
}

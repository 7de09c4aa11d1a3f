package neural

/*
#include <stdint.h>

void widen(const unsigned char *in, long n, float *out);
int32_t largest_bits(const float *in, long n);
void magnitudes(const float *in, long rows, long columns, double *out);
void to_integers(const float *in, long rows, long columns, const double *factors, int16_t *out);
void filter_sums(const float *filters, long rows, long in, long columns, float *out);
*/
import "C"

import (
	"math"
	"unsafe"
)

// pairs is a matrix of 16-bit integers. Each element of data has those of two successive columns, except in the result of
// newRecurrent.
type pairs struct {
	rows, columns int // columns: pairs of columns
	data          []int32
	units         []float32 // of each row; a weight is its integer times the unit of its row
	levels        float32   // the largest integer that the matrix may be multiplied by
}

// magnitude describes a row of weights by the largest magnitude of its elements, and the sum of all of them.
type magnitude struct{ largest, sum float64 }

// minLargest is the least magnitude for which rows and values are converted to integers; smaller ones count as zeros, because a
// float cannot hold their unit exactly enough.
const minLargest = 1e-30

// newRecurrent returns the recurrent weights of one direction of a layer as 8-bit integers in the order of the kernels: each
// element of data has two rows. weights has a row for each of the 4*hidden gates.
func newRecurrent(weights []float32, hidden int) pairs {
	const panel = 128 // PANEL in kernels.h
	rows := magnitudesOf(weights, hidden)
	p := quantize(weights, rows, math.MaxInt8, maxValueOf(rows, math.MaxInt8))
	data := make([]int32, 0, hidden*hidden)
	for first := 0; first < p.rows; first += panel {
		for c := range p.columns {
			for r := first; r < first+panel/2; r++ {
				high, low := p.data[r*p.columns+c], p.data[(r+panel/2)*p.columns+c]
				data = append(data, (high&0x00ff00ff)<<8|(low&0x00ff00ff^0x00800080))
			}
		}
	}
	p.data = data
	return p
}

// maxValueOf returns the largest integer that values may have when quantize converts a matrix, so that the integers of the
// weights and of the values are about equally large. The parameters are those of quantize.
func maxValueOf(rows []magnitude, weightLimit float64) float64 {
	ratio := 1.0 // of the sum of a row to its largest element
	for _, row := range rows {
		if row.largest > minLargest {
			ratio = max(ratio, row.sum/row.largest)
		}
	}
	return math.Floor(min(max(math.Sqrt(math.MaxInt32/ratio), math.MaxInt32/(weightLimit*ratio)), math.MaxInt16))
}

// magnitudesOf returns the magnitudes of the rows of a matrix, which weights has one after the other.
func magnitudesOf(weights []float32, columns int) []magnitude {
	if len(weights)%columns != 0 {
		panic("neural: a matrix has an incomplete row")
	}
	rows := make([]magnitude, len(weights)/columns)
	C.magnitudes(floats(weights), C.long(len(rows)), C.long(columns), (*C.double)(unsafe.Pointer(unsafe.SliceData(rows))))
	return rows
}

// quantize converts a matrix to integers from -weightLimit to weightLimit, which are to be multiplied by integers from
// -valueLimit to valueLimit. weights has the rows one after the other, and so has data of the result, in pairs; the number of
// columns is even. The integers are as large as possible without overflow: no sum of products needs more than 31 bits.
func quantize(weights []float32, rows []magnitude, weightLimit, valueLimit float64) pairs {
	columns := len(weights) / len(rows)
	if len(weights) != len(rows)*columns || columns%2 != 0 {
		panic("neural: a matrix has an incomplete row or an odd number of columns")
	}
	p := pairs{
		rows: len(rows), columns: columns / 2, units: make([]float32, len(rows)), levels: float32(valueLimit),
		data: make([]int32, len(weights)/2),
	}
	factors := make([]float64, len(rows))
	for r, m := range rows {
		if m.largest <= minLargest {
			continue
		}
		// Rounding adds a half to each integer, and the float of the unit may be slightly too small.
		p.units[r] = float32(1 / min(weightLimit/m.largest, (math.MaxInt32/valueLimit-float64(columns))/m.sum))
		factors[r] = 1 / float64(p.units[r])
	}
	C.to_integers(floats(weights), C.long(len(rows)), C.long(columns), (*C.double)(unsafe.SliceData(factors)),
		(*C.int16_t)(unsafe.Pointer(ints(p.data))))
	return p
}

// sumsOfFilters returns the 16 sums of the taps of each filter, as 16 matrices with a row for each channel of the result and a
// column for each channel of the input. If columns is larger than the number of channels, the others are 0.
func sumsOfFilters(c convolution, columns int) [tileSums][]float32 {
	if len(c.weight) != c.out*c.in*filterSide*filterSide || columns < c.in {
		panic("neural: filters reach beyond their operands")
	}
	size := c.out * columns
	all := make([]float32, tileSums*size)
	C.filter_sums(floats(c.weight), C.long(c.out), C.long(c.in), C.long(columns), floats(all))
	var sums [tileSums][]float32
	for i := range sums {
		sums[i] = all[i*size : (i+1)*size]
	}
	return sums
}

// widen converts 16-bit floating-point numbers (IEEE 754 binary16), little-endian. An infinite one or one that is not a number
// becomes 65536 or more, which is above maxWeight.
func widen(raw []byte, to []float32) {
	if len(raw) < 2*len(to) {
		panic("neural: fewer numbers than expected")
	}
	C.widen((*C.uchar)(unsafe.SliceData(raw)), C.long(len(to)), floats(to))
}

// largestOf returns the bits of the largest magnitude of the values. They have the order of the numbers; NaN is the largest.
func largestOf(values []float32) uint32 {
	return uint32(C.largest_bits(floats(values), C.long(len(values))))
}

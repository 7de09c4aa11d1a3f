package neural

/*
#cgo CFLAGS: -O3 -std=c11
#cgo LDFLAGS: -lm
#include <stdint.h>

#define KERNELS(set) \
	void product_##set(const float *in, const int32_t *off, long k, const float *w, const float *bias, long m, float *out, long stride, long n); \
	void product_pairs_##set(const int32_t *in, const int32_t *off, long k, const int32_t *w, const float *units, float unit, const float *bias, long m, float *out, long stride, long n, int relu); \
	float pairs_##set(const float *in, long rows, long planes, long n, float levels, int32_t *out); \
	float blocks_##set(const float *in, long t, long n, float levels, int32_t *out); \
	void lstm_##set(const float *pre, long pre_stride, const float *pre_units, const float *bias, const int32_t *wh, const float *units, float levels, long t, long h, int reverse, float *out, long stride, float *state); \
	void softmax_##set(float *x, long t, long n, long stride);

KERNELS(plain)
KERNELS(avx2)
KERNELS(avx512)
KERNELS(vnni)

// Go cannot call through a pointer to a C function. Sets of another architecture are never used.
#ifdef __x86_64__
#define DISPATCH(set, f, ...) switch (set) { case 3: f##_vnni(__VA_ARGS__); break; case 2: f##_avx512(__VA_ARGS__); break; case 1: f##_avx2(__VA_ARGS__); break; default: f##_plain(__VA_ARGS__); }
#else
#define DISPATCH(set, f, ...) f##_plain(__VA_ARGS__)
#endif

static void product(int set, const float *in, const int32_t *off, long k, const float *w, const float *bias, long m, float *out, long stride, long n) {
	DISPATCH(set, product, in, off, k, w, bias, m, out, stride, n);
}
static void product_pairs(int set, const int32_t *in, const int32_t *off, long k, const int32_t *w, const float *units, float unit, const float *bias, long m, float *out, long stride, long n, int relu) {
	DISPATCH(set, product_pairs, in, off, k, w, units, unit, bias, m, out, stride, n, relu);
}
static float pairs(int set, const float *in, long rows, long planes, long n, float levels, int32_t *out) {
	float unit;
	DISPATCH(set, unit = pairs, in, rows, planes, n, levels, out);
	return unit;
}
static float blocks(int set, const float *in, long t, long n, float levels, int32_t *out) {
	float unit;
	DISPATCH(set, unit = blocks, in, t, n, levels, out);
	return unit;
}
static void lstm(int set, const float *pre, long pre_stride, const float *pre_units, const float *bias, const int32_t *wh, const float *units, float levels, long t, long h, int reverse, float *out, long stride, float *state) {
	DISPATCH(set, lstm, pre, pre_stride, pre_units, bias, wh, units, levels, t, h, reverse, out, stride, state);
}
static void softmax(int set, float *x, long t, long n, long stride) {
	DISPATCH(set, softmax, x, t, n, stride);
}
*/
import "C"

import (
	"math"
	"slices"
	"unsafe"

	"golang.org/x/sys/cpu"
)

// kernels is the arithmetic for one instruction set; all sets compute identical bits. The methods check the lengths of their
// operands, because C does not, so that a bug in this package causes a panic, not an access beyond them.
type kernels struct {
	name string
	id   C.int // as in DISPATCH
	rows int   // rows in a block of packed weights: ROWS in the set's C file
}

// slack is the number of floats beyond the end of a buffer that the kernels may read. They compute whole blocks of columns, and
// drop the results beyond the last column.
const slack = 64

// available returns the kernels for the instruction sets of this processor, the fastest first. It checks the processor at run
// time, so that one program runs on all processors of an architecture.
func available() []kernels {
	sets := []kernels{{"plain", 0, 4}}
	if cpu.X86.HasAVX2 && cpu.X86.HasFMA {
		sets = append([]kernels{{"avx2", 1, 6}}, sets...)
	}
	if cpu.X86.HasAVX512F && cpu.X86.HasAVX512DQ && cpu.X86.HasAVX512VL && cpu.X86.HasAVX512BW {
		sets = append([]kernels{{"avx512", 2, 8}}, sets...)
		if cpu.X86.HasAVX512VNNI {
			sets = append([]kernels{{"vnni", 3, 8}}, sets...)
		}
	}
	return sets
}

// floats returns a pointer to the first element of a slice, or nil for an empty one. C must not keep it.
func floats(s []float32) *C.float { return (*C.float)(unsafe.Pointer(unsafe.SliceData(s))) }
func ints(s []int32) *C.int32_t   { return (*C.int32_t)(unsafe.Pointer(unsafe.SliceData(s))) }

// product computes a convolution followed by a ReLU: out[m][p] = bias[m] + sum over i of w[m][i] * in[off[i]+p] for p < n
// and m < rows; see kernels.h. w is in blocks. The rows of out are stride apart.
func (k kernels) product(in []float32, off []int32, w []float32, rows int, bias, out []float32, stride, n int) {
	k.check(len(in), off, len(w), rows, len(out), stride, n)
	if len(bias) < rows {
		panic("neural: a product with too few biases")
	}
	C.product(k.id, floats(in), ints(off), C.long(len(off)), floats(w), floats(bias), C.long(rows), floats(out), C.long(stride), C.long(n))
}

// productOfPairs is product for operands in pairs of integers: each element of in and of w is a pair. The value of an integer
// of in is the integer times unit, and that of an integer in row m of w is the integer times units[m]. Without relu, no ReLU
// follows. Without units, those are 1; without bias, nothing is added.
func (k kernels) productOfPairs(in, off, w []int32, rows int, units []float32, unit float32, bias, out []float32, stride, n int, relu bool) {
	k.check(len(in), off, len(w), rows, len(out), stride, n)
	if (units != nil && len(units) < rows) || (bias != nil && len(bias) < rows) {
		panic("neural: a product with too few units or biases")
	}
	C.product_pairs(k.id, ints(in), ints(off), C.long(len(off)), ints(w), floats(units), C.float(unit), floats(bias), C.long(rows),
		floats(out), C.long(stride), C.long(n), flagOf(relu))
}

// check panics if a product of operands of these lengths reaches beyond them.
func (k kernels) check(in int, off []int32, w, rows, out, stride, n int) {
	blocks := (rows + k.rows - 1) / k.rows
	if w < blocks*k.rows*len(off) || in < int(slices.Max(off))+n+slack || out < (rows-1)*stride+n {
		panic("neural: a product reaches beyond its operands")
	}
}

// toPairs converts floats to integers from -levels to levels, and returns them with their unit: a float is about its integer
// times the unit. data has rows of planes of n floats each. Two successive planes of a row become one plane of pairs, in the
// memory of data.
func (k kernels) toPairs(data []float32, rows, planes, n int, levels float32) (out []int32, unit float32) {
	if len(data) < rows*planes*n+slack {
		panic("neural: planes reach beyond their buffer")
	}
	out = unsafe.Slice((*int32)(unsafe.Pointer(unsafe.SliceData(data))), len(data))
	return out, float32(C.pairs(k.id, floats(data), C.long(rows), C.long(planes), C.long(n), C.float(levels), ints(out)))
}

// toBlocks converts a matrix, whose rows follow each other in data, to integers from -levels to levels, and returns their unit:
// a float is about its integer times the unit. It returns the matrix in pairs of successive columns and in blocks, in buffer,
// which it replaces if that is too small.
func (k kernels) toBlocks(data []float32, rows, columns int, levels float32, buffer []int32) (out []int32, unit float32) {
	if len(data) < rows*columns+slack {
		panic("neural: a matrix reaches beyond its buffer")
	}
	out = grow(buffer, (rows+k.rows-1)/k.rows*k.rows*pairsOf(columns))
	return out, float32(C.blocks(k.id, floats(data), C.long(rows), C.long(columns), C.float(levels), ints(out)))
}

// pairsOf returns the number of pairs that hold that many channels. For an odd number, the last pair is padded with 0.
func pairsOf(channels int) int { return (channels + 1) / 2 }

// packFirst returns the weights of a convolution of one channel in blocks.
func (k kernels) packFirst(c convolution) []float32 {
	columns := c.side * c.side
	return inBlocks(k.rows, c.out, columns, func(r, i int) float32 { return c.weight[r*columns+i] })
}

// packPairs returns the weights of a convolution in blocks. Column i has the taps of two successive channels at one pixel;
// tap(i) returns the number of this pair of channels, and of the pixel.
func (k kernels) packPairs(c convolution, tap func(i int) (pair, pixel int)) pairs {
	area := c.side * c.side
	weights, pair := quantize(c.out, 2*pairsOf(c.in)*area, math.MaxInt16, func(r, i int) float32 {
		both, pixel := tap(i / 2)
		channel := 2*both + i%2
		if channel >= c.in {
			return 0
		}
		return c.weight[(r*c.in+channel)*area+pixel]
	})
	weights.data = inBlocks(k.rows, c.out, weights.columns, pair)
	return weights
}

func flagOf(b bool) C.int {
	if b {
		return 1
	}
	return 0
}

// lstm runs one direction of a layer; see kernels.h. The products of the input are in rows of pre, which are preStride apart;
// units are those of their gates. hidden must be a multiple of 32. It writes the layer's values for each step to out, in rows
// that are stride apart.
func (k kernels) lstm(pre []float32, preStride int, units, bias []float32, recurrent pairs, steps int, reverse bool, out []float32, stride int, state []float32) {
	hidden := 2 * recurrent.columns
	if hidden%32 != 0 || recurrent.rows != 4*hidden || len(recurrent.data) < hidden*hidden || len(recurrent.units) < 4*hidden ||
		len(pre) < (steps-1)*preStride+4*hidden || min(len(units), len(bias)) < 4*hidden || len(out) < (steps-1)*stride+hidden || len(state) < 6*hidden {
		panic("neural: an LSTM reaches beyond its operands")
	}
	C.lstm(k.id, floats(pre), C.long(preStride), floats(units), floats(bias), ints(recurrent.data), floats(recurrent.units), C.float(recurrent.levels),
		C.long(steps), C.long(hidden), flagOf(reverse), floats(out), C.long(stride), floats(state))
}

// softmax replaces rows of n scores, which are stride apart, by log probabilities.
func (k kernels) softmax(x []float32, rows, n, stride int) {
	if len(x) < rows*stride || stride%16 != 0 || n > stride {
		panic("neural: a softmax reaches beyond its operand")
	}
	C.softmax(k.id, floats(x), C.long(rows), C.long(n), C.long(stride))
}

// inBlocks returns a matrix in the order in which the kernels read it: blocks of some rows, and within each block column after
// column. The last block is padded with rows of zeros. at(r, c) is an element of the matrix.
func inBlocks[T float32 | int32](height, rows, columns int, at func(r, c int) T) []T {
	blocks := (rows + height - 1) / height
	out := make([]T, blocks*height*columns)
	for r := range rows {
		for c := range columns {
			out[(r/height*columns+c)*height+r%height] = at(r, c)
		}
	}
	return out
}

// pairs is a matrix of 16-bit integers. Each element of data has those of two successive columns. newRecurrent packs two rows
// of 8-bit integers into one element.
type pairs struct {
	rows, columns int // columns: pairs of columns
	data          []int32
	units         []float32 // of each row; a weight is its integer times the unit of its row
	levels        float32   // the largest integer that the matrix may be multiplied by
}

// minLargest is the least magnitude for which rows and values are converted to integers; smaller ones count as zeros, because a
// float cannot hold their unit exactly enough.
const minLargest = 1e-30

// newRecurrent returns the recurrent weights of one direction of a layer as 8-bit integers in the order of the kernels. weights
// has a row for each of the 4*hidden gates.
func newRecurrent(weights []float32, hidden int) pairs {
	const panel = 128 // PANEL in kernels.h
	p, pair := quantize(4*hidden, hidden, math.MaxInt8, func(r, c int) float32 { return weights[r*hidden+c] })
	p.data = make([]int32, 0, hidden*hidden)
	for first := 0; first < p.rows; first += panel {
		for c := range p.columns {
			for r := first; r < first+panel/2; r++ {
				high, low := pair(r, c), pair(r+panel/2, c)
				p.data = append(p.data, (high&0x00ff00ff)<<8|(low&0x00ff00ff^0x00800080))
			}
		}
	}
	return p
}

// quantize converts a matrix with an even number of columns to integers from -most to most; at(r, c) is an element of the
// matrix. It does not fill p.data: pair(r, c) returns an element of it, so that the caller can choose the order. The integers
// of the weights, and p.levels for the values, are as large as possible without overflow: no sum of products needs more than 31
// bits.
func quantize(rows, columns int, most float64, at func(r, c int) float32) (p pairs, pair func(r, c int) int32) {
	largest, sums, ratio := make([]float64, rows), make([]float64, rows), 1.0
	for r := range rows {
		for c := range columns {
			v := math.Abs(float64(at(r, c)))
			largest[r], sums[r] = max(largest[r], v), sums[r]+v
		}
		if largest[r] > minLargest {
			ratio = max(ratio, sums[r]/largest[r])
		}
	}
	levels := math.Floor(min(max(math.Sqrt(math.MaxInt32/ratio), math.MaxInt32/(most*ratio)), math.MaxInt16))
	p = pairs{rows: rows, columns: columns / 2, units: make([]float32, rows), levels: float32(levels)}
	for r := range rows {
		if largest[r] > minLargest { // rounding adds a half to each integer, and the float of the unit may be slightly too small
			p.units[r] = float32(1 / min(most/largest[r], (math.MaxInt32/levels-float64(columns))/sums[r]))
		}
	}
	whole := func(r, c int) int32 {
		if p.units[r] == 0 {
			return 0
		}
		return int32(math.Round(float64(at(r, c)) / float64(p.units[r])))
	}
	return p, func(r, c int) int32 { return whole(r, 2*c)&math.MaxUint16 | whole(r, 2*c+1)<<16 }
}

// grow returns a slice of n elements with undefined content, in the memory of s if that is large enough.
func grow[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n)
	}
	return s[:n]
}

package neural

/*
#cgo CFLAGS: -O3 -std=c11
#cgo LDFLAGS: -lm
#include <stdint.h>

#define KERNELS(set) \
	void product_##set(const float *in, const int32_t *off, long k, const float *w, const float *bias, long m, float *out, long stride, long n, int relu); \
	void product_pairs_##set(const int32_t *in, const int32_t *off, long k, const int32_t *w, const float *bias, long m, float *out, long stride, long n, const float *units, float unit); \
	float pairs_##set(const float *in, long planes, long n, float levels, int32_t *out); \
	void lstm_##set(const float *pre, const float *bias, const int32_t *wh, const float *units, float levels, long t, long h, int reverse, float *out, long stride, float *state); \
	void softmax_##set(float *x, long t, long n, long stride);

KERNELS(plain)
KERNELS(avx2)
KERNELS(avx512)

// Go cannot call through a pointer to a C function. Sets of another architecture are never used.
#ifdef __x86_64__
#define DISPATCH(set, f, ...) switch (set) { case 2: f##_avx512(__VA_ARGS__); break; case 1: f##_avx2(__VA_ARGS__); break; default: f##_plain(__VA_ARGS__); }
#else
#define DISPATCH(set, f, ...) f##_plain(__VA_ARGS__)
#endif

static void product(int set, const float *in, const int32_t *off, long k, const float *w, const float *bias, long m, float *out, long stride, long n, int relu) {
	DISPATCH(set, product, in, off, k, w, bias, m, out, stride, n, relu);
}
static void product_pairs(int set, const int32_t *in, const int32_t *off, long k, const int32_t *w, const float *bias, long m, float *out, long stride, long n, const float *units, float unit) {
	DISPATCH(set, product_pairs, in, off, k, w, bias, m, out, stride, n, units, unit);
}
static float pairs(int set, const float *in, long planes, long n, float levels, int32_t *out) {
	float unit;
	DISPATCH(set, unit = pairs, in, planes, n, levels, out);
	return unit;
}
static void lstm(int set, const float *pre, const float *bias, const int32_t *wh, const float *units, float levels, long t, long h, int reverse, float *out, long stride, float *state) {
	DISPATCH(set, lstm, pre, bias, wh, units, levels, t, h, reverse, out, stride, state);
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
	}
	return sets
}

// floats returns a pointer to the first element of a slice, or nil for an empty one. C must not keep it.
func floats(s []float32) *C.float { return (*C.float)(unsafe.Pointer(unsafe.SliceData(s))) }
func ints(s []int32) *C.int32_t   { return (*C.int32_t)(unsafe.Pointer(unsafe.SliceData(s))) }

// product computes a convolution or a matrix product: out[m][p] = bias[m] + sum over i of w[m][i] * in[off[i]+p] for p < n; see
// kernels.h. The rows of out are stride apart. bias may be nil.
func (k kernels) product(in []float32, off []int32, w packed, bias, out []float32, stride, n int, relu bool) {
	need := int(slices.Max(off)) + n + slack
	if len(off) != w.columns || len(w.data) < k.packedSize(w.rows, w.columns) || len(in) < need || len(out) < (w.rows-1)*stride+n ||
		(bias != nil && len(bias) < w.rows) {
		panic("neural: a product reaches beyond its operands")
	}
	C.product(k.id, floats(in), ints(off), C.long(len(off)), floats(w.data), floats(bias),
		C.long(w.rows), floats(out), C.long(stride), C.long(n), flagOf(relu))
}

// productOfPairs is product followed by a rectifier, for operands in pairs of integers: each element of in and of w is a pair.
// The value of an integer of in is the integer times unit. bias must not be nil.
func (k kernels) productOfPairs(in, off []int32, w pairs, bias []float32, unit float32, out []float32, stride, n int) {
	need := int(slices.Max(off)) + n + slack
	if len(off) != w.columns || len(w.data) < k.packedSize(w.rows, w.columns) || len(in) < need || len(out) < (w.rows-1)*stride+n ||
		len(bias) < w.rows || len(w.units) < w.rows {
		panic("neural: a product of pairs reaches beyond its operands")
	}
	C.product_pairs(k.id, ints(in), ints(off), C.long(len(off)), ints(w.data), floats(bias), C.long(w.rows), floats(out),
		C.long(stride), C.long(n), floats(w.units), C.float(unit))
}

// toPairs converts planes of n floats, which must not be negative, to integers from 0 to levels, and returns them with their
// unit: a float is about its integer times the unit. Two successive planes become one plane of pairs, in the memory of data.
func (k kernels) toPairs(data []float32, planes, n int, levels float32) (out []int32, unit float32) {
	if len(data) < planes*n+slack {
		panic("neural: planes reach beyond their buffer")
	}
	out = unsafe.Slice((*int32)(unsafe.Pointer(unsafe.SliceData(data))), len(data))
	return out, float32(C.pairs(k.id, floats(data), C.long(planes), C.long(n), C.float(levels), ints(out)))
}

// pairsOf returns the number of pairs that hold that many channels. For an odd number, the last pair is padded with 0.
func pairsOf(channels int) int { return (channels + 1) / 2 }

// packPairs returns the weights of a convolution in the order of the kernels, by pair of channels and then by pixel.
func (k kernels) packPairs(c convolution) pairs {
	area := c.side * c.side
	weights, pair := quantize(c.out, 2*pairsOf(c.in)*area, func(r, i int) float32 {
		channel, pixel := i/2/area*2+i%2, i/2%area
		if channel >= c.in {
			return 0
		}
		return c.weight[(r*c.in+channel)*area+pixel]
	})
	weights.data = inBlocks(nil, k.rows, c.out, weights.columns, pair)
	return weights
}

func flagOf(b bool) C.int {
	if b {
		return 1
	}
	return 0
}

// lstm runs one direction of a layer over the rows of pre; see kernels.h. hidden must be a multiple of 32. It writes the
// layer's values for each step to out, in rows that are stride apart.
func (k kernels) lstm(pre, bias []float32, recurrent pairs, steps, hidden int, reverse bool, out []float32, stride int, state []float32) {
	if hidden%32 != 0 || len(pre) < steps*4*hidden || len(bias) < 4*hidden || len(recurrent.data) < 2*hidden*hidden || len(recurrent.units) < 4*hidden ||
		len(out) < (steps-1)*stride+hidden || len(state) < 6*hidden {
		panic("neural: an LSTM reaches beyond its operands")
	}
	C.lstm(k.id, floats(pre), floats(bias), ints(recurrent.data), floats(recurrent.units), C.float(recurrent.levels), C.long(steps),
		C.long(hidden), flagOf(reverse), floats(out), C.long(stride), floats(state))
}

// softmax replaces rows of n scores, which are stride apart, by log probabilities.
func (k kernels) softmax(x []float32, rows, n, stride int) {
	if len(x) < rows*stride || stride%16 != 0 || n > stride {
		panic("neural: a softmax reaches beyond its operand")
	}
	C.softmax(k.id, floats(x), C.long(rows), C.long(n), C.long(stride))
}

// packed is a matrix in the order in which the kernels read it: blocks of rows, and within each block column after column. The
// last block is padded with rows of zeros.
type packed struct {
	rows, columns int
	data          []float32
}

// pack returns a matrix in the order of the kernels; at(r, c) is its element.
func (k kernels) pack(rows, columns int, at func(r, c int) float32) packed {
	return packed{rows, columns, inBlocks(nil, k.rows, rows, columns, at)}
}

// packedSize returns the number of elements of a matrix in blocks of k.rows rows.
func (k kernels) packedSize(rows, columns int) int {
	return (rows + k.rows - 1) / k.rows * k.rows * columns
}

// inBlocks returns a matrix in blocks of some rows, in buffer, which it replaces if that is too small.
func inBlocks[T float32 | int32](buffer []T, height, rows, columns int, at func(r, c int) T) []T {
	blocks := (rows + height - 1) / height
	buffer = grow(buffer, blocks*height*columns)
	for b := range blocks {
		for c := range columns {
			for r := range height {
				var v T
				if b*height+r < rows {
					v = at(b*height+r, c)
				}
				buffer[(b*columns+c)*height+r] = v
			}
		}
	}
	return buffer
}

// pairs is a matrix of 16-bit integers. Each element of data has those of two successive columns.
type pairs struct {
	rows, columns int // columns of data
	data          []int32
	units         []float32 // of each row; a weight is its integer times the unit of its row
	levels        float32   // the largest integer that the matrix may be multiplied by
}

// quantize converts a matrix with an even number of columns to integers; at(r, c) is an element of the matrix. It does not fill
// p.data: pair(r, c) returns an element of it, so that the caller can choose the order. The integers of the weights, and
// p.levels for the values, are as large as possible without overflow: no sum of products needs more than 31 bits.
func quantize(rows, columns int, at func(r, c int) float32) (p pairs, pair func(r, c int) int32) {
	const least = 1e-30 // a row of smaller weights counts as zeros, because a float cannot hold its unit exactly enough
	largest, sums, ratio := make([]float64, rows), make([]float64, rows), 1.0
	for r := range rows {
		for c := range columns {
			v := math.Abs(float64(at(r, c)))
			largest[r], sums[r] = max(largest[r], v), sums[r]+v
		}
		if largest[r] > least {
			ratio = max(ratio, sums[r]/largest[r])
		}
	}
	levels := math.Floor(min(math.Sqrt(math.MaxInt32/ratio), math.MaxInt16))
	p = pairs{rows: rows, columns: columns / 2, units: make([]float32, rows), levels: float32(levels)}
	for r := range rows {
		if largest[r] > least { // rounding adds a half to each integer, and the float of the unit may be slightly too small
			p.units[r] = float32(1 / min(math.MaxInt16/largest[r], (math.MaxInt32/levels-float64(columns))/sums[r]))
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

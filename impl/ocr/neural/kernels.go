package neural

/*
#cgo CFLAGS: -O3 -std=c11
#cgo LDFLAGS: -lm
#include <stdint.h>

#define KERNELS(set) \
	void product_##set(const float *in, const int32_t *off, long k, const float *w, const float *bias, long m, float *out, long stride, long n); \
	void product_pairs_##set(const int32_t *in, long k, const int32_t *w, const float *units, float unit, long m, float *out, long stride, long n); \
	float unit_##set(const float *in, long n, float levels); \
	void tiles_##set(const float *in, long plane, long row, long channels, long rows, long tiles, long half, float factor, int32_t *integers, int32_t *out, long sum); \
	void join_##set(const float *in, long product, long stride, long channels, long rows, long tiles, const float *bias, int relu, int pool, float *out, long plane, long row, long h, long w); \
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
static void product_pairs(int set, const int32_t *in, long k, const int32_t *w, const float *units, float unit, long m, float *out, long stride, long n) {
	DISPATCH(set, product_pairs, in, k, w, units, unit, m, out, stride, n);
}
static float unit(int set, const float *in, long n, float levels) {
	float result;
	DISPATCH(set, result = unit, in, n, levels);
	return result;
}
static void tiles(int set, const float *in, long plane, long row, long channels, long rows, long tiles, long half, float factor, int32_t *integers, int32_t *out, long sum) {
	DISPATCH(set, tiles, in, plane, row, channels, rows, tiles, half, factor, integers, out, sum);
}
static void join(int set, const float *in, long product, long stride, long channels, long rows, long tiles, const float *bias, int relu, int pool, float *out, long plane, long row, long h, long w) {
	DISPATCH(set, join, in, product, stride, channels, rows, tiles, bias, relu, pool, out, plane, row, h, w);
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

// slack is the number of floats beyond the end of a buffer that the kernels may read or write. They compute whole blocks of
// columns and whole vectors, and drop the results beyond the last column.
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

// product computes a convolution followed by a ReLU: out[m][p] = bias[m] + sum over i of w[m][i] * in[off[i]+p] for p < n and
// m < rows; see kernels.h. w is in blocks. The rows of out are stride apart.
func (k kernels) product(in []float32, off []int32, w []float32, rows int, bias, out []float32, stride, n int) {
	if len(in) < int(slices.Max(off))+n+slack || len(bias) < rows || k.tooShort(len(off), len(w), rows, len(out), stride, n) {
		panic("neural: a product reaches beyond its operands")
	}
	C.product(k.id, floats(in), ints(off), C.long(len(off)), floats(w), floats(bias), C.long(rows), floats(out), C.long(stride), C.long(n))
}

// productOfPairs is a product of matrices in pairs of integers: out[m][p] = sum over i < depth of w[m][i] * in[i][p]. The value
// of an integer of in is the integer times unit, and that of an integer in row m of w is the integer times units[m], or 1
// without units. in is in stripes, and w in blocks.
func (k kernels) productOfPairs(in []int32, depth int, w []int32, rows int, units []float32, unit float32, out []float32, stride, n int) {
	if len(in) < inStripes(n)*depth || (units != nil && len(units) < rows) || k.tooShort(depth, len(w), rows, len(out), stride, n) {
		panic("neural: a product reaches beyond its operands")
	}
	C.product_pairs(k.id, ints(in), C.long(depth), ints(w), floats(units), C.float(unit), C.long(rows), floats(out), C.long(stride), C.long(n))
}

// tooShort reports whether a product reaches beyond weights or a result of these lengths.
func (k kernels) tooShort(depth, w, rows, out, stride, n int) bool {
	return w < (rows+k.rows-1)/k.rows*k.rows*depth || out < (rows-1)*stride+n
}

// stripe is the number of columns of a matrix of pairs that are stored together: STRIPE in kernels.h.
const stripe = 48

// inStripes returns the number of columns that a matrix has in stripes: n, rounded up to a multiple of stripe.
func inStripes(n int) int { return (n + stripe - 1) / stripe * stripe }

// unit returns the unit of the values of a grid as integers from -levels to levels: a value is about its integer times the
// unit.
func (k kernels) unit(in grid, levels float32) float32 {
	n := in.channels * (in.h + 2) * (in.w + 2)
	if len(in.data) < n+slack {
		panic("neural: a grid reaches beyond its buffer")
	}
	return float32(C.unit(k.id, floats(in.data), C.long(n), C.float(levels)))
}

// lanes is the number of floats in the widest vectors.
const lanes = 16

// tiles computes the sums of n rows of tiles from row first on, into b.sums; see kernels.h.
func (k kernels) tiles(in grid, first, n, tiles int, unit float32, b *tileBuffers, sum int) {
	half := tiles + lanes // an overlap of one tile
	pairs := pairsOf(in.channels)
	b.integers = grow(b.integers, (2*n+2)*pairs*2*half+slack)
	data := in.data[2*first*in.row:]
	if len(data) < (in.channels-1)*in.plane+(2*n+1)*in.row+2*half || tiles%lanes != 0 ||
		len(b.sums) < (tileSums-1)*sum+inStripes(n*tiles)*pairs {
		panic("neural: tiles reach beyond their buffers")
	}
	C.tiles(k.id, floats(data), C.long(in.plane), C.long(in.row), C.long(in.channels), C.long(n), C.long(tiles), C.long(half), C.float(1/unit),
		ints(b.integers), ints(b.sums), C.long(sum))
}

// join computes channels of the result from channel c on, in n rows of tiles from row first on, from the products of the tiles;
// see kernels.h.
func (k kernels) join(in []float32, product, stride, channels, n, tiles int, bias []float32, relu bool, pool pooling, out grid, c, first int) {
	perTile := 2 // rows of the result for each row of tiles
	if pool != poolNothing {
		perTile = 1
	}
	h := min(perTile*n, out.h-perTile*first)
	data := out.data[c*out.plane+(perTile*first+1)*out.row+1:]
	if len(in) < (tileSums-1)*product+(channels-1)*stride+n*tiles || len(bias) < channels || tiles%lanes != 0 ||
		len(data) < (channels-1)*out.plane+(h-1)*out.row+out.w {
		panic("neural: tiles reach beyond their buffers")
	}
	C.join(k.id, floats(in), C.long(product), C.long(stride), C.long(channels), C.long(n), C.long(tiles), floats(bias), flagOf(relu), C.int(pool),
		floats(data), C.long(out.plane), C.long(out.row), C.long(h), C.long(out.w))
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
	return inBlocks(k.rows, c.out, c.side*c.side, c.weight)
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

// softmax replaces rows of n scores, which are stride apart, with log probabilities.
func (k kernels) softmax(x []float32, rows, n, stride int) {
	if len(x) < rows*stride || stride%16 != 0 || n > stride {
		panic("neural: a softmax reaches beyond its operand")
	}
	C.softmax(k.id, floats(x), C.long(rows), C.long(n), C.long(stride))
}

// inBlocks returns a matrix in the order in which the kernels read it: blocks of some rows, and within each block column after
// column. The last block is padded with rows of zeros. data has the rows of the matrix one after the other.
func inBlocks[T float32 | int32](height, rows, columns int, data []T) []T {
	out := make([]T, (rows+height-1)/height*height*columns)
	fillBlocks(out, height, rows, columns, data)
	return out
}

// fillBlocks writes the result of inBlocks to out, which must be zero, because padding is not written.
func fillBlocks[T float32 | int32](out []T, height, rows, columns int, data []T) {
	for first := 0; first < rows; first += height {
		block := out[first*columns:]
		for r := range min(height, rows-first) {
			for c, v := range data[(first+r)*columns:][:columns] {
				block[c*height+r] = v
			}
		}
	}
}

// grow returns a slice of n elements with undefined content, in the memory of s if that is large enough.
func grow[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n)
	}
	return s[:n]
}

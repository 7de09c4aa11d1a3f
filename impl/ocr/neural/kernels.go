package neural

/*
#cgo CFLAGS: -O3
#cgo LDFLAGS: -lm
#include <stdint.h>

#define KERNELS(set) \
	void product_##set(const float *in, const int32_t *off, long k, const float *w, const float *bias, long m, float *out, long stride, long n, int relu); \
	void lstm_##set(const float *pre, const float *bias, const float *wh, long t, long h, int reverse, float *out, long stride, float *state); \
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
static void lstm(int set, const float *pre, const float *bias, const float *wh, long t, long h, int reverse, float *out, long stride, float *state) {
	DISPATCH(set, lstm, pre, bias, wh, t, h, reverse, out, stride, state);
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

// kernels is the arithmetic for one instruction set. The methods check the lengths of their operands, because C does not: a bug
// in this package panics instead of accessing memory beyond them.
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
		sets = append([]kernels{{"avx2", 1, 4}}, sets...)
	}
	if cpu.X86.HasAVX512F && cpu.X86.HasAVX512DQ && cpu.X86.HasAVX512VL && cpu.X86.HasAVX512BW {
		sets = append([]kernels{{"avx512", 2, 8}}, sets...)
	}
	return sets
}

func floats(s []float32) *C.float { return (*C.float)(unsafe.Pointer(unsafe.SliceData(s))) }

// product computes a convolution or a matrix product: out[m][p] = bias[m] + sum over i of w[m][i] * in[off[i]+p] for p < n; see
// kernels.h. The rows of out are stride apart. bias may be nil.
func (k kernels) product(in []float32, off []int32, w packed, bias, out []float32, stride, n int, relu bool) {
	need := int(slices.Max(off)) + n + slack
	if len(off) != w.columns || len(in) < need || len(out) < (w.rows-1)*stride+n || (bias != nil && len(bias) < w.rows) {
		panic("neural: a product reaches beyond its operands")
	}
	flag := C.int(0)
	if relu {
		flag = 1
	}
	C.product(k.id, floats(in), (*C.int32_t)(unsafe.Pointer(unsafe.SliceData(off))), C.long(len(off)), floats(w.data), floats(bias),
		C.long(w.rows), floats(out), C.long(stride), C.long(n), flag)
}

// lstm runs one direction of a layer over the rows of pre; see kernels.h. It writes the layer's values for each step to out, in
// rows that are stride apart.
func (k kernels) lstm(pre, bias, recurrent []float32, steps, hidden int, reverse bool, out []float32, stride int, state []float32) {
	if len(pre) < steps*4*hidden || len(bias) < 4*hidden || len(recurrent) < 4*hidden*hidden || len(out) < (steps-1)*stride+hidden || len(state) < 6*hidden {
		panic("neural: an LSTM reaches beyond its operands")
	}
	flag := C.int(0)
	if reverse {
		flag = 1
	}
	C.lstm(k.id, floats(pre), floats(bias), floats(recurrent), C.long(steps), C.long(hidden), flag, floats(out), C.long(stride), floats(state))
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
	p := packed{rows, columns, nil}
	p.data = k.repack(nil, rows, columns, at)
	return p
}

// repack is pack into a buffer, which it replaces if it is too small.
func (k kernels) repack(buffer []float32, rows, columns int, at func(r, c int) float32) []float32 {
	blocks := (rows + k.rows - 1) / k.rows
	buffer = grow(buffer, blocks*k.rows*columns)
	for b := range blocks {
		for c := range columns {
			for r := range k.rows {
				v := float32(0)
				if b*k.rows+r < rows {
					v = at(b*k.rows+r, c)
				}
				buffer[(b*columns+c)*k.rows+r] = v
			}
		}
	}
	return buffer
}

// grow returns a slice of n floats with undefined content, in the memory of s if that is large enough.
func grow(s []float32, n int) []float32 {
	if cap(s) < n {
		return make([]float32, n)
	}
	return s[:n]
}

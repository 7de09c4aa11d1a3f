// The arithmetic of the network, once for each instruction set. A file kernels_*.c sets
//   NAME(f)  the name of function f in this instruction set
//   LANES    floats in a vector; SPREAD(x) initialises a vector with x in every lane
//   ROWS     rows of the result computed together; weights are packed in blocks of ROWS rows
//   COLS     vectors of columns computed together
// and includes this file. ROWS * COLS accumulators, COLS operands and a weight must fit into the vector registers.
//
// Every instruction set sums over k in the same order; those with fused multiply-add give identical bits.

#include <math.h>
#include <stdint.h>
#include <string.h>

typedef float vf __attribute__((vector_size(4 * LANES), aligned(4), may_alias));
typedef int32_t vi __attribute__((vector_size(4 * LANES), aligned(4), may_alias));

static inline vf fill(float x) { return (vf)SPREAD(x); }

static inline vf choose(vi mask, vf a, vf b) { return (vf)(((vi)a & mask) | ((vi)b & ~mask)); }
static inline vf larger(vf a, vf b) { return choose(a > b, a, b); }
static inline vf smaller(vf a, vf b) { return choose(a < b, a, b); }

// e to the power of x, for |x| <= 87, to within 2 units in the last place: 2^n times a polynomial in the remainder
// (coefficients: Cephes, expf).
static inline vf power(vf x) {
	x = smaller(larger(x, fill(-87.0f)), fill(87.0f));
	vf n = x * fill(1.44269504088896341f);
	n = n + choose(n < fill(0.0f), fill(-0.5f), fill(0.5f));
	vi whole = __builtin_convertvector(n, vi);
	n = __builtin_convertvector(whole, vf);
	x = x - n * fill(0.693359375f);
	x = x + n * fill(2.12194440e-4f);
	vf y = fill(1.9875691500e-4f);
	y = y * x + fill(1.3981999507e-3f);
	y = y * x + fill(8.3334519073e-3f);
	y = y * x + fill(4.1665795894e-2f);
	y = y * x + fill(1.6666665459e-1f);
	y = y * x + fill(5.0000001201e-1f);
	y = y * x * x + x + fill(1.0f);
	vi scale = (whole + 127) << 23;
	return y * (vf)scale;
}

static inline vf sigmoid(vf x) { return fill(1.0f) / (fill(1.0f) + power(-x)); }
static inline vf tangent(vf x) { return fill(1.0f) - fill(2.0f) / (fill(1.0f) + power(x + x)); }

// block adds to one block of the result: ROWS rows by COLS vectors of columns.
static inline void block(const float *in, const int32_t *off, long k, const float *w, vf acc[ROWS][COLS]) {
	for (long i = 0; i < k; i++, w += ROWS) {
		const float *x = in + off[i];
		vf b[COLS];
		for (int c = 0; c < COLS; c++) b[c] = *(const vf *)(x + c * LANES);
		for (int r = 0; r < ROWS; r++) {
			vf a = fill(w[r]);
			for (int c = 0; c < COLS; c++) acc[r][c] += a * b[c];
		}
	}
}

// out[m][p] = bias[m] + sum over i < k of w[m][i] * in[off[i] + p], for p < n; with relu, negative results become 0. It is a
// convolution if off lists the taps of the kernel on padded planes, and a matrix product if off lists rows. w is packed: blocks
// of ROWS rows, in each the k columns one after the other. bias may be null. in must be readable for COLS * LANES - 1 floats
// beyond its end.
void NAME(product)(const float *in, const int32_t *off, long k, const float *w, const float *bias, long m, float *out, long stride, long n, int relu) {
	for (long p = 0; p < n; p += COLS * LANES) {
		for (long r0 = 0; r0 < m; r0 += ROWS) {
			vf acc[ROWS][COLS];
			for (int r = 0; r < ROWS; r++)
				for (int c = 0; c < COLS; c++) acc[r][c] = fill(bias && r0 + r < m ? bias[r0 + r] : 0.0f);
			block(in + p, off, k, w + r0 * k, acc);
			for (int r = 0; r < ROWS && r0 + r < m; r++) {
				float *o = out + (r0 + r) * stride + p;
				if (relu)
					for (int c = 0; c < COLS; c++) acc[r][c] = larger(acc[r][c], fill(0.0f));
				if (p + COLS * LANES <= n)
					for (int c = 0; c < COLS; c++) *(vf *)(o + c * LANES) = acc[r][c];
				else
					memcpy(o, acc[r], 4 * (n - p));
			}
		}
	}
}

#define DEEP 8 // vectors of gates computed together in a step of the LSTM

// One direction of an LSTM layer over t steps. pre[step][4h] are the products of the input, to which bias[4h] is added.
// wh[h][4h] are the recurrent weights. Gates are in the order input, forget, cell, output. The function writes h values for
// each step to out, in rows that are stride apart. state must have room for 6h floats, and h must be a multiple of 2 * LANES.
void NAME(lstm)(const float *pre, const float *bias, const float *wh, long t, long h, int reverse, float *out, long stride, float *state) {
	long g = 4 * h;
	float *cell = state, *hidden = state + h, *gate = state + 2 * h;
	memset(state, 0, 2 * h * sizeof(float));
	for (long s = 0; s < t; s++) {
		long step = reverse ? t - 1 - s : s;
		const float *x = pre + step * g;
		for (long p = 0; p < g; p += DEEP * LANES) {
			vf acc[DEEP];
			for (int c = 0; c < DEEP; c++) acc[c] = *(const vf *)(x + p + c * LANES) + *(const vf *)(bias + p + c * LANES);
			const float *w = wh + p;
			for (long k = 0; k < h; k++, w += g) {
				vf a = fill(hidden[k]);
				for (int c = 0; c < DEEP; c++) acc[c] += a * *(const vf *)(w + c * LANES);
			}
			for (int c = 0; c < DEEP; c++) *(vf *)(gate + p + c * LANES) = acc[c];
		}
		float *o = out + step * stride;
		for (long p = 0; p < h; p += LANES) {
			vf in = sigmoid(*(vf *)(gate + p)), keep = sigmoid(*(vf *)(gate + h + p));
			vf new = tangent(*(vf *)(gate + 2 * h + p)), show = sigmoid(*(vf *)(gate + 3 * h + p));
			vf c = keep * *(vf *)(cell + p) + in * new;
			*(vf *)(cell + p) = c;
			*(vf *)(hidden + p) = show * tangent(c);
			*(vf *)(o + p) = *(vf *)(hidden + p);
		}
	}
}

// Replaces each of t rows of n values, which are stride apart, by the logarithms of its softmax. Rows must be readable up to a
// multiple of LANES.
void NAME(softmax)(float *x, long t, long n, long stride) {
	for (long s = 0; s < t; s++, x += stride) {
		float largest = x[0], sum = 0;
		for (long i = 1; i < n; i++) largest = x[i] > largest ? x[i] : largest;
		for (long p = 0; p < n; p += LANES) {
			vf e = power(*(vf *)(x + p) - fill(largest));
			for (int i = 0; i < LANES && p + i < n; i++) sum += e[i];
		}
		float shift = largest + logf(sum);
		for (long i = 0; i < n; i++) x[i] -= shift;
	}
}

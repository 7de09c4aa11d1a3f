// The arithmetic of the network, once for each instruction set. A file kernels_*.c sets
//   NAME(f)  the name of function f in this instruction set
//   LANES    floats in a vector; SPREAD(x) initialises a vector with x in every lane
//   ROWS     rows of the result computed together; weights are packed in blocks of ROWS rows
//   COLS     vectors of columns computed together
//   MADD     the instruction that multiplies and adds pairs of integers, if there is one
// and includes this file. ROWS * COLS accumulators, COLS operands and a weight must fit into the vector registers.
//
// The convolutions after the first one, and the recurrent weights of the LSTM, are products of 16-bit integers. These take less
// time and half the memory of floats, and their sums are exact. All other sums are over k in the same order, and ISO C does not
// fuse a multiplication with an addition. So all instruction sets give identical bits. With fused operations, 10 of 2,000 lines
// of handwriting were read differently, because a last bit can decide which integer a value is rounded to.

#include <math.h>
#include <stdint.h>
#include <string.h>

typedef float vf __attribute__((vector_size(4 * LANES), aligned(4), may_alias));
typedef int32_t vi __attribute__((vector_size(4 * LANES), aligned(4), may_alias));
typedef uint32_t vu __attribute__((vector_size(4 * LANES), aligned(4), may_alias));
typedef int32_t pair __attribute__((may_alias)); // two 16-bit integers

static inline vf fill(float x) { return (vf)SPREAD(x); }

static inline vf choose(vi mask, vf a, vf b) { return (vf)(((vi)a & mask) | ((vi)b & ~mask)); }
static inline vf larger(vf a, vf b) { return choose(a > b, a, b); }
static inline vf smaller(vf a, vf b) { return choose(a < b, a, b); }

static inline vi nearest(vf x) { return __builtin_convertvector(x + choose(x < fill(0.0f), fill(-0.5f), fill(0.5f)), vi); }

// e to the power of x, for |x| <= 87, to within 2 units in the last place: 2^n times a polynomial in the remainder
// (coefficients: Cephes, expf).
static inline vf power(vf x) {
	x = smaller(larger(x, fill(-87.0f)), fill(87.0f));
	vf n = x * fill(1.44269504088896341f);
	vi whole = nearest(n);
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

#ifdef MADD
// Forces the compiler to add each product before it computes the next one. Otherwise it keeps more products than there are
// registers.
#define KEEP(x) __asm__("" : "+v"(x))
#else
#define KEEP(x)
// Treats each lane as two 16-bit integers, and returns the sum of their products: low times low plus high times high.
#define MADD(a, b) ((vu)(((a) << 16 >> 16) * ((b) << 16 >> 16)) + (vu)(((a) >> 16) * ((b) >> 16)))
#endif

// block adds to one block of the result: ROWS rows by COLS vectors of columns. With pairs, all operands are pairs of integers and
// the sums are integers. The sums of columns that will be dropped may wrap, because their operands are arbitrary.
static inline __attribute__((always_inline)) void block(const float *in, const int32_t *off, long k, const float *w,
	vf acc[ROWS][COLS], int pairs) {
	for (long i = 0; i < k; i++, w += ROWS) {
		const float *x = in + off[i];
		vf b[COLS];
		for (int c = 0; c < COLS; c++) b[c] = *(const vf *)(x + c * LANES);
		for (int r = 0; r < ROWS; r++) {
			vf a = fill(w[r]);
			for (int c = 0; c < COLS; c++) {
				if (pairs) {
					acc[r][c] = (vf)((vu)acc[r][c] + (vu)MADD((vi)a, (vi)b[c]));
					KEEP(acc[r][c]);
				} else
					acc[r][c] += a * b[c];
			}
		}
	}
}

// The operands of a block are read from the first-level cache if they fit into it: DEPTH of k at a time, for GROUP rows (a
// multiple of ROWS).
#define DEPTH 144
#define GROUP 48

// See product. With pairs, the sums are integers, which are multiplied by units[m] * unit before bias is added.
static inline __attribute__((always_inline)) void multiply(const float *in, const int32_t *off, long k, const float *w,
	const float *bias, long m, float *out, long stride, long n, int relu, int pairs, const float *units, float unit) {
	vf sums[GROUP / ROWS][ROWS][COLS];
	for (long p = 0; p < n; p += COLS * LANES) {
		for (long group = 0; group < m; group += GROUP) {
			for (long from = 0; from < k; from += DEPTH) {
				long depth = k - from < DEPTH ? k - from : DEPTH;
				for (long r0 = group; r0 < m && r0 < group + GROUP; r0 += ROWS) {
					vf acc[ROWS][COLS], (*sum)[COLS] = sums[(r0 - group) / ROWS];
					for (int r = 0; r < ROWS; r++)
						for (int c = 0; c < COLS; c++) acc[r][c] = from ? sum[r][c] : fill(!pairs && bias && r0 + r < m ? bias[r0 + r] : 0.0f);
					block(in + p, off + from, depth, w + r0 * k + from * ROWS, acc, pairs);
					memcpy(sum, acc, sizeof acc);
				}
			}
			for (long r = group; r < m && r < group + GROUP; r++) {
				vf *sum = sums[(r - group) / ROWS][(r - group) % ROWS];
				float *o = out + r * stride + p;
				for (int c = 0; c < COLS; c++) {
					if (pairs) sum[c] = __builtin_convertvector((vi)sum[c], vf) * fill(units[r] * unit) + fill(bias[r]);
					if (relu) sum[c] = larger(sum[c], fill(0.0f));
				}
				if (p + COLS * LANES <= n)
					memcpy(o, sum, sizeof *sums[0]);
				else
					memcpy(o, sum, 4 * (n - p));
			}
		}
	}
}

// out[m][p] = bias[m] + sum over i < k of w[m][i] * in[off[i] + p], for p < n; with relu, negative results become 0. It is a
// convolution if off lists the taps of the kernel on padded planes, and a matrix product if off lists rows. w is packed: blocks
// of ROWS rows, in each the k columns one after the other. bias may be null. in must be readable for COLS * LANES - 1 floats
// beyond its end.
void NAME(product)(const float *in, const int32_t *off, long k, const float *w, const float *bias, long m, float *out, long stride, long n, int relu) {
	multiply(in, off, k, w, bias, m, out, stride, n, relu, 0, NULL, 0);
}

// Like product with relu, but each operand is a pair of 16-bit integers, and each term is the sum of two products. The sum of row
// m is multiplied by units[m] * unit before bias[m] is added. Sums must fit into 32-bit integers.
void NAME(product_pairs)(const int32_t *in, const int32_t *off, long k, const int32_t *w, const float *bias, long m, float *out, long stride, long n,
	const float *units, float unit) {
	multiply((const float *)in, off, k, (const float *)w, bias, m, out, stride, n, 1, 1, units, unit);
}

// Converts planes of n floats, which must not be negative, to pairs of integers, and returns their unit: a float is about its
// integer times the unit. The largest float becomes levels. Each pair has the values of two successive planes at one point. in
// must be readable for LANES - 1 floats beyond its end. out may be in.
float NAME(pairs)(const float *in, long planes, long n, float levels, int32_t *out) {
	vf most = fill(0.0f);
	float largest = 0;
	long whole = planes * n / LANES * LANES;
	for (long p = 0; p < whole; p += LANES) most = larger(most, *(const vf *)(in + p));
	for (int i = 0; i < LANES; i++) largest = most[i] > largest ? most[i] : largest;
	for (long p = whole; p < planes * n; p++) largest = in[p] > largest ? in[p] : largest;
	// Smaller values become 0, because a float cannot hold their unit exactly enough.
	float unit = largest > 1e-30f ? largest / levels : 1;
	vf factor = fill(1 / unit);
	for (long c = 0; c < planes; c += 2, in += 2 * n, out += n)
		for (long p = 0; p < n; p += LANES) {
			vi both = nearest(*(const vf *)(in + p) * factor);
			if (c + 1 < planes) both |= nearest(*(const vf *)(in + n + p) * factor) << 16;
			if (p + LANES <= n)
				*(vi *)(out + p) = both;
			else
				memcpy(out + p, &both, 4 * (n - p));
		}
	return unit;
}

#define DEEP 8 // vectors of gates computed together in a step of the LSTM

// One direction of an LSTM layer over t steps. pre[step][4h] are the products of the input, to which bias[4h] is added.
// wh[h/2][4h] are the recurrent weights for pairs of values, as integers; the weights of gate i are their integers times units[i].
// The values, from -1 to 1, are multiplied as integers from -levels to levels. Gates are in the order input, forget, cell, output.
// The function writes h values for each step to out, in rows that are stride apart. state must have room for 6h floats, and h must
// be a multiple of 2 * LANES.
void NAME(lstm)(const float *pre, const float *bias, const int32_t *wh, const float *units, float levels, long t, long h, int reverse, float *out, long stride, float *state) {
	long g = 4 * h;
	float *cell = state, *gate = state + h;
	int16_t *hidden = (int16_t *)(state + 5 * h);
	const pair *pairs = (const pair *)(state + 5 * h);
	memset(state, 0, 6 * h * sizeof(float));
	for (long s = 0; s < t; s++) {
		long step = reverse ? t - 1 - s : s;
		const float *x = pre + step * g;
		for (long p = 0; p < g; p += DEEP * LANES) {
			vi acc[DEEP];
			for (int c = 0; c < DEEP; c++) acc[c] = (vi)fill(0.0f);
			const int32_t *w = wh + p;
			for (long k = 0; k < h / 2; k++, w += g) {
				vi a = (vi){0} + pairs[k];
				for (int c = 0; c < DEEP; c++) acc[c] += (vi)MADD(a, *(const vi *)(w + c * LANES));
			}
			for (int c = 0; c < DEEP; c++) {
				long i = p + c * LANES;
				*(vf *)(gate + i) = *(const vf *)(x + i) + *(const vf *)(bias + i) + __builtin_convertvector(acc[c], vf) * fill(1 / levels) * *(const vf *)(units + i);
			}
		}
		float *o = out + step * stride;
		for (long p = 0; p < h; p += LANES) {
			vf in = sigmoid(*(vf *)(gate + p)), keep = sigmoid(*(vf *)(gate + h + p));
			vf new = tangent(*(vf *)(gate + 2 * h + p)), show = sigmoid(*(vf *)(gate + 3 * h + p));
			vf c = keep * *(vf *)(cell + p) + in * new;
			*(vf *)(cell + p) = c;
			vf value = show * tangent(c);
			*(vf *)(o + p) = value;
			vi whole = nearest(value * fill(levels));
			for (int i = 0; i < LANES; i++) hidden[p + i] = (int16_t)whole[i];
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

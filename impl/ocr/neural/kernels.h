// The arithmetic of the network, once for each instruction set. A file kernels_*.c sets
//   NAME(f)  the name of function f in this instruction set
//   LANES    floats in a vector; SPREAD(x) initialises a vector with x in every lane
//   ROWS     rows of the result computed together; weights are packed in blocks of ROWS rows
//   COLS     vectors of columns computed together
//   DOT(sum, a, b)  if there are instructions for it: see below
// and includes this file. ROWS * COLS accumulators, COLS operands and a weight must fit into the vector registers.
//
// Except in the first convolution, all products are products of 16-bit integers. These take less time and half the memory of
// floats, and their sums are exact. All other sums are over k in the same order, and ISO C does not fuse a multiplication with an
// addition. So all instruction sets give identical bits. With fused operations, 10 of 2,000 lines of handwriting were read
// differently, because a last bit can decide which integer a value is rounded to.

#include <math.h>
#include <stdint.h>
#include <string.h>

typedef float vf __attribute__((vector_size(4 * LANES), aligned(4), may_alias));
typedef int32_t vi __attribute__((vector_size(4 * LANES), aligned(4), may_alias));
typedef uint32_t vu __attribute__((vector_size(4 * LANES), aligned(4), may_alias));
typedef int16_t vs __attribute__((vector_size(4 * LANES), aligned(4), may_alias));
typedef int32_t pair __attribute__((may_alias)); // two 16-bit integers

static inline vf fill(float x) { return (vf)SPREAD(x); }

static inline vf choose(vi mask, vf a, vf b) { return (vf)(((vi)a & mask) | ((vi)b & ~mask)); }
static inline vf maximum(vf a, vf b) { return choose(a > b, a, b); }
static inline vf minimum(vf a, vf b) { return choose(a < b, a, b); }

static inline vi nearest(vf x) { return __builtin_convertvector(x + choose(x < fill(0.0f), fill(-0.5f), fill(0.5f)), vi); }

// e to the power of x, for |x| <= 87, to within 2 units in the last place: 2^n times a polynomial in the remainder
// (coefficients: Cephes, expf).
static inline vf exponential(vf x) {
	x = minimum(maximum(x, fill(-87.0f)), fill(87.0f));
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

static inline vf sigmoid(vf x) { return fill(1.0f) / (fill(1.0f) + exponential(-x)); }
static inline vf hyperbolic_tangent(vf x) { return fill(1.0f) - fill(2.0f) / (fill(1.0f) + exponential(x + x)); }

// DOT treats each lane of a and b as two 16-bit integers. It adds their products, low times low plus high times high, to the 32-bit
// integer in the same lane of sum. Sets with instructions for it add, or with VNNI multiply and add, in assembly, because the
// compiler would keep more products than there are registers, or copy each sum.
#ifndef DOT
#define DOT(sum, a, b) \
	sum = (__typeof__(sum))((vu)(sum) + (vu)(((a) << 16 >> 16) * ((b) << 16 >> 16)) + (vu)(((a) >> 16) * ((b) >> 16)))
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
				if (pairs)
					DOT(acc[r][c], (vi)a, (vi)b[c]);
				else
					acc[r][c] += a * b[c];
			}
		}
	}
}

// The operands of a block are read from the first-level cache if they fit into it: DEPTH of k at a time, for GROUP rows (a
// multiple of ROWS).
#define DEPTH 144
#define GROUP 48

// Computes product or, with pairs, product_pairs.
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
						for (int c = 0; c < COLS; c++) acc[r][c] = from ? sum[r][c] : fill(!pairs && r0 + r < m ? bias[r0 + r] : 0.0f);
					block(in + p, off + from, depth, w + r0 * k + from * ROWS, acc, pairs);
					memcpy(sum, acc, sizeof acc);
				}
			}
			for (long r = group; r < m && r < group + GROUP; r++) {
				vf *sum = sums[(r - group) / ROWS][(r - group) % ROWS];
				float *o = out + r * stride + p;
				for (int c = 0; c < COLS; c++) {
					if (pairs) sum[c] = __builtin_convertvector((vi)sum[c], vf) * fill(units ? units[r] * unit : unit) + fill(bias ? bias[r] : 0.0f);
					if (relu) sum[c] = maximum(sum[c], fill(0.0f));
				}
				if (p + COLS * LANES <= n)
					memcpy(o, sum, sizeof *sums[0]);
				else
					memcpy(o, sum, 4 * (n - p));
			}
		}
	}
}

// out[m][p] = bias[m] + sum over i < k of w[m][i] * in[off[i] + p], for p < n, or 0 if that is negative. It is a convolution if off
// lists the taps of the kernel on padded planes. w is packed: blocks of ROWS rows, in each the k columns one after the other. in
// must be readable for COLS * LANES - 1 floats beyond its end.
void NAME(product)(const float *in, const int32_t *off, long k, const float *w, const float *bias, long m, float *out, long stride, long n) {
	multiply(in, off, k, w, bias, m, out, stride, n, 1, 0, NULL, 0);
}

// Like product, but each operand is a pair of 16-bit integers, and each term is the sum of two products. The sum of row m is
// multiplied by units[m] * unit before bias[m] is added. Without units, it is multiplied by unit; without bias, nothing is added.
// Negative results become 0 only with relu. Sums must fit into 32-bit integers. It is a matrix product if off lists rows.
void NAME(product_pairs)(const int32_t *in, const int32_t *off, long k, const int32_t *w, const float *units, float unit, const float *bias, long m,
	float *out, long stride, long n, int relu) {
	multiply((const float *)in, off, k, (const float *)w, bias, m, out, stride, n, relu, 1, units, unit);
}

// Returns the unit of n floats as integers from -levels to levels: a float is about its integer times the unit.
static inline float unit_of(const float *in, long n, float levels) {
	vf most = fill(0.0f);
	float largest = 0;
	long p = 0;
	for (; p + LANES <= n; p += LANES) most = maximum(most, maximum(*(const vf *)(in + p), -*(const vf *)(in + p)));
	for (int i = 0; i < LANES; i++) largest = most[i] > largest ? most[i] : largest;
	for (; p < n; p++) largest = fabsf(in[p]) > largest ? fabsf(in[p]) : largest;
	// Smaller values become 0, because a float cannot hold their unit exactly enough.
	return largest > 1e-30f ? largest / levels : 1;
}

// Converts floats to pairs of integers, and returns their unit; see unit_of. There are rows of planes of n floats each. Each pair
// has the values of two successive planes of a row at one point. in must be readable for LANES - 1 floats beyond its end. out may
// be in.
float NAME(pairs)(const float *in, long rows, long planes, long n, float levels, int32_t *out) {
	float unit = unit_of(in, rows * planes * n, levels);
	vf factor = fill(1 / unit);
	for (long r = 0; r < rows; r++)
		for (long c = 0; c < planes; c += 2, out += n) {
			for (long p = 0; p < n; p += LANES) {
				vi both = nearest(*(const vf *)(in + p) * factor) & 0xffff;
				if (c + 1 < planes) both |= nearest(*(const vf *)(in + n + p) * factor) << 16;
				if (p + LANES <= n)
					*(vi *)(out + p) = both;
				else
					memcpy(out + p, &both, 4 * (n - p));
			}
			in += c + 1 < planes ? 2 * n : n;
		}
	return unit;
}

// Converts t rows of n floats to pairs of successive integers, in blocks like those of product, and returns their unit; see
// unit_of. in must be readable for LANES - 1 floats beyond its end.
float NAME(blocks)(const float *in, long t, long n, float levels, int32_t *out) {
	float unit = unit_of(in, t * n, levels);
	vf factor = fill(1 / unit);
	long columns = (n + 1) / 2;
	for (long s = 0; s < t; s++, in += n) {
		int32_t *o = out + s / ROWS * ROWS * columns + s % ROWS;
		for (long p = 0; p < n; p += LANES) {
			vi whole = nearest(*(const vf *)(in + p) * factor);
			for (int i = 0; i < LANES && p + i < n; i += 2)
				o[(p + i) / 2 * ROWS] = (whole[i] & 0xffff) | (p + i + 1 < n ? (int32_t)((uint32_t)whole[i + 1] << 16) : 0);
		}
	}
	return unit;
}

#define PANEL 128 // gates whose recurrent weights are stored together
#define VECTORS 4 // vectors of weights that are multiplied together; each has the weights of two vectors of gates
_Static_assert(PANEL / 2 % (VECTORS * LANES) == 0, "a panel must have a whole number of vectors");

// One direction of an LSTM layer over t steps. pre has the products of the input, a row for each step. Rows are pre_stride apart.
// The products of gate i are multiplied by pre_units[i] before bias[i] is added. wh has the recurrent weights as 8-bit integers, so
// that they fit into the second-level cache: a panel for every PANEL gates, in each a row for every two values, and in each row
// PANEL / 2 elements of two 16-bit integers, one for each of the two values. The upper byte of such an integer is the weight of a
// gate in the first half of the panel, and the lower byte is 128 more than that of a gate in the second half. The weights of gate i
// are their integers times units[i]. The values, from -1 to 1, are multiplied as integers from -levels to levels. Gates are in the
// order input, forget, cell, output. The function writes h values for each step to out, in rows that are stride apart. state must
// have room for 6h floats, and h must be a multiple of PANEL / 4.
void NAME(lstm)(const float *pre, long pre_stride, const float *pre_units, const float *bias, const int32_t *wh, const float *units, float levels,
	long t, long h, int reverse, float *out, long stride, float *state) {
	long g = 4 * h;
	float *cell = state, *gate = state + h;
	int16_t *hidden = (int16_t *)(state + 5 * h);
	const pair *pairs = (const pair *)(state + 5 * h);
	memset(state, 0, 6 * h * sizeof(float));
	for (long s = 0; s < t; s++) {
		long step = reverse ? t - 1 - s : s;
		const float *x = pre + step * pre_stride;
		int32_t sum = 0; // of the integers of the values
		for (long k = 0; k < h; k++) sum += hidden[k];
		vi low_start = (vi)((vu){0} - 128 * (uint32_t)sum);
		for (long panel = 0; panel < g; panel += PANEL)
			for (long p = 0; p < PANEL / 2; p += VECTORS * LANES) {
				vi acc[2][VECTORS]; // of the gates in the first and second half of the panel
				for (int c = 0; c < VECTORS; c++) acc[0][c] = (vi){0}, acc[1][c] = low_start;
				const int32_t *w = wh + panel / 2 * (h / 2) + p;
				for (long k = 0; k < h / 2; k++, w += PANEL / 2) {
					vi a = (vi){0} + pairs[k];
					for (int c = 0; c < VECTORS; c++) {
						vs both = *(const vs *)(w + c * LANES);
						DOT(acc[0][c], a, (vi)(both >> 8));
						DOT(acc[1][c], a, (vi)(both & 255));
					}
				}
				for (int half = 0; half < 2; half++)
					for (int c = 0; c < VECTORS; c++) {
						long i = panel + half * PANEL / 2 + p + c * LANES;
						*(vf *)(gate + i) = *(const vf *)(x + i) * *(const vf *)(pre_units + i) + *(const vf *)(bias + i) +
							__builtin_convertvector(acc[half][c], vf) * fill(1 / levels) * *(const vf *)(units + i);
					}
			}
		float *o = out + step * stride;
		for (long p = 0; p < h; p += LANES) {
			vf in = sigmoid(*(vf *)(gate + p)), keep = sigmoid(*(vf *)(gate + h + p));
			vf new = hyperbolic_tangent(*(vf *)(gate + 2 * h + p)), show = sigmoid(*(vf *)(gate + 3 * h + p));
			vf c = keep * *(vf *)(cell + p) + in * new;
			*(vf *)(cell + p) = c;
			vf value = show * hyperbolic_tangent(c);
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
			vf e = exponential(*(vf *)(x + p) - fill(largest));
			for (int i = 0; i < LANES && p + i < n; i++) sum += e[i];
		}
		float shift = largest + logf(sum);
		for (long i = 0; i < n; i++) x[i] -= shift;
	}
}

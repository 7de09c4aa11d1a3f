// The arithmetic of the network, once for each instruction set. A file kernels_*.c sets
//   NAME(f)  the name of function f in this instruction set
//   LANES    floats in a vector; SPREAD(x) initialises a vector with x in every lane, and COUNT one with 0, 1, 2 and so on
//   ROWS     rows of the result computed together; weights are packed in blocks of ROWS rows
//   COLS     vectors of columns computed together
//   DOT(sum, a, b)  if there are instructions for it: see below
// and includes this file. ROWS * COLS accumulators, COLS operands and a weight must fit into the vector registers. COLS * LANES
// must divide STRIPE.
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
typedef uint16_t vh __attribute__((vector_size(4 * LANES), aligned(4), may_alias));
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

#define STRIPE 48 // columns of a matrix of pairs that are stored together, row after row
_Static_assert(STRIPE % (COLS * LANES) == 0, "a stripe must have a whole number of blocks");

// block adds to one block of the result: ROWS rows by COLS vectors of columns. Without off, all operands are pairs of integers, the
// rows of in follow each other in a stripe, and the sums are integers. The sums of columns that will be dropped may wrap, because
// their operands are arbitrary.
static inline __attribute__((always_inline)) void block(const float *in, const int32_t *off, long k, const float *w,
	vf acc[ROWS][COLS]) {
	for (long i = 0; i < k; i++, w += ROWS) {
		const float *x = in + (off ? off[i] : i * STRIPE);
		vf b[COLS];
		for (int c = 0; c < COLS; c++) b[c] = *(const vf *)(x + c * LANES);
		for (int r = 0; r < ROWS; r++) {
			vf a = fill(w[r]);
			for (int c = 0; c < COLS; c++) {
				if (off)
					acc[r][c] += a * b[c];
				else
					DOT(acc[r][c], (vi)a, (vi)b[c]);
			}
		}
	}
}

// The operands of a block are read from the first-level cache if they fit into it: DEPTH of k at a time, for GROUP rows (a
// multiple of ROWS).
#define DEPTH 96
#define GROUP 48

// store writes the first n lanes of a vector.
static inline void store(float *out, vf v, long n) {
	if (n >= LANES)
		*(vf *)out = v;
	else if (n > 0)
		memcpy(out, &v, 4 * n);
}

// Computes product or, without off, product_pairs.
static inline __attribute__((always_inline)) void multiply(const float *in, const int32_t *off, long k, const float *w,
	const float *bias, long m, float *out, long stride, long n, const float *units, float unit) {
	vf sums[GROUP / ROWS][ROWS][COLS];
	for (long p = 0; p < n; p += COLS * LANES)
		for (long group = 0; group < m; group += GROUP) {
			for (long from = 0; from < k; from += DEPTH) {
				long depth = k - from < DEPTH ? k - from : DEPTH;
				const float *x = off ? in + p : in + (p / STRIPE * k + from) * STRIPE + p % STRIPE;
				for (long r0 = group; r0 < m && r0 < group + GROUP; r0 += ROWS) {
					vf acc[ROWS][COLS], (*sum)[COLS] = sums[(r0 - group) / ROWS];
					for (int r = 0; r < ROWS; r++)
						for (int c = 0; c < COLS; c++) acc[r][c] = from ? sum[r][c] : fill(off && r0 + r < m ? bias[r0 + r] : 0.0f);
					block(x, off ? off + from : NULL, depth, w + r0 * k + from * ROWS, acc);
					memcpy(sum, acc, sizeof acc);
				}
			}
			for (long r = group; r < m && r < group + GROUP; r++) {
				vf *sum = sums[(r - group) / ROWS][(r - group) % ROWS], factor = fill(units ? units[r] * unit : unit);
				for (int c = 0; c < COLS; c++) {
					vf v = maximum(sum[c], fill(0.0f));
					if (!off) v = __builtin_convertvector((vi)sum[c], vf) * factor;
					store(out + r * stride + p + c * LANES, v, n - p - c * LANES);
				}
			}
		}
}

// out[m][p] = bias[m] + sum over i < k of w[m][i] * in[off[i] + p], for p < n, or 0 if that is negative. It is a convolution if off
// lists the taps of the kernel on padded planes. w is packed: blocks of ROWS rows, in each the k columns one after the other. in
// must be readable for COLS * LANES - 1 floats beyond its end.
void NAME(product)(const float *in, const int32_t *off, long k, const float *w, const float *bias, long m, float *out, long stride, long n) {
	multiply(in, off, k, w, bias, m, out, stride, n, NULL, 0);
}

// out[m][p] = units[m] * unit * sum over i < k of w[m][i] * in[i][p], for p < n. Each operand is a pair of 16-bit integers, and each
// term is the sum of two products; sums must fit into 32-bit integers. Without units, those are 1. w is as in product. in is in
// stripes of STRIPE columns, the last one too, in each the k rows one after the other.
void NAME(product_pairs)(const int32_t *in, long k, const int32_t *w, const float *units, float unit, long m, float *out, long stride, long n) {
	multiply((const float *)in, NULL, k, (const float *)w, NULL, m, out, stride, n, units, unit);
}

// Returns the unit of n floats as integers from -levels to levels: a float is about its integer times the unit.
float NAME(unit)(const float *in, long n, float levels) {
	vf most = fill(0.0f);
	float largest = 0;
	long p = 0;
	for (; p + LANES <= n; p += LANES) most = maximum(most, maximum(*(const vf *)(in + p), -*(const vf *)(in + p)));
	for (int i = 0; i < LANES; i++) largest = most[i] > largest ? most[i] : largest;
	for (; p < n; p++) largest = fabsf(in[p]) > largest ? fabsf(in[p]) : largest;
	// Smaller values become 0, because a float cannot hold their unit exactly enough.
	return largest > 1e-30f ? largest / levels : 1;
}

// A convolution of 3x3 taps is computed by Winograd's minimal filtering F(2x2, 3x3), as described by Lavin and Gray (Fast
// Algorithms for Convolutional Neural Networks, 2016). The input is divided into tiles of 4x4 values that overlap by two. Each tile
// becomes 16 sums of its values, each filter 16 sums of its taps, and the 16 products of these, added up over the channels, become
// 2x2 values of the result. That takes 16 multiplications instead of 36.

// split converts rows of channels to integers, which are floats times factor. For each row, it writes pairs of successive channels:
// first the pairs at even columns, then those at odd columns, half of each, which must be a multiple of LANES. Channels are plane
// floats apart, and rows are row floats apart. in must be readable for 2 * half floats from the beginning of the last row on.
static void split(const float *in, long plane, long row, long channels, long rows, long half, float factor, int32_t *out) {
	const vi even = 2 * (vi)COUNT, odd = even + 1;
	for (long y = 0; y < rows; y++)
		for (long c = 0; c < channels; c += 2, out += 2 * half) {
			const float *a = in + y * row + c * plane, *b = a + plane;
			for (long x = 0; x < half; x += LANES) {
				vi pairs[2];
				for (int i = 0; i < 2; i++) {
					pairs[i] = nearest(*(const vf *)(a + 2 * x + i * LANES) * fill(factor)) & 0xffff;
					if (c + 1 < channels) pairs[i] |= nearest(*(const vf *)(b + 2 * x + i * LANES) * fill(factor)) << 16;
				}
				*(vi *)(out + x) = __builtin_shuffle(pairs[0], pairs[1], even);
				*(vi *)(out + half + x) = __builtin_shuffle(pairs[0], pairs[1], odd);
			}
		}
}

// tiles computes the 16 sums of each tile, for rows of tiles tiles each, which must be a multiple of LANES. The pairs of sum i are
// a matrix at out + i * sum, in stripes as for product_pairs, with a row for each pair of channels and a column for each tile, row
// of tiles after row. The input is as in split; integers must have room for its output.
void NAME(tiles)(const float *in, long plane, long row, long channels, long rows, long tiles, long half, float factor, int32_t *integers,
	int32_t *out, long sum) {
	long pairs = (channels + 1) / 2;
	split(in, plane, row, channels, 2 * rows + 2, half, factor, integers);
	for (long r = 0; r < rows; r++)
		for (long p = 0; p < pairs; p++)
			for (long t = 0; t < tiles; t += LANES) {
				vh d[4][4];
				for (int y = 0; y < 4; y++) {
					const int32_t *even = integers + ((2 * r + y) * pairs + p) * 2 * half + t, *odd = even + half;
					vh a = *(const vh *)even, b = *(const vh *)odd, c = *(const vh *)(even + 1), e = *(const vh *)(odd + 1);
					d[y][0] = a - c, d[y][1] = b + c, d[y][2] = c - b, d[y][3] = b - e;
				}
				long column = r * tiles + t;
				int32_t *o = out + (column / STRIPE * pairs + p) * STRIPE + column % STRIPE;
				for (int x = 0; x < 4; x++) {
					*(vh *)(o + x * sum) = d[0][x] - d[2][x];
					*(vh *)(o + (4 + x) * sum) = d[1][x] + d[2][x];
					*(vh *)(o + (8 + x) * sum) = d[2][x] - d[1][x];
					*(vh *)(o + (12 + x) * sum) = d[1][x] - d[3][x];
				}
			}
}

// join computes channels of the result, for rows of tiles tiles each, a multiple of LANES, from the 16 products of each tile.
// Product i of channel c of the tile in row r and column t is at in[i * product + c * stride + r * tiles + t]. The result has h rows
// of w floats, in planes and rows that are plane and row floats apart. pool is 0 for no max pooling, 1 for pooling over two rows, and 2 for 2x2 pooling.
void NAME(join)(const float *in, long product, long stride, long channels, long rows, long tiles, const float *bias, int relu, int pool,
	float *out, long plane, long row, long h, long w) {
	const vi low = (vi)COUNT / 2 + ((vi)COUNT & 1) * LANES, high = low + LANES / 2;
	for (long c = 0; c < channels; c++, in += stride, out += plane)
		for (long r = 0; r < rows; r++)
			for (long t = 0; t < tiles; t += LANES) {
				const float *m = in + r * tiles + t;
				vf s[2][4], y[2][2];
				for (int x = 0; x < 4; x++) {
					vf m0 = *(const vf *)(m + x * product), m1 = *(const vf *)(m + (4 + x) * product);
					vf m2 = *(const vf *)(m + (8 + x) * product), m3 = *(const vf *)(m + (12 + x) * product);
					s[0][x] = m0 + m1 + m2, s[1][x] = m1 - m2 - m3;
				}
				for (int i = 0; i < 2; i++) {
					y[i][0] = s[i][0] + s[i][1] + s[i][2] + fill(bias[c]), y[i][1] = s[i][1] - s[i][2] - s[i][3] + fill(bias[c]);
					if (relu) y[i][0] = maximum(y[i][0], fill(0.0f)), y[i][1] = maximum(y[i][1], fill(0.0f));
				}
				if (pool) y[0][0] = maximum(y[0][0], y[1][0]), y[0][1] = maximum(y[0][1], y[1][1]);
				if (pool == 2) {
					store(out + r * row + t, maximum(y[0][0], y[0][1]), w - t);
					continue;
				}
				for (int i = 0; i < (pool ? 1 : 2); i++) {
					long line = pool ? r : 2 * r + i;
					if (line == h) break;
					store(out + line * row + 2 * t, __builtin_shuffle(y[i][0], y[i][1], low), w - 2 * t);
					store(out + line * row + 2 * t + LANES, __builtin_shuffle(y[i][0], y[i][1], high), w - 2 * t - LANES);
				}
			}
}

// Converts t rows of n floats to pairs of successive integers, in blocks like those of product, and returns their unit; see
// unit. in must be readable for LANES - 1 floats beyond its end.
float NAME(blocks)(const float *in, long t, long n, float levels, int32_t *out) {
	float unit = NAME(unit)(in, t * n, levels);
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
					for (int c = 0; c < VECTORS * LANES; c += 16) __builtin_prefetch(w + 16 * PANEL / 2 + c); // too far apart for the processor's own
					for (int c = 0; c < VECTORS; c++) {
						vs both = *(const vs *)(w + c * LANES);
						DOT(acc[0][c], a, (vi)(both >> 8));
						DOT(acc[1][c], a, (vi)both);
					}
				}
				for (int c = 0; c < VECTORS; c++) acc[1][c] = (vi)((vu)acc[1][c] - ((vu)acc[0][c] << 8)); // modulo 2^32, so exact
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

// The conversion of weights when a model is loaded, compiled once for all processors of an architecture. As in kernels.h, ISO C
// does not fuse operations, so that all processors compute the same.

#include <math.h>
#include <stdint.h>
#include <string.h>

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "model files are little-endian, and so are pairs of integers");

static uint32_t bits_of(float v) {
	union { float v; uint32_t bits; } u = {v};
	return u.bits;
}

static float float_of(uint32_t bits) {
	union { uint32_t bits; float v; } u = {bits};
	return u.v;
}

// Converts n 16-bit floating-point numbers (IEEE 754 binary16). An infinite one or one that is not a number becomes 65536 or
// more.
void widen(const unsigned char *in, long n, float *out) {
	for (long i = 0; i < n; i++) {
		uint16_t half;
		memcpy(&half, in + 2 * i, 2);
		float magnitude = float_of((uint32_t)(half & 0x7fff) << 13) * 0x1p112f; // the exponents of binary32 are 112 more
		out[i] = float_of((uint32_t)(half >> 15) << 31 | bits_of(magnitude));
	}
}

// Returns the bits of the largest magnitude of n numbers. Those of a NaN are larger than those of any number. They are compared
// as signed integers, for which there are more instructions.
int32_t largest_bits(const float *in, long n) {
	int32_t largest = 0;
	for (long i = 0; i < n; i++) {
		int32_t bits = (int32_t)(bits_of(in[i]) & INT32_MAX);
		largest = bits > largest ? bits : largest;
	}
	return largest;
}

#define SUMS 8 // sums that need not wait for each other; their order is fixed, so that all processors compute the same

// Computes, for each row, the largest magnitude of its elements and the sum of all magnitudes.
void magnitudes(const float *in, long rows, long columns, double *out) {
	for (long r = 0; r < rows; r++, in += columns) {
		double sums[SUMS] = {0}, sum = 0;
		long c = 0;
		for (; c + SUMS <= columns; c += SUMS)
			for (int i = 0; i < SUMS; i++) sums[i] += fabsf(in[c + i]);
		for (; c < columns; c++) sum += fabsf(in[c]);
		for (int i = 0; i < SUMS; i++) sum += sums[i];
		out[2 * r] = float_of((uint32_t)largest_bits(in, columns));
		out[2 * r + 1] = sum;
	}
}

// Multiplies the elements of each row by its factor, and rounds them to the nearest integers, halves away from 0.
void to_integers(const float *in, long rows, long columns, const double *factors, int16_t *out) {
	for (long r = 0; r < rows; r++, in += columns, out += columns)
		for (long c = 0; c < columns; c++) {
			double v = in[c] * factors[r];
			out[c] = (int16_t)(int32_t)(v + copysign(0.5, v));
		}
}

#define TOGETHER 16 // filters

// Computes the 16 sums of each 3x3 filter; filters has 9 taps for each of rows x in filters. Sum i of the filter at (row,
// channel) goes to out[(i * rows + row) * columns + channel]; columns, at least in, is the length of a row of out.
void filter_sums(const float *filters, long rows, long in, long columns, float *out) {
	for (long row = 0; row < rows; row++)
		for (long from = 0; from < in; from += TOGETHER) {
			long n = in - from < TOGETHER ? in - from : TOGETHER;
			const float *taps = filters + (row * in + from) * 9;
			double tap[9][TOGETHER] = {0}, half[3][4][TOGETHER];
			for (long c = 0; c < n; c++)
				for (int i = 0; i < 9; i++) tap[i][c] = taps[9 * c + i];
			for (int y = 0; y < 3; y++)
				for (int c = 0; c < TOGETHER; c++) {
					double first = tap[3 * y][c], second = tap[3 * y + 1][c], third = tap[3 * y + 2][c];
					half[y][0][c] = first, half[y][1][c] = (first + second + third) / 2;
					half[y][2][c] = (first - second + third) / 2, half[y][3][c] = third;
				}
			for (int x = 0; x < 4; x++) {
				float sum[4][TOGETHER];
				for (int c = 0; c < TOGETHER; c++) {
					double first = half[0][x][c], second = half[1][x][c], third = half[2][x][c];
					sum[0][c] = first, sum[1][c] = (first + second + third) / 2;
					sum[2][c] = (first - second + third) / 2, sum[3][c] = third;
				}
				for (int y = 0; y < 4; y++) memcpy(out + ((4 * y + x) * rows + row) * columns + from, sum[y], 4 * n);
			}
		}
}

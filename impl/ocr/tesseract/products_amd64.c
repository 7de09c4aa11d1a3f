// The product of a matrix of bytes and a vector of bytes, with the instructions of newer processors for it (AVX-512 VNNI).
// Tesseract 5.3.0 uses AVX2, which needs four instructions instead of one. The sums are integers, so the results are the same.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <immintrin.h>
#include <string.h>

#include "layers.h"

#pragma GCC optimize("O3", "fp-contract=off")
#define VNNI __attribute__((target("avx512f,avx512bw,avx512vl,avx512vnni")))

typedef void product(int height, int width, const int8_t *weights, const float *scales, const int8_t *input, float *output);

// tesseract::IntSimdMatrix: a product, and the layout of the weights that it expects.
struct products {
  product *multiply;
  int32_t outputs_of_register, max_registers, inputs_of_register, inputs_of_group;
};

enum { GROUP = 4, LANES = 16, MAX_OUTPUTS = 64 }; // adjacent inputs; outputs of a register; outputs of the largest block

// block computes the outputs of one block, 16 in each register. Weights are ordered by group of inputs, output and input, and
// are followed by the constants, in units of 127. One operand of the instruction has unsigned bytes, so 128 is added to the
// weights, and 128 times the sum of the inputs is subtracted from the result.
VNNI static inline __attribute__((always_inline)) const int8_t *block(int registers, int width, const int8_t *weights, const float *scales,
                                                                     const int8_t *input, int32_t excess, float *output) {
  const __m512i sign = _mm512_set1_epi8(INT8_MIN);
  __m512i sums[MAX_OUTPUTS / LANES];

  for (int r = 0; r < registers; r++) sums[r] = _mm512_set1_epi32(-excess);
  for (int i = 0; i < width; i += GROUP) {
    int32_t four;
    memcpy(&four, input + i, sizeof four);
    __m512i inputs = _mm512_set1_epi32(four);
    for (int r = 0; r < registers; r++, weights += GROUP * LANES)
      sums[r] = _mm512_dpbusd_epi32(sums[r], _mm512_xor_si512(_mm512_loadu_si512(weights), sign), inputs);
  }
  for (int r = 0; r < registers; r++, weights += LANES) {
    __m512i constants = _mm512_cvtepi8_epi32(_mm_loadu_si128((const __m128i *)weights));
    sums[r] = _mm512_add_epi32(sums[r], _mm512_mullo_epi32(constants, _mm512_set1_epi32(INT8_MAX)));
    _mm512_storeu_ps(output + r * LANES, _mm512_mul_ps(_mm512_cvtepi32_ps(sums[r]), _mm512_loadu_ps(scales + r * LANES)));
  }
  return weights;
}

// half_block is block for the last eight outputs.
VNNI static void half_block(int width, const int8_t *weights, const float *scales, const int8_t *input, int32_t excess, float *output) {
  const __m256i sign = _mm256_set1_epi8(INT8_MIN);
  __m256i sum = _mm256_set1_epi32(-excess);

  for (int i = 0; i < width; i += GROUP, weights += GROUP * LANES / 2) {
    int32_t four;
    memcpy(&four, input + i, sizeof four);
    sum = _mm256_dpbusd_epi32(sum, _mm256_xor_si256(_mm256_loadu_si256((const __m256i *)weights), sign), _mm256_set1_epi32(four));
  }
  __m256i constants = _mm256_cvtepi8_epi32(_mm_loadl_epi64((const __m128i *)weights));
  sum = _mm256_add_epi32(sum, _mm256_mullo_epi32(constants, _mm256_set1_epi32(INT8_MAX)));
  _mm256_storeu_ps(output, _mm256_mul_ps(_mm256_cvtepi32_ps(sum), _mm256_loadu_ps(scales)));
}

VNNI static void multiply(int height, int width, const int8_t *weights, const float *scales, const int8_t *input, float *output) {
  width = (width - 1 + GROUP - 1) / GROUP * GROUP; // the last column is the constants
  int32_t excess = 0;
  for (int i = 0; i < width; i++) excess += input[i];
  excess *= -INT8_MIN;

  int left = (height + 7) / 8 * 8;
  for (; left >= MAX_OUTPUTS; left -= MAX_OUTPUTS, scales += MAX_OUTPUTS, output += MAX_OUTPUTS) weights = block(4, width, weights, scales, input, excess, output);
  if (left >= 32) {
    weights = block(2, width, weights, scales, input, excess, output);
    left -= 32, scales += 32, output += 32;
  }
  if (left >= 16) {
    weights = block(1, width, weights, scales, input, excess, output);
    left -= 16, scales += 16, output += 16;
  }
  if (left > 0) half_block(width, weights, scales, input, excess, output);
}

static const struct products *theirs;
static const struct products **used; // tesseract::IntSimdMatrix::intSimdMatrix
static struct products ours;

// does_the_same compares the two products of synthetic matrices, with the largest numbers among them.
static bool does_the_same(void) {
  enum { HEIGHT_MOST = 128, WIDTH_MOST = 68 };
  static int8_t weights[HEIGHT_MOST * (WIDTH_MOST + 1)], input[WIDTH_MOST + 32];
  float scales[HEIGHT_MOST], a[HEIGHT_MOST], b[HEIGHT_MOST];
  uint32_t random = 1;

  for (size_t i = 0; i < sizeof weights; i++) weights[i] = (int8_t)((int)((random = random * 1664525 + 1013904223) >> 24) % 255 - 127);
  for (size_t i = 0; i < sizeof input; i++) input[i] = (int8_t)((int)((random = random * 1664525 + 1013904223) >> 24) % 255 - 127);
  for (int i = 0; i < HEIGHT_MOST; i++) scales[i] = (float)(i + 1) / 4096;
  for (int height = 1; height <= HEIGHT_MOST; height += 7)
    for (int width = 2; width <= WIDTH_MOST; width += 11) {
      memset(a, 0, sizeof a);
      memset(b, 0, sizeof b);
      multiply(height, width, weights, scales, input, a);
      theirs->multiply(height, width, weights, scales, input, b);
      if (memcmp(a, b, sizeof *a * (size_t)height) != 0) return false;
    }
  return true;
}

void uncial_products_use(bool use) {
  static bool is_prepared, is_better;
  if (!is_prepared) {
    is_prepared = true;
    used = (const struct products **)dlsym(RTLD_NEXT, "_ZN9tesseract13IntSimdMatrix13intSimdMatrixE");
    theirs = (const struct products *)dlsym(RTLD_NEXT, "_ZN9tesseract13IntSimdMatrix17intSimdMatrixAVX2E");
    is_better = used != NULL && theirs != NULL && *used == theirs && theirs->outputs_of_register == 8 && theirs->max_registers == 8 &&
                theirs->inputs_of_register == 32 && theirs->inputs_of_group == GROUP && __builtin_cpu_supports("avx512vnni") &&
                __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl") && does_the_same();
    if (is_better) {
      ours = *theirs;
      ours.multiply = multiply;
    }
  }
  if (is_better) *used = use ? &ours : theirs;
}

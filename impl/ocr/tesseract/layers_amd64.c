// Three parts of Tesseract's network: the convolution, the LSTM, and the hyperbolic tangent after a product. Their results are
// bit for bit those of Tesseract, but they compute several numbers at a time, and do not start threads for each column of
// pixels. network.c decides when they are used.
#define _GNU_SOURCE
#include "layers.h"
#include "network.h"

#include <dlfcn.h>
#include <emmintrin.h>
#include <string.h>

#pragma GCC optimize("O3", "fp-contract=off") // a multiplication joined with an addition would round differently

#define NAME(class, name) "_ZN9tesseract" class name
#define FORWARD "7ForwardEbRKNS_9NetworkIOEPKNS_15TransposedArrayEPNS_14NetworkScratchEPS1_"
#define CONVOLVE NAME("8Convolve", FORWARD)
#define LSTM NAME("4LSTM", FORWARD)
#define ACTIVATE NAME("14FullyConnected", "15ForwardTimeStepEiPf")

enum { TRAINING = 1, LSTM_SUMMARY = 15, TANH = 19 }; // of tesseract::TrainingState and tesseract::NetworkType

// The maximum number of outputs of an LSTM; those of Debian's models have 512 or fewer.
enum { MAX_SIZE = 1024 };

// tesseract::Network.
struct network {
  void *functions;
  int32_t type, training;
  bool needs_to_backprop;
  int32_t flags, inputs, outputs, weights;
  char name[32]; // std::string
  void *windows[2], *random;
};

// tesseract::Convolve.
struct convolve {
  struct network network;
  int32_t half_width, half_height;
};

// tesseract::WeightMatrix.
struct weights {
  uint64_t opaque[0xf8 / sizeof(uint64_t)];
};

// tesseract::LSTM. It has products for the cell's input, and for the input, forget and output gates; only a two-dimensional
// LSTM uses the fifth.
enum { CELL, INPUT, FORGET, OUTPUT, GATES, ALL_GATES = 5 };
struct lstm {
  struct network network;
  int32_t all_inputs, size, softmax_size;
  bool is_2d;
  struct weights gates[ALL_GATES];
  void *softmax;
  struct values source; // the input, and the output of the previous step, padded
};

_Static_assert(offsetof(struct convolve, half_width) == 0x60, "as in Tesseract 5.3.0");
_Static_assert(offsetof(struct lstm, gates) == 0x70 && offsetof(struct lstm, source) == 0x550, "as in Tesseract 5.3.0");

void uncial_convolve(struct convolve *l, bool debug, const struct values *in, const void *transposed, void *scratch, struct values *out)
    __asm__(CONVOLVE);
void uncial_lstm(struct lstm *l, bool debug, const struct values *in, const void *transposed, void *scratch, struct values *out)
    __asm__(LSTM);
void uncial_activate(struct network *l, int t, float *v) __asm__(ACTIVATE);

// Tesseract's own implementation.
static void (*their_convolve)(struct convolve *, bool, const struct values *, const void *, void *, struct values *);
static void (*their_lstm)(struct lstm *, bool, const struct values *, const void *, void *, struct values *);
static void (*their_activate)(struct network *, int, float *);
static void (*resize)(struct values *, bool, const struct map *, int);
static void (*resize_to_one_column)(struct values *, const struct values *, int);
static void (*resize_lstm)(struct lstm *, const struct values *);
static void (*randomize)(struct values *, int, int, int, void *);
static void (*multiply)(const struct weights *, const int8_t *, float *);
static const float *tanh_table, *logistic_table;
static char *convolve_functions, *lstm_functions;

bool uncial_layers_find(void) {
#define FIND(what, name) (((what) = (__typeof__(what))dlsym(RTLD_NEXT, name)) != NULL)
  // Look up all of them, even if one is missing: Tesseract's own functions must be found in every version.
  return FIND(their_convolve, CONVOLVE) & FIND(their_lstm, LSTM) & FIND(their_activate, ACTIVATE) &
         FIND(resize, "_ZN9tesseract9NetworkIO11ResizeToMapEbRKNS_9StrideMapEi") &
         FIND(resize_to_one_column, "_ZN9tesseract9NetworkIO10ResizeXTo1ERKS0_i") &
         FIND(resize_lstm, "_ZN9tesseract4LSTM13ResizeForwardERKNS_9NetworkIOE") &
         FIND(randomize, "_ZN9tesseract9NetworkIO9RandomizeEiiiPNS_5TRandE") &
         FIND(multiply, "_ZNK9tesseract12WeightMatrix15MatrixDotVectorEPKaPf") & FIND(tanh_table, "_ZN9tesseract9TanhTableE") &
         FIND(logistic_table, "_ZN9tesseract13LogisticTableE") & FIND(convolve_functions, "_ZTVN9tesseract8ConvolveE") &
         FIND(lstm_functions, "_ZTVN9tesseract4LSTME");
}

// has_functions reports whether an object has the class to which a vtable belongs. The functions follow two other entries.
static inline bool has_functions(const struct network *l, const char *table) { return l->functions == table + 2 * sizeof(void *); }

// interpolated looks up four numbers in Tesseract's table of a function, which has 256 values for each unit up to 16. For
// negative numbers, the function mirrors that of positive numbers at 0 (is_odd: tanh) or at 1/2 (logistic). Separate loads of
// two neighbours are faster here than gather instructions.
static inline __attribute__((always_inline)) __m128 interpolated(__m128 x, const float *table, bool is_odd) {
  enum { PER_UNIT = 256, LAST = 4095 };
  const __m128 zero = _mm_setzero_ps(), one = _mm_set1_ps(1), minus = _mm_set1_ps(-0.0F);

  __m128 at = _mm_mul_ps(_mm_andnot_ps(minus, x), _mm_set1_ps(PER_UNIT));
  __m128i index = _mm_cvttps_epi32(at); // negative if it is too large
  __m128i is_inside = _mm_andnot_si128(_mm_srai_epi32(index, 31), _mm_cmplt_epi32(index, _mm_set1_epi32(LAST)));
  index = _mm_and_si128(index, is_inside);
  uint64_t low = (uint64_t)_mm_cvtsi128_si64(index), high = (uint64_t)_mm_cvtsi128_si64(_mm_unpackhi_epi64(index, index));
  __m128 ab = _mm_loadh_pi(_mm_loadl_pi(zero, (const __m64 *)&table[(uint32_t)low]), (const __m64 *)&table[low >> 32]);
  __m128 cd = _mm_loadh_pi(_mm_loadl_pi(zero, (const __m64 *)&table[(uint32_t)high]), (const __m64 *)&table[high >> 32]);
  __m128 before = _mm_shuffle_ps(ab, cd, _MM_SHUFFLE(2, 0, 2, 0)), after = _mm_shuffle_ps(ab, cd, _MM_SHUFFLE(3, 1, 3, 1));

  __m128 y = _mm_add_ps(before, _mm_mul_ps(_mm_sub_ps(after, before), _mm_sub_ps(at, _mm_cvtepi32_ps(index))));
  __m128 inside = _mm_castsi128_ps(is_inside), is_negative = _mm_cmplt_ps(x, zero);
  y = _mm_or_ps(_mm_and_ps(inside, y), _mm_andnot_ps(inside, one));
  __m128 mirrored = is_odd ? _mm_xor_ps(y, minus) : _mm_sub_ps(one, y);
  return _mm_or_ps(_mm_and_ps(is_negative, mirrored), _mm_andnot_ps(is_negative, y));
}

// The next three functions process four numbers at a time, so the lengths of their arrays are multiples of four.
enum { LANES = 4 };

static void tanh_of(int n, float *v) {
  for (int i = 0; i < n; i += LANES) _mm_storeu_ps(v + i, interpolated(_mm_loadu_ps(v + i), tanh_table, true));
}

static void logistic_of(int n, float *v) {
  for (int i = 0; i < n; i += LANES) _mm_storeu_ps(v + i, interpolated(_mm_loadu_ps(v + i), logistic_table, false));
}

// update computes the state from the gates and the previous state, and the output from the state.
static void update(int n, float gates[GATES][MAX_SIZE], float *restrict state, float *restrict output) {
  const __m128 limit = _mm_set1_ps(100), lowest = _mm_set1_ps(-100);

  for (int i = 0; i < n; i += LANES) {
    __m128 kept = _mm_mul_ps(_mm_loadu_ps(state + i), _mm_loadu_ps(gates[FORGET] + i));
    __m128 s = _mm_add_ps(kept, _mm_mul_ps(_mm_loadu_ps(gates[CELL] + i), _mm_loadu_ps(gates[INPUT] + i)));
    s = _mm_min_ps(_mm_max_ps(s, lowest), limit);
    _mm_storeu_ps(state + i, s);
    _mm_storeu_ps(output + i, _mm_mul_ps(interpolated(s, tanh_table, true), _mm_loadu_ps(gates[OUTPUT] + i)));
  }
}

void uncial_activate(struct network *l, int t, float *v) {
  if (uncial_network_known && l->type == TANH && l->outputs % LANES == 0)
    tanh_of(l->outputs, v);
  else
    their_activate(l, t, v);
}

static int64_t computed;  // calls of uncial_lstm that were not left to Tesseract

int64_t uncial_layers_computed(void) { return __atomic_load_n(&computed, __ATOMIC_RELAXED); }

void uncial_lstm(struct lstm *l, bool debug, const struct values *in, const void *transposed, void *scratch, struct values *out) {
  const struct network *n = &l->network;
  if (!uncial_network_known || !has_functions(n, lstm_functions) || n->training == TRAINING || l->is_2d || l->softmax != NULL ||
      !in->is_bytes || in->i.width != n->inputs || l->size > MAX_SIZE || l->size % LANES != 0 || l->size != n->outputs ||
      l->all_inputs != n->inputs + l->size) {
    their_lstm(l, debug, in, transposed, scratch, out);
    return;
  }
  __atomic_fetch_add(&computed, 1, __ATOMIC_RELAXED);
  if (n->type == LSTM_SUMMARY)
    resize_to_one_column(out, in, n->outputs);
  else
    resize(out, true, &in->map, n->outputs);
  resize_lstm(l, in);

  float gates[GATES][MAX_SIZE], state[MAX_SIZE] = {0}, output[MAX_SIZE] = {0};
  struct map_index from = {.map = &in->map}, to = {.map = &out->map};
  do {
    int8_t *source = bytes_at(&l->source, from.t);
    memcpy(source, bytes_at(in, from.t), (size_t)n->inputs);
    write_part(&l->source, from.t, n->inputs, l->size, output);
    for (int gate = 0; gate < GATES; gate++) multiply(&l->gates[gate], source, gates[gate]);
    tanh_of(l->size, gates[CELL]);
    for (int gate = INPUT; gate < GATES; gate++) logistic_of(l->size, gates[gate]);
    update(l->size, gates, state, output);
    bool is_last = from.at[WIDTH] == last(&from, WIDTH);
    if (n->type != LSTM_SUMMARY) {
      write_part(out, from.t, 0, l->size, output);
    } else if (is_last) {
      write_part(out, to.t, 0, l->size, output);
      increment(&to);
    }
    if (is_last) {
      memset(state, 0, sizeof *state * (size_t)l->size);
      memset(output, 0, sizeof *output * (size_t)l->size);
    }
  } while (increment(&from));
}

void uncial_convolve(struct convolve *l, bool debug, const struct values *in, const void *transposed, void *scratch, struct values *out) {
  struct network *n = &l->network;
  int high = 2 * l->half_height + 1;
  if (!uncial_network_known || !has_functions(n, convolve_functions) || !in->is_bytes || in->i.width != n->inputs ||
      n->outputs != n->inputs * high * (2 * l->half_width + 1)) {
    their_convolve(l, debug, in, transposed, scratch, out);
    return;
  }
  resize(out, true, &in->map, n->outputs);
  size_t size = (size_t)n->inputs;
  struct map_index to = {.map = &out->map};
  do {
    int offset = 0; // in the output
    for (int x = -l->half_width; x <= l->half_width; x++) {
      struct map_index column = to;
      if (!add_offset(&column, x, WIDTH)) { // outside the image, there is noise
        randomize(out, to.t, offset, high * n->inputs, n->random);
        offset += high * n->inputs;
        continue;
      }
      int top = column.at[HEIGHT] - l->half_height, bottom = last(&column, HEIGHT);
      for (int y = top; y < top + high; y++, offset += n->inputs) {
        if (y < 0 || y > bottom) {
          randomize(out, to.t, offset, n->inputs, n->random);
          continue;
        }
        int8_t *value = bytes_at(out, to.t) + offset;
        const int8_t *source = bytes_at(in, column.t + (y - column.at[HEIGHT]) * in->map.increments[HEIGHT]);
        if (size == 1)
          *value = *source; // most calls: one grey level
        else
          memcpy(value, source, size);
      }
    }
  } while (increment(&to));
}

// Three parts of Tesseract's network: the convolution, the LSTM, and the hyperbolic tangent after a product. They compute the same as
// Tesseract's, bit for bit, but several numbers at a time, and without starting threads for each column of pixels. See network.c for when
// they serve.
#define _GNU_SOURCE
#include "layers.h"

#include <dlfcn.h>
#include <string.h>

#pragma GCC optimize("O3", "fp-contract=off") // a multiplication joined with an addition would round differently

#define NAME(class, name) "_ZN9tesseract" class name
#define FORWARD "7ForwardEbRKNS_9NetworkIOEPKNS_15TransposedArrayEPNS_14NetworkScratchEPS1_"
#define CONVOLVE NAME("8Convolve", FORWARD)
#define LSTM NAME("4LSTM", FORWARD)
#define ACTIVATE NAME("14FullyConnected", "15ForwardTimeStepEiPf")

enum { TRAINING = 1, LSTM_SUMMARY = 15, TANH = 19 }; // of tesseract::TrainingState and tesseract::NetworkType

// The most outputs of an LSTM; those of Debian's models have 512 or fewer.
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

// tesseract::LSTM. Its products are those of the cell's input, and of the gates for input, forgetting and output; a fifth serves only
// an LSTM in two dimensions.
enum { CELL, INPUT, FORGET, OUTPUT, GATES, ALL_GATES = 5 };
struct lstm {
  struct network network;
  int32_t all_inputs, size, softmax_size;
  bool is_2d;
  struct weights gates[ALL_GATES];
  void *softmax;
  struct values source; // the input and the output of the step before, padded
};

_Static_assert(offsetof(struct convolve, half_width) == 0x60, "as in Tesseract 5.3.0");
_Static_assert(offsetof(struct lstm, gates) == 0x70 && offsetof(struct lstm, source) == 0x550, "as in Tesseract 5.3.0");

void uncial_convolve(struct convolve *l, bool debug, const struct values *in, const void *transposed, void *scratch, struct values *out)
    __asm__(CONVOLVE);
void uncial_lstm(struct lstm *l, bool debug, const struct values *in, const void *transposed, void *scratch, struct values *out)
    __asm__(LSTM);
void uncial_activate(struct network *l, int t, float *v) __asm__(ACTIVATE);

// Tesseract's own.
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
#define FIND(what, name) ((what) = (__typeof__(what))dlsym(RTLD_NEXT, name))
  return FIND(their_convolve, CONVOLVE) && FIND(their_lstm, LSTM) && FIND(their_activate, ACTIVATE) &&
         FIND(resize, "_ZN9tesseract9NetworkIO11ResizeToMapEbRKNS_9StrideMapEi") &&
         FIND(resize_to_one_column, "_ZN9tesseract9NetworkIO10ResizeXTo1ERKS0_i") &&
         FIND(resize_lstm, "_ZN9tesseract4LSTM13ResizeForwardERKNS_9NetworkIOE") &&
         FIND(randomize, "_ZN9tesseract9NetworkIO9RandomizeEiiiPNS_5TRandE") &&
         FIND(multiply, "_ZNK9tesseract12WeightMatrix15MatrixDotVectorEPKaPf") && FIND(tanh_table, "_ZN9tesseract9TanhTableE") &&
         FIND(logistic_table, "_ZN9tesseract13LogisticTableE") && FIND(convolve_functions, "_ZTVN9tesseract8ConvolveE") &&
         FIND(lstm_functions, "_ZTVN9tesseract4LSTME");
}

// has_functions says whether an object is of the class that a table of virtual functions belongs to. Two other entries come first.
static inline bool has_functions(const struct network *l, const char *table) { return l->functions == table + 2 * sizeof(void *); }

// interpolated looks a function up in Tesseract's table of it, which has 256 values for each unit up to 16. For negative numbers the
// function is that of positive ones mirrored at 0 (is_odd: tanh) or at 1/2 (logistic).
static inline __attribute__((always_inline)) float interpolated(float x, const float *table, bool is_odd) {
  enum { PER_UNIT = 256, LAST = 4095 };
  float at = (x < 0 ? -x : x) * PER_UNIT;
  int index = (int)at;
  bool is_inside = (unsigned)index < LAST;
  int i = is_inside ? index : 0;
  float y = table[i] + (table[i + 1] - table[i]) * (at - (float)i);
  y = is_inside ? y : 1;
  float mirrored = is_odd ? -y : 1 - y;
  return x < 0 ? mirrored : y;
}

// The compiler makes these for several processors, and computes as many numbers at a time as each of them can.
#define FOR_PROCESSORS __attribute__((target_clones("avx512f", "avx2", "default")))

FOR_PROCESSORS static void tanh_of(int n, float *v) {
  for (int i = 0; i < n; i++) v[i] = interpolated(v[i], tanh_table, true);
}

FOR_PROCESSORS static void logistic_of(int n, float *v) {
  for (int i = 0; i < n; i++) v[i] = interpolated(v[i], logistic_table, false);
}

// update computes the state from the gates and the state before, and the output from the state.
FOR_PROCESSORS static void update(int n, float gates[GATES][MAX_SIZE], float *restrict state, float *restrict output) {
  const float limit = 100;
  const float *restrict cell = gates[CELL], *restrict in = gates[INPUT], *restrict forget = gates[FORGET], *restrict out = gates[OUTPUT];

  for (int i = 0; i < n; i++) {
    float s = state[i] * forget[i];
    s = s + cell[i] * in[i];
    s = s < -limit ? -limit : s;
    s = s > limit ? limit : s;
    state[i] = s;
    output[i] = interpolated(s, tanh_table, true) * out[i];
  }
}

void uncial_activate(struct network *l, int t, float *v) {
  if (uncial_network_known && l->type == TANH)
    tanh_of(l->outputs, v);
  else
    their_activate(l, t, v);
}

void uncial_lstm(struct lstm *l, bool debug, const struct values *in, const void *transposed, void *scratch, struct values *out) {
  const struct network *n = &l->network;
  if (!uncial_network_known || !has_functions(n, lstm_functions) || n->training == TRAINING || l->is_2d || l->softmax != NULL ||
      !in->is_bytes || in->i.width != n->inputs || l->size > MAX_SIZE || l->size != n->outputs || l->all_inputs != n->inputs + l->size) {
    their_lstm(l, debug, in, transposed, scratch, out);
    return;
  }
  if (n->type == LSTM_SUMMARY)
    resize_to_one_column(out, in, n->outputs);
  else
    resize(out, true, &in->map, n->outputs);
  resize_lstm(l, in);

  float gates[GATES][MAX_SIZE], state[MAX_SIZE] = {0}, output[MAX_SIZE] = {0};
  struct place from = {.map = &in->map}, to = {.map = &out->map};
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
  struct place to = {.map = &out->map};
  do {
    int offset = 0; // in the output
    for (int x = -l->half_width; x <= l->half_width; x++) {
      struct place column = to;
      if (!add_offset(&column, x, WIDTH)) { // noise stands for what lies outside the image
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

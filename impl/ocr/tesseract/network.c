// Five small functions of Tesseract's network take a fifth of the time of a page, because they are called for each pixel and check
// more than they must. As in lineimage.c, a program's own definitions take precedence over a library's. These compute the same, so
// no text changes, in a quarter of the time. Their names are those that the C++ compiler gives them.
//
// They rely on the layout of classes of Tesseract that are not public. Therefore they serve only the version whose layout was
// compared, and only if three of Tesseract's own functions do the same with objects of this layout. Otherwise they call Tesseract's.
#define _GNU_SOURCE
#include "network.h"

#include <dlfcn.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <tesseract/capi.h>

enum { BATCH, HEIGHT, WIDTH, DIMENSIONS };

// The begin, end and capacity of a std::vector<int>.
struct vector {
  int32_t *begin, *end, *capacity;
};

// tesseract::StrideMap: how the pixels of a batch of images lie in an array.
struct map {
  int32_t shape[DIMENSIONS], increments[DIMENSIONS];
  struct vector heights, widths; // of the single images, which may be smaller than the batch
};

// tesseract::StrideMap::Index: a place in it.
struct place {
  const struct map *map;
  int32_t t, at[DIMENSIONS];
};

// tesseract::GENERIC_2D_ARRAY<float> and <int8_t>.
struct floats {
  void *functions;
  float *rows;
  float empty;
  int32_t height, width, allocated;
};
struct bytes {
  void *functions;
  int8_t *rows;
  int8_t empty;
  int32_t height, width, allocated;
};

// tesseract::NetworkIO: the values of a layer, as float or in units of 1/127.
struct layer {
  struct floats f;
  struct bytes i;
  bool is_bytes;
  struct map map;
};

#define ADD_OFFSET "_ZN9tesseract9StrideMap5Index9AddOffsetEiNS_14FlexDimensionsE"
#define INCREMENT "_ZN9tesseract9StrideMap5Index9IncrementEv"
#define WRITE_PART "_ZN9tesseract9NetworkIO17WriteTimeStepPartEiiiPKf"
#define COPY "_ZN9tesseract9NetworkIO19CopyTimeStepGeneralEiiiRKS0_ii"
#define MAXIMUM "_ZN9tesseract9NetworkIO15MaxpoolTimeStepEiRKS0_iPi"

bool uncial_add_offset(struct place *p, int offset, int dimension) __asm__(ADD_OFFSET);
bool uncial_increment(struct place *p) __asm__(INCREMENT);
void uncial_write_part(struct layer *l, int t, int offset, int n, const float *input) __asm__(WRITE_PART);
void uncial_copy(struct layer *l, int t, int offset, int n, const struct layer *from, int from_t, int from_offset) __asm__(COPY);
void uncial_maximum(struct layer *l, int t, const struct layer *from, int from_t, int *which) __asm__(MAXIMUM);

// Tesseract's own.
static bool (*their_add_offset)(struct place *, int, int);
static bool (*their_increment)(struct place *);
static void (*their_write_part)(struct layer *, int, int, int, const float *);
static void (*their_copy)(struct layer *, int, int, int, const struct layer *, int, int);
static void (*their_maximum)(struct layer *, int, const struct layer *, int, int *);
static bool known; // whether this version has the layout above

bool uncial_network_use(bool use) {
  bool before = known;
  known = use;
  return before;
}

// last returns the largest index of a dimension in the image that a place is in.
static inline int last(const struct place *p, int dimension) {
  const struct map *m = p->map;
  const struct vector *sizes = dimension == HEIGHT ? &m->heights : &m->widths;
  size_t batch = (size_t)p->at[BATCH];
  int most = m->shape[dimension];

  if (dimension != BATCH && batch < (size_t)(sizes->end - sizes->begin) && sizes->begin[batch] < most) most = sizes->begin[batch];
  return most - 1;
}

static inline bool add_offset(struct place *p, int offset, int dimension) {
  const int32_t *by = p->map->increments;

  p->at[dimension] += offset;
  p->t = by[BATCH] * p->at[BATCH] + by[HEIGHT] * p->at[HEIGHT] + by[WIDTH] * p->at[WIDTH];
  return p->at[BATCH] >= 0 && p->at[HEIGHT] >= 0 && p->at[WIDTH] >= 0 && p->at[BATCH] <= last(p, BATCH) &&
         p->at[HEIGHT] <= last(p, HEIGHT) && p->at[WIDTH] <= last(p, WIDTH);
}

static inline bool increment(struct place *p) {
  for (int d = WIDTH; d >= BATCH; d--) {
    if (p->at[d] != last(p, d)) {
      p->t += p->map->increments[d];
      p->at[d]++;
      return true;
    }
    p->t -= p->map->increments[d] * p->at[d];
    p->at[d] = 0;
  }
  return false;
}

// write_part rounds to the nearest unit, halves away from zero.
static inline void write_part(struct layer *l, int t, int offset, int n, const float *restrict input) {
  if (!l->is_bytes) {
    if (n > 0) memcpy(l->f.rows + (ptrdiff_t)(t * l->f.width) + offset, input, (size_t)n * sizeof *input);
    return;
  }
  int8_t *restrict row = l->i.rows + (ptrdiff_t)(t * l->i.width) + offset;
  for (int i = 0; i < n; i++) {
    float x = input[i] * INT8_MAX;
    int rounded = (int)(x + (x >= 0 ? 0.5F : -0.5F));
    rounded = rounded > INT8_MAX ? INT8_MAX : rounded;
    row[i] = (int8_t)(rounded < -INT8_MAX ? -INT8_MAX : rounded);
  }
}

static inline void copy(struct layer *l, int t, int offset, int n, const struct layer *from, int from_t, int from_offset) {
  int8_t *to = l->i.rows + (ptrdiff_t)(t * l->i.width) + offset;
  const int8_t *source = from->i.rows + (ptrdiff_t)(from_t * from->i.width) + from_offset;

  if (n == 1)
    *to = *source; // most calls: one grey level
  else
    memcpy(to, source, (size_t)n);
}

static inline void maximum(struct layer *l, int t, const struct layer *from, int from_t, int *restrict which) {
  int8_t *restrict to = l->i.rows + (ptrdiff_t)(t * l->i.width);
  const int8_t *restrict source = from->i.rows + (ptrdiff_t)(from_t * from->i.width);

  for (int i = 0; i < l->i.width; i++) {
    bool larger = to[i] < source[i];
    to[i] = larger ? source[i] : to[i];
    which[i] = larger ? from_t : which[i];
  }
}

bool uncial_add_offset(struct place *p, int offset, int dimension) {
  return known ? add_offset(p, offset, dimension) : their_add_offset(p, offset, dimension);
}

bool uncial_increment(struct place *p) { return known ? increment(p) : their_increment(p); }

void uncial_write_part(struct layer *l, int t, int offset, int n, const float *input) {
  if (known)
    write_part(l, t, offset, n, input);
  else
    their_write_part(l, t, offset, n, input);
}

void uncial_copy(struct layer *l, int t, int offset, int n, const struct layer *from, int from_t, int from_offset) {
  if (known && l->is_bytes && from->is_bytes && n > 0)
    copy(l, t, offset, n, from, from_t, from_offset);
  else
    their_copy(l, t, offset, n, from, from_t, from_offset);
}

void uncial_maximum(struct layer *l, int t, const struct layer *from, int from_t, int *which) {
  if (known && l->is_bytes && from->is_bytes)
    maximum(l, t, from, from_t, which);
  else
    their_maximum(l, t, from, from_t, which);
}

// does_the_same compares Tesseract's functions with these on made-up objects: a batch of one image that is smaller than the batch, and
// numbers that are rounded up, down and beyond the limits. Not compared are copy and maximum, which need the same layout: Tesseract's
// call virtual functions, which made-up objects do not have.
static bool does_the_same(void) {
  int32_t height = 3, width = 5;
  struct map m = {{1, 4, 6}, {24, 6, 1}, {&height, &height + 1, &height + 1}, {&width, &width + 1, &width + 1}};
  struct place ours = {.map = &m}, theirs = ours;
  do {
    for (int dimension = BATCH; dimension <= WIDTH; dimension++)
      for (int by = -2; by <= 2; by++) {
        struct place a = ours, b = theirs;
        if (add_offset(&a, by, dimension) != their_add_offset(&b, by, dimension) || memcmp(&a, &b, sizeof a) != 0) return false;
      }
    if (increment(&ours) != their_increment(&theirs) || memcmp(&ours, &theirs, sizeof ours) != 0) return false;
  } while (ours.t != 0);

  enum { N = 64 };
  float numbers[N], float_rows[2][2 * N] = {{0}};
  int8_t byte_rows[2][2 * N] = {{0}};
  for (int i = 0; i < N; i++) numbers[i] = (float)(i - N / 2) * 9.0F / (2 * INT8_MAX);
  for (int is_bytes = 0; is_bytes < 2; is_bytes++)
    for (int who = 0; who < 2; who++) {
      struct layer l = {.f = {.rows = float_rows[who], .height = 2, .width = N, .allocated = 2 * N},
                        .i = {.rows = byte_rows[who], .height = 2, .width = N, .allocated = 2 * N},
                        .is_bytes = is_bytes != 0};
      (who == 0 ? write_part : their_write_part)(&l, 1, 3, N - 3, numbers);
    }
  return memcmp(float_rows[0], float_rows[1], sizeof float_rows[0]) == 0 && memcmp(byte_rows[0], byte_rows[1], sizeof byte_rows[0]) == 0;
}

// mangled finds a function of Tesseract by the name that the C++ compiler gives it.
static void *mangled(const char *name) { return dlsym(RTLD_NEXT, name); }

__attribute__((constructor)) static void prepare(void) {
  their_add_offset = (bool (*)(struct place *, int, int))mangled(ADD_OFFSET);
  their_increment = (bool (*)(struct place *))mangled(INCREMENT);
  their_write_part = (void (*)(struct layer *, int, int, int, const float *))mangled(WRITE_PART);
  their_copy = (void (*)(struct layer *, int, int, int, const struct layer *, int, int))mangled(COPY);
  their_maximum = (void (*)(struct layer *, int, const struct layer *, int, int *))mangled(MAXIMUM);
  bool is_compared = strcmp(TessVersion(), "5.3.0") == 0;
  known = is_compared && their_add_offset != NULL && their_increment != NULL && their_write_part != NULL && their_copy != NULL &&
          their_maximum != NULL && does_the_same();
}

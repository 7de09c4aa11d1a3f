// Five small functions of Tesseract's network, which are called for each pixel and check more than necessary. As in
// lineimage.c, a program's own definitions take precedence over a library's. These give the same results, so no text changes,
// in a quarter of the time. Their names are those that the C++ compiler generates. On amd64, layers_amd64.c and
// products_amd64.c replace larger parts in the same way.
//
// They rely on the layout of classes of Tesseract that are not public. They are used only with the version whose layout was
// checked, and only if three of Tesseract's own functions give the same results on objects of this layout. Otherwise they call
// Tesseract's functions.
#define _GNU_SOURCE
#include "network.h"

#include <dlfcn.h>
#include <string.h>
#include <tesseract/capi.h>

#include "layers.h"

#define ADD_OFFSET "_ZN9tesseract9StrideMap5Index9AddOffsetEiNS_14FlexDimensionsE"
#define INCREMENT "_ZN9tesseract9StrideMap5Index9IncrementEv"
#define WRITE_PART "_ZN9tesseract9NetworkIO17WriteTimeStepPartEiiiPKf"
#define COPY "_ZN9tesseract9NetworkIO19CopyTimeStepGeneralEiiiRKS0_ii"
#define MAX_POOL "_ZN9tesseract9NetworkIO15MaxpoolTimeStepEiRKS0_iPi"

bool uncial_add_offset(struct map_index *p, int offset, int dimension) __asm__(ADD_OFFSET);
bool uncial_increment(struct map_index *p) __asm__(INCREMENT);
void uncial_write_part(struct values *l, int t, int offset, int n, const float *input) __asm__(WRITE_PART);
void uncial_copy(struct values *l, int t, int offset, int n, const struct values *from, int from_t, int from_offset) __asm__(COPY);
void uncial_max_pool(struct values *l, int t, const struct values *from, int from_t, int *which) __asm__(MAX_POOL);

// Tesseract's own implementation.
static bool (*their_add_offset)(struct map_index *, int, int);
static bool (*their_increment)(struct map_index *);
static void (*their_write_part)(struct values *, int, int, int, const float *);
static void (*their_copy)(struct values *, int, int, int, const struct values *, int, int);
static void (*their_max_pool)(struct values *, int, const struct values *, int, int *);
bool uncial_network_known;

bool uncial_network_use(bool use) {
  bool before = uncial_network_known;
  uncial_network_known = use;
  uncial_products_use(use);
  return before;
}

static inline void copy(struct values *l, int t, int offset, int n, const struct values *from, int from_t, int from_offset) {
  int8_t *to = bytes_at(l, t) + offset;
  const int8_t *source = bytes_at(from, from_t) + from_offset;

  if (n == 1)
    *to = *source; // most calls: one grey level
  else
    memcpy(to, source, (size_t)n);
}

static inline void max_pool(struct values *l, int t, const struct values *from, int from_t, int *restrict which) {
  int8_t *restrict to = bytes_at(l, t);
  const int8_t *restrict source = bytes_at(from, from_t);

  for (int i = 0; i < l->i.width; i++) {
    bool larger = to[i] < source[i];
    to[i] = larger ? source[i] : to[i];
    which[i] = larger ? from_t : which[i];
  }
}

bool uncial_add_offset(struct map_index *p, int offset, int dimension) {
  return uncial_network_known ? add_offset(p, offset, dimension) : their_add_offset(p, offset, dimension);
}

bool uncial_increment(struct map_index *p) { return uncial_network_known ? increment(p) : their_increment(p); }

void uncial_write_part(struct values *l, int t, int offset, int n, const float *input) {
  if (uncial_network_known)
    write_part(l, t, offset, n, input);
  else
    their_write_part(l, t, offset, n, input);
}

void uncial_copy(struct values *l, int t, int offset, int n, const struct values *from, int from_t, int from_offset) {
  if (uncial_network_known && l->is_bytes && from->is_bytes && n > 0)
    copy(l, t, offset, n, from, from_t, from_offset);
  else
    their_copy(l, t, offset, n, from, from_t, from_offset);
}

void uncial_max_pool(struct values *l, int t, const struct values *from, int from_t, int *which) {
  if (uncial_network_known && l->is_bytes && from->is_bytes)
    max_pool(l, t, from, from_t, which);
  else
    their_max_pool(l, t, from, from_t, which);
}

// does_the_same compares Tesseract's functions with these on synthetic objects: a batch of one image that is smaller than the
// batch, and numbers that are rounded up, rounded down, and beyond the limits. It does not compare copy and max_pool, which
// rely on the same layout: Tesseract's versions call virtual functions, which synthetic objects do not have.
static bool does_the_same(void) {
  int32_t height = 3, width = 5;
  struct map m = {{1, 4, 6}, {24, 6, 1}, {&height, &height + 1, &height + 1}, {&width, &width + 1, &width + 1}};
  struct map_index ours = {.map = &m}, theirs = ours;
  do {
    for (int dimension = BATCH; dimension <= WIDTH; dimension++)
      for (int by = -2; by <= 2; by++) {
        struct map_index a = ours, b = theirs;
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
      struct values l = {.f = {.rows = float_rows[who], .height = 2, .width = N, .allocated = 2 * N},
                        .i = {.rows = byte_rows[who], .height = 2, .width = N, .allocated = 2 * N},
                        .is_bytes = is_bytes != 0};
      (who == 0 ? write_part : their_write_part)(&l, 1, 3, N - 3, numbers);
    }
  return memcmp(float_rows[0], float_rows[1], sizeof float_rows[0]) == 0 && memcmp(byte_rows[0], byte_rows[1], sizeof byte_rows[0]) == 0;
}

// mangled finds a function of Tesseract by the name that the C++ compiler gives it.
static void *mangled(const char *name) { return dlsym(RTLD_NEXT, name); }

__attribute__((constructor)) static void prepare(void) {
  their_add_offset = (bool (*)(struct map_index *, int, int))mangled(ADD_OFFSET);
  their_increment = (bool (*)(struct map_index *))mangled(INCREMENT);
  their_write_part = (void (*)(struct values *, int, int, int, const float *))mangled(WRITE_PART);
  their_copy = (void (*)(struct values *, int, int, int, const struct values *, int, int))mangled(COPY);
  their_max_pool = (void (*)(struct values *, int, const struct values *, int, int *))mangled(MAX_POOL);
  bool is_compared = strcmp(TessVersion(), "5.3.0") == 0;
  bool has_layers = uncial_layers_find(); // in any version, because our functions call Tesseract's if they must not be used
  uncial_network_use(is_compared && their_add_offset != NULL && their_increment != NULL && their_write_part != NULL && their_copy != NULL &&
                     their_max_pool != NULL && has_layers && does_the_same());
}

#pragma once

// The layout of the classes of Tesseract's network that network.c, layers_amd64.c and products_amd64.c use. See network.c.

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { BATCH, HEIGHT, WIDTH, DIMENSIONS };

// The begin, end and capacity of a std::vector<int>.
struct vector {
  int32_t *begin, *end, *capacity;
};

// tesseract::StrideMap: the layout of the pixels of a batch of images in an array.
struct map {
  int32_t shape[DIMENSIONS], increments[DIMENSIONS];
  struct vector heights, widths; // of the single images, which may be smaller than the batch
};

// tesseract::StrideMap::Index: one pixel of a map, t is its row in the array.
struct map_index {
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
struct values {
  struct floats f;
  struct bytes i;
  bool is_bytes;
  struct map map;
};

static inline int8_t *bytes_at(const struct values *v, int t) { return v->i.rows + (ptrdiff_t)t * v->i.width; }

// last returns the maximum index of a dimension in the image to which a pixel belongs.
static inline int last(const struct map_index *p, int dimension) {
  const struct map *m = p->map;
  const struct vector *sizes = dimension == HEIGHT ? &m->heights : &m->widths;
  size_t batch = (size_t)p->at[BATCH];
  int size = m->shape[dimension];

  if (dimension != BATCH && batch < (size_t)(sizes->end - sizes->begin) && sizes->begin[batch] < size) size = sizes->begin[batch];
  return size - 1;
}

static inline bool add_offset(struct map_index *p, int offset, int dimension) {
  const int32_t *by = p->map->increments;

  p->at[dimension] += offset;
  p->t = by[BATCH] * p->at[BATCH] + by[HEIGHT] * p->at[HEIGHT] + by[WIDTH] * p->at[WIDTH];
  return p->at[BATCH] >= 0 && p->at[HEIGHT] >= 0 && p->at[WIDTH] >= 0 && p->at[BATCH] <= last(p, BATCH) &&
         p->at[HEIGHT] <= last(p, HEIGHT) && p->at[WIDTH] <= last(p, WIDTH);
}

static inline bool increment(struct map_index *p) {
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
static inline void write_part(struct values *l, int t, int offset, int n, const float *restrict input) {
  if (!l->is_bytes) {
    float *row = l->f.rows + (ptrdiff_t)t * l->f.width + offset;
    for (int i = 0; i < n; i++) row[i] = input[i];
    return;
  }
  int8_t *restrict row = bytes_at(l, t) + offset;
  for (int i = 0; i < n; i++) {
    float x = input[i] * INT8_MAX;
    int rounded = (int)(x + (x >= 0 ? 0.5F : -0.5F));
    rounded = rounded > INT8_MAX ? INT8_MAX : rounded;
    row[i] = (int8_t)(rounded < -INT8_MAX ? -INT8_MAX : rounded);
  }
}

// uncial_network_known is true if this version of Tesseract has the layout above.
extern bool uncial_network_known;

// uncial_layers_find looks up the functions that layers_amd64.c replaces or calls, and returns whether all of them exist.
bool uncial_layers_find(void);

// uncial_products_use switches the products of products_amd64.c on (if the processor has the instructions) or off.
void uncial_products_use(bool use);

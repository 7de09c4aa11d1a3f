// Tesseract reads the lines of an image one after the other. Several engines can share them: each analyses the layout, with the
// same result, and reads its part of the lines. As in lineimage.c, the program's own definition of the function that reads a
// line takes precedence over the library's. It skips the lines of the other parts, which then have no text.
#define _GNU_SOURCE
#include "part.h"

#include <dlfcn.h>
#include <stddef.h>
#include <string.h>
#include <tesseract/capi.h>

#define READ_LINE "_ZN9tesseract9Tesseract17LSTMRecognizeWordERKNS_5BLOCKEPNS_3ROWEPNS_8WERD_RESEPNS_13PointerVectorIS6_EE"

// The beginning of tesseract::PointerVector<WERD_RES>.
struct words {
  int32_t length;
};

void uncial_read_line(void *tesseract, const void *block, void *row, void *word, struct words *words) __asm__(READ_LINE);

static void (*their_read_line)(void *, const void *, void *, void *, struct words *);
static bool known; // whether this version calls the function above

// The part that the calling thread reads, and its progress.
static __thread struct {
  struct uncial_part *part; // NULL: everything
  int groups, group;        // the number of groups of words, and the index of the current one from 0
  const void *block, *row;  // the current block and row
  int block_at;             // the position of the block, from 0
  bool is_ours;             // whether the row belongs to the part
} state;

__attribute__((constructor)) static void prepare(void) {
  their_read_line = (void (*)(void *, const void *, void *, void *, struct words *))dlsym(RTLD_NEXT, READ_LINE);
  known = their_read_line != NULL && strcmp(TessVersion(), "5.3.0") == 0;
}

bool uncial_can_divide(void) { return known; }

void uncial_begin_part(struct uncial_part *part) {
  memset(&state, 0, sizeof state);
  state.part = part;
  state.group = state.block_at = -1;
  if (part != NULL) part->blocks = part->first = part->last = 0;
}

void uncial_end_part(void) { state.part = NULL; }

void uncial_next_group(int groups) {
  state.groups = groups;
  state.group++;
}

void uncial_read_line(void *tesseract, const void *block, void *row, void *word, struct words *words) {
  struct uncial_part *part = state.part;

  if (part == NULL) {
    their_read_line(tesseract, block, row, word, words);
    return;
  }
  if (block != state.block) {
    state.block = block;
    state.block_at++;
  }
  if (row != state.row) { // a row with several groups of words is not divided
    state.row = row;
    state.is_ours = (int64_t)state.group * part->parts / state.groups == part->part;
  }
  if (!state.is_ours) return;
  their_read_line(tesseract, block, row, word, words);
  if (words->length == 0) return;
  if (part->blocks == 0) part->first = state.block_at;
  if (part->blocks == 0 || part->last != state.block_at) part->blocks++;
  part->last = state.block_at;
}

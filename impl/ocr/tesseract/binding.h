#pragma once

#include <leptonica/allheaders.h>
#include <stdint.h>
#include <tesseract/capi.h>

// uncial_quiet silences all C code of the process and sets its locale.
void uncial_quiet(void);

// uncial_recognize recognizes on the calling thread alone and stops soon after *stop becomes other than 0.
int uncial_recognize(TessBaseAPI *api, int32_t *stop);

// uncial_next_symbol moves to the next symbol of the word; it returns 0 at the word's last one.
int uncial_next_symbol(TessResultIterator *symbols);

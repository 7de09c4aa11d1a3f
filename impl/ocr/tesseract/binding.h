#pragma once

#include <leptonica/allheaders.h>
#include <stdint.h>
#include <tesseract/capi.h>

// uncial_quiet silences all C code of the process and sets its locale.
void uncial_quiet(void);

struct uncial_part;

// uncial_recognize recognizes a part of the lines, or all lines if part is NULL, only on the calling thread. It returns soon
// after *stop becomes non-zero. It returns 0 on success.
int uncial_recognize(TessBaseAPI *api, int32_t *stop, struct uncial_part *part);

// uncial_release returns the free memory of the C libraries to the system if it is more than threshold bytes.
void uncial_release(size_t threshold);

#pragma once

#include <leptonica/allheaders.h>
#include <stdint.h>
#include <tesseract/capi.h>

// uncial_quiet silences all C code of the process and sets its locale.
void uncial_quiet(void);

struct uncial_part;

// uncial_recognize recognizes a part of the lines, or all if part is NULL, on the calling thread only, and returns soon after *stop
// becomes non-zero. It returns 0 on success.
int uncial_recognize(TessBaseAPI *api, int32_t *stop, struct uncial_part *part);

// uncial_release returns free memory of the C libraries to the system if they hold more than threshold bytes of it.
void uncial_release(size_t threshold);

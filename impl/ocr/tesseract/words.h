#pragma once

#include <stdbool.h>
#include <tesseract/capi.h>

// uncial_has_right_to_left reports whether a word of the page has letters that are written from right to left. It moves the
// iterator.
bool uncial_has_right_to_left(TessResultIterator *it);

// These are faster versions of the functions of the C API with similar names. They work only on pages without right-to-left
// words.
bool uncial_next(TessResultIterator *it, TessPageIteratorLevel level);
bool uncial_begins(const TessResultIterator *it, TessPageIteratorLevel level);
char *uncial_text(const TessResultIterator *it, TessPageIteratorLevel level);

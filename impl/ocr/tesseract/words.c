// To put left-to-right and right-to-left words into reading order, the iterator of Tesseract's C API returns to the beginning
// of the page about fifteen times for each word. A page of 4,000 words spent two fifths of its time there, and a page of 16,000
// words most of a minute. Its base classes, PageIterator and LTRResultIterator, never go back. They are part of the public C++
// API, but the C API does not have their functions. On a page without right-to-left words, both give the same results.
#include "words.h"

enum { right_to_left = 2, both_directions = 3 };  // of StrongScriptDirection in unichar.h

void page_iterator_begin(TessResultIterator *it) __asm__("_ZN9tesseract12PageIterator5BeginEv");
bool page_iterator_next(TessResultIterator *it, TessPageIteratorLevel level) __asm__(
    "_ZN9tesseract12PageIterator4NextENS_17PageIteratorLevelE");
bool page_iterator_begins(const TessResultIterator *it, TessPageIteratorLevel level) __asm__(
    "_ZNK9tesseract12PageIterator15IsAtBeginningOfENS_17PageIteratorLevelE");
char *ltr_iterator_text(const TessResultIterator *it, TessPageIteratorLevel level) __asm__(
    "_ZNK9tesseract17LTRResultIterator11GetUTF8TextENS_17PageIteratorLevelE");
int ltr_iterator_direction(const TessResultIterator *it) __asm__(
    "_ZNK9tesseract17LTRResultIterator13WordDirectionEv");

// If a page begins with a right-to-left line, its iterator is not at the leftmost word.
bool uncial_has_right_to_left(TessResultIterator *it) {
  page_iterator_begin(it);
  do {
    int direction = ltr_iterator_direction(it);
    if (direction == right_to_left || direction == both_directions) return true;
  } while (page_iterator_next(it, RIL_WORD));
  return false;
}

bool uncial_next(TessResultIterator *it, TessPageIteratorLevel level) { return page_iterator_next(it, level); }

bool uncial_begins(const TessResultIterator *it, TessPageIteratorLevel level) { return page_iterator_begins(it, level); }

char *uncial_text(const TessResultIterator *it, TessPageIteratorLevel level) { return ltr_iterator_text(it, level); }

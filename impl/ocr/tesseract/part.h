#pragma once

#include <stdbool.h>
#include <stdint.h>

// uncial_part says which of several engines that read one image at the same time reads which of its lines: part is 0 to parts - 1, and
// the lines of each part follow those of the part before.
struct uncial_part {
  int part, parts;
  // Whether only these lines were read. Otherwise all of them were, because the version of Tesseract is not known.
  bool divided;
  // What this engine found: how many blocks have words in its lines, and the positions of the first and the last of these blocks among
  // all blocks of the image.
  int blocks, first, last;
};

// uncial_begin_part says that the calling thread reads a part from now on, until uncial_end_part. NULL is the whole image.
void uncial_begin_part(struct uncial_part *part);

// uncial_next_word says that Tesseract comes to the next of so many groups of words, most of which are whole lines.
void uncial_next_word(int words);

// uncial_end_part ends what uncial_begin_part began.
void uncial_end_part(void);

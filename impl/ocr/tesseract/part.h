#pragma once

#include <stdbool.h>
#include <stdint.h>

// uncial_part says which of several engines that read one image at the same time reads which of its lines: part is 0 to parts - 1, and
// the lines of each part follow those of the part before.
struct uncial_part {
  int part, parts;
  // What this engine found: how many blocks have words in its lines, and the positions of the first and the last of these blocks among
  // all blocks of the image.
  int blocks, first, last;
};

// uncial_can_divide reports whether the version of Tesseract is known, so that an engine can read a part of an image.
bool uncial_can_divide(void);

// uncial_begin_part makes the calling thread read only a part of the lines until uncial_end_part, or all if part is NULL. It needs
// uncial_can_divide.
void uncial_begin_part(struct uncial_part *part);

// uncial_next_word must be called before each group of words, with the number of groups. Most of them are whole lines.
void uncial_next_word(int words);

// uncial_end_part makes the calling thread read all lines again.
void uncial_end_part(void);

#pragma once

#include <stdbool.h>
#include <stdint.h>

// uncial_part determines which lines an engine reads if several engines read one image at the same time: part is 0 to parts -
// 1, and the lines of each part follow those of the previous part.
struct uncial_part {
  int part, parts;
  // The results of this engine: the number of blocks that have words in its lines, and the positions of the first and the last
  // of these blocks among all blocks of the image.
  int blocks, first, last;
};

// uncial_can_divide reports whether an engine can read a part of an image, which requires a known version of Tesseract.
bool uncial_can_divide(void);

// uncial_begin_part makes the calling thread read only a part of the lines, or all lines if part is NULL, until
// uncial_end_part. If part is not NULL, uncial_can_divide must be true.
void uncial_begin_part(struct uncial_part *part);

// uncial_next_group must be called before each group of words, with the number of groups. Most of them are whole lines.
void uncial_next_group(int groups);

// uncial_end_part makes the calling thread read all lines again.
void uncial_end_part(void);

#pragma once

#include <stdint.h>

// uncial_lines_kept returns the number of lines that were kept unpacked in this process.
int64_t uncial_lines_kept(void);

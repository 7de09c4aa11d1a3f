// For every processor: 4 lanes fit SSE2 and NEON.
#define NAME(f) f##_plain
#define LANES 4
#define SPREAD(x) {x, x, x, x}
#define ROWS 4
#define COLS 2
#include "kernels.h"

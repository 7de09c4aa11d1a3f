#pragma GCC target("avx2,fma")
#define NAME(f) f##_avx2
#define LANES 8
#define SPREAD(x) {x, x, x, x, x, x, x, x}
#define ROWS 4
#define COLS 3
#include "kernels.h"

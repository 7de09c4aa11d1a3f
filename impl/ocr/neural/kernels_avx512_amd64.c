#pragma GCC target("avx512f,avx512dq,avx512vl,avx512bw")
#define NAME(f) f##_avx512
#define LANES 16
#define SPREAD(x) {x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x}
#define ROWS 8
#define COLS 3
#include "kernels.h"

#pragma GCC target("avx512f,avx512dq,avx512vl,avx512bw,avx512vnni")
#define NAME(f) f##_vnni
#define LANES 16
#define SPREAD(x) {x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x}
#define COUNT {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}
#define ROWS 8
#define COLS 3
#define DOT(sum, a, b) __asm__("vpdpwssd %2, %1, %0" : "+v"(sum) : "v"(a), "v"(b))
#include "kernels.h"

#pragma GCC target("avx2,fma")
#include <immintrin.h>
#define NAME(f) f##_avx2
#define LANES 8
#define SPREAD(x) {x, x, x, x, x, x, x, x}
#define COUNT {0, 1, 2, 3, 4, 5, 6, 7}
#define ROWS 6
#define COLS 2
#define DOT(sum, a, b) __asm__("vpaddd %1, %0, %0" : "+v"(sum) : "v"(_mm256_madd_epi16((__m256i)(a), (__m256i)(b))))
#include "kernels.h"

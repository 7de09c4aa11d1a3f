#pragma GCC target("avx512f,avx512dq,avx512vl,avx512bw")
#include <immintrin.h>
#define NAME(f) f##_avx512
#define LANES 16
#define SPREAD(x) {x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x}
#define COUNT {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}
#define ROWS 8
#define COLS 3
#define DOT(sum, a, b) __asm__("vpaddd %1, %0, %0" : "+v"(sum) : "v"(_mm512_madd_epi16((__m512i)(a), (__m512i)(b))))
#include "kernels.h"

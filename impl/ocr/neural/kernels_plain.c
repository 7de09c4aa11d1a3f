// For every processor: 4 lanes fit SSE2 and NEON.
#define NAME(f) f##_plain
#define LANES 4
#define SPREAD(x) {x, x, x, x}
#define COUNT {0, 1, 2, 3}
#define ROWS 4
#define COLS 2
#ifdef __SSE2__
#include <emmintrin.h>
#ifdef __AVX__ // with the compiler's flags for a newer processor
#define DOT(sum, a, b) __asm__("vpaddd %1, %0, %0" : "+v"(sum) : "v"(_mm_madd_epi16((__m128i)(a), (__m128i)(b))))
#else
#define DOT(sum, a, b) __asm__("paddd %1, %0" : "+v"(sum) : "v"(_mm_madd_epi16((__m128i)(a), (__m128i)(b))))
#endif
#endif
#include "kernels.h"

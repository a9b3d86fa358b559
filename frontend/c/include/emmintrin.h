/* Vectors of two doubles, and of integers as far as generated code has them, in plain C. */
#ifndef CHAINCOVER_EMMINTRIN_H
#define CHAINCOVER_EMMINTRIN_H
#include <xmmintrin.h>

typedef struct { double element[2]; } __m128d;
typedef struct { int element[4]; } __m128i;

#define CHAINCOVER_DOUBLES(name, expression) \
static inline __m128d name(__m128d left, __m128d right) { \
    __m128d result; \
    for (int at = 0; at < 2; at++) { \
        double a = left.element[at], b = right.element[at]; \
        result.element[at] = expression; \
    } \
    return result; \
}
CHAINCOVER_DOUBLES(_mm_add_pd, a + b)
CHAINCOVER_DOUBLES(_mm_sub_pd, a - b)
CHAINCOVER_DOUBLES(_mm_mul_pd, a * b)
CHAINCOVER_DOUBLES(_mm_div_pd, a / b)
CHAINCOVER_DOUBLES(_mm_min_pd, a < b ? a : b)
CHAINCOVER_DOUBLES(_mm_max_pd, a > b ? a : b)
#undef CHAINCOVER_DOUBLES

static inline __m128d _mm_set_pd(double last, double first) {
    __m128d result;
    result.element[0] = first; result.element[1] = last;
    return result;
}
static inline __m128d _mm_set1_pd(double value) { return _mm_set_pd(value, value); }
static inline __m128d _mm_setzero_pd(void) { return _mm_set1_pd(0.0); }
static inline __m128d _mm_setr_pd(double first, double last) { return _mm_set_pd(last, first); }
static inline __m128d _mm_loadu_pd(const double *from) { return _mm_set_pd(from[1], from[0]); }
static inline __m128d _mm_load_pd(const double *from) { return _mm_loadu_pd(from); }
static inline __m128d _mm_load1_pd(const double *from) { return _mm_set1_pd(*from); }
static inline void _mm_storeu_pd(double *to, __m128d value) {
    to[0] = value.element[0];
    to[1] = value.element[1];
}
static inline void _mm_store_pd(double *to, __m128d value) { _mm_storeu_pd(to, value); }
static inline __m128d _mm_sqrt_pd(__m128d value) {
    return _mm_set_pd(__builtin_sqrt(value.element[1]), __builtin_sqrt(value.element[0]));
}
static inline double _mm_cvtsd_f64(__m128d value) { return value.element[0]; }

/* A pointer to `__m128i` is only passed on to these: the integers lie where it points to. */
static inline __m128i _mm_set_epi32(int last, int third, int second, int first) {
    __m128i result;
    result.element[0] = first; result.element[1] = second; result.element[2] = third; result.element[3] = last;
    return result;
}
static inline __m128i _mm_set1_epi32(int value) { return _mm_set_epi32(value, value, value, value); }
static inline __m128i _mm_loadu_si128(const __m128i *from) {
    const int *values = (const int *)from;
    return _mm_set_epi32(values[3], values[2], values[1], values[0]);
}
static inline __m128i _mm_load_si128(const __m128i *from) { return _mm_loadu_si128(from); }
static inline void _mm_storeu_si128(__m128i *to, __m128i value) {
    int *values = (int *)to;
    for (int at = 0; at < 4; at++) values[at] = value.element[at];
}
static inline void _mm_store_si128(__m128i *to, __m128i value) { _mm_storeu_si128(to, value); }
static inline __m128i _mm_add_epi32(__m128i left, __m128i right) {
    for (int at = 0; at < 4; at++) left.element[at] = (int)((unsigned)left.element[at] + (unsigned)right.element[at]);
    return left;
}
static inline __m128i _mm_sub_epi32(__m128i left, __m128i right) {
    for (int at = 0; at < 4; at++) left.element[at] = (int)((unsigned)left.element[at] - (unsigned)right.element[at]);
    return left;
}

#endif

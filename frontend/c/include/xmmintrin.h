/* Vectors of four floats, in plain C: each operation does for every element what the instruction of the name does. */
#ifndef CHAINCOVER_XMMINTRIN_H
#define CHAINCOVER_XMMINTRIN_H

typedef struct { float element[4]; } __m128;

#define CHAINCOVER_FLOATS(name, expression) \
static inline __m128 name(__m128 left, __m128 right) { \
    __m128 result; \
    for (int at = 0; at < 4; at++) { \
        float a = left.element[at], b = right.element[at]; \
        result.element[at] = expression; \
    } \
    return result; \
}
CHAINCOVER_FLOATS(_mm_add_ps, a + b)
CHAINCOVER_FLOATS(_mm_sub_ps, a - b)
CHAINCOVER_FLOATS(_mm_mul_ps, a * b)
CHAINCOVER_FLOATS(_mm_div_ps, a / b)
CHAINCOVER_FLOATS(_mm_min_ps, a < b ? a : b)
CHAINCOVER_FLOATS(_mm_max_ps, a > b ? a : b)
#undef CHAINCOVER_FLOATS

static inline __m128 _mm_set_ps(float last, float third, float second, float first) {
    __m128 result;
    result.element[0] = first; result.element[1] = second; result.element[2] = third; result.element[3] = last;
    return result;
}
static inline __m128 _mm_set1_ps(float value) { return _mm_set_ps(value, value, value, value); }
static inline __m128 _mm_set_ps1(float value) { return _mm_set1_ps(value); }
static inline __m128 _mm_setzero_ps(void) { return _mm_set1_ps(0.0f); }
static inline __m128 _mm_setr_ps(float first, float second, float third, float last) {
    return _mm_set_ps(last, third, second, first);
}
static inline __m128 _mm_loadu_ps(const float *from) { return _mm_set_ps(from[3], from[2], from[1], from[0]); }
static inline __m128 _mm_load_ps(const float *from) { return _mm_loadu_ps(from); }
static inline __m128 _mm_load1_ps(const float *from) { return _mm_set1_ps(*from); }
static inline __m128 _mm_load_ps1(const float *from) { return _mm_set1_ps(*from); }
static inline void _mm_storeu_ps(float *to, __m128 value) {
    for (int at = 0; at < 4; at++) to[at] = value.element[at];
}
static inline void _mm_store_ps(float *to, __m128 value) { _mm_storeu_ps(to, value); }
static inline __m128 _mm_sqrt_ps(__m128 value) {
    for (int at = 0; at < 4; at++) value.element[at] = __builtin_sqrtf(value.element[at]);
    return value;
}
static inline float _mm_cvtss_f32(__m128 value) { return value.element[0]; }

#endif

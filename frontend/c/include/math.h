#ifndef __chaincover_math_h
#define __chaincover_math_h
double acos(double);
float acosf(float);
double asin(double);
float asinf(float);
double atan(double);
float atanf(float);
double ceil(double);
float ceilf(float);
double cos(double);
float cosf(float);
double cosh(double);
float coshf(float);
double exp(double);
float expf(float);
double exp2(double);
float exp2f(float);
double expm1(double);
float expm1f(float);
double fabs(double);
float fabsf(float);
double floor(double);
float floorf(float);
double log(double);
float logf(float);
double log10(double);
float log10f(float);
double log1p(double);
float log1pf(float);
double log2(double);
float log2f(float);
double nearbyint(double);
float nearbyintf(float);
double rint(double);
float rintf(float);
double round(double);
float roundf(float);
double sin(double);
float sinf(float);
double sinh(double);
float sinhf(float);
double sqrt(double);
float sqrtf(float);
double cbrt(double);
float cbrtf(float);
double tan(double);
float tanf(float);
double tanh(double);
float tanhf(float);
double trunc(double);
float truncf(float);
double asinh(double);
float asinhf(float);
double acosh(double);
float acoshf(float);
double atanh(double);
float atanhf(float);
double atan2(double, double);
float atan2f(float, float);
double fmod(double, double);
float fmodf(float, float);
double fmin(double, double);
float fminf(float, float);
double fmax(double, double);
float fmaxf(float, float);
double fdim(double, double);
float fdimf(float, float);
double hypot(double, double);
float hypotf(float, float);
double pow(double, double);
float powf(float, float);
double remainder(double, double);
float remainderf(float, float);
double copysign(double, double);
float copysignf(float, float);
double nextafter(double, double);
float nextafterf(float, float);
double fma(double, double, double);
float fmaf(float, float, float);
double frexp(double, int *);
float frexpf(float, int *);
double ldexp(double, int);
float ldexpf(float, int);
double scalbn(double, int);
float scalbnf(float, int);
double modf(double, double *);
float modff(float, float *);
double erf(double);
float erff(float);
double erfc(double);
float erfcf(float);
double tgamma(double);
float tgammaf(float);
double lgamma(double);
float lgammaf(float);
double logb(double);
float logbf(float);
int ilogb(double);
int ilogbf(float);
double scalbln(double, long);
float scalblnf(float, long);
double remquo(double, double, int *);
float remquof(float, float, int *);
long lround(double);
long lroundf(float);
long lrint(double);
long lrintf(float);
long long llround(double);
long long llroundf(float);
long long llrint(double);
long long llrintf(float);
/* Conversion of float to double keeps what these ask for. */
int isnan(double);
int isinf(double);
int isfinite(double);
int signbit(double);
#define finite(value) isfinite(value)
/* The GNU C library's macro gives the sign, too. */
#define isinf(value) __builtin_isinf_sign(value)
#define isgreater(x, y) ((x) > (y))
#define isgreaterequal(x, y) ((x) >= (y))
#define isless(x, y) ((x) < (y))
#define islessequal(x, y) ((x) <= (y))
#define FP_NAN 0
#define FP_INFINITE 1
#define FP_ZERO 2
#define FP_SUBNORMAL 3
#define FP_NORMAL 4
#define fpclassify(value) __extension__ ({ \
    const __typeof__((value) + 0.0F) __chaincover_value = (value); \
    const double __chaincover_size = __chaincover_value < 0 ? -(double)__chaincover_value : (double)__chaincover_value; \
    const double __chaincover_least = sizeof __chaincover_value == sizeof(float) ? 0x1p-126 : 0x1p-1022; \
    __chaincover_value != __chaincover_value ? FP_NAN \
        : __chaincover_size == __builtin_inf() ? FP_INFINITE \
        : __chaincover_size == 0 ? FP_ZERO \
        : __chaincover_size < __chaincover_least ? FP_SUBNORMAL : FP_NORMAL; })
#define isnormal(value) (fpclassify(value) == FP_NORMAL)
#define isunordered(x, y) (isnan(x) || isnan(y))
#define islessgreater(x, y) __extension__ ({ \
    const __typeof__((x) + 0.0F) __chaincover_x = (x); \
    const __typeof__((y) + 0.0F) __chaincover_y = (y); \
    __chaincover_x < __chaincover_y || __chaincover_x > __chaincover_y; })
typedef float float_t;
typedef double double_t;
#define nan(tag) __builtin_nan(tag)
#define nanf(tag) __builtin_nanf(tag)
#define HUGE_VAL __builtin_huge_val()
#define HUGE_VALF __builtin_huge_valf()
#define INFINITY __builtin_inff()
#define NAN __builtin_nanf("")
#define M_E 2.7182818284590452354
#define M_LOG2E 1.4426950408889634074
#define M_LOG10E 0.43429448190325182765
#define M_LN2 0.69314718055994530942
#define M_LN10 2.30258509299404568402
#define M_PI 3.14159265358979323846
#define M_PI_2 1.57079632679489661923
#define M_PI_4 0.78539816339744830962
#define M_1_PI 0.31830988618379067154
#define M_2_PI 0.63661977236758134308
#define M_2_SQRTPI 1.12837916709551257390
#define M_SQRT2 1.41421356237309504880
#define M_SQRT1_2 0.70710678118654752440
#endif

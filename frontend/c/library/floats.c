// Floating point: the environment, exponents, and what CBMC provides. Other modes of rounding than
// to nearest are refused.

// fegetround i
int fegetround(void) { return 0; }

// fesetround ii
int fesetround(int mode) {
    if (mode != 0) __chaincover_rounding();
    return 0;
}

// logb dd
double logb(double x) {
    int exponent;
    if (__builtin_isnan(x)) return x;
    if (__builtin_isinf(x)) return __builtin_inf();
    if (x == 0) return -__builtin_inf();
    frexp(x, &exponent);
    return exponent - 1;
}

// ilogb id
int ilogb(double x) {
    int exponent;
    if (x == 0 || __builtin_isnan(x)) return -2147483647 - 1;
    if (__builtin_isinf(x)) return 2147483647;
    frexp(x, &exponent);
    return exponent - 1;
}

// logbf ff
float logbf(float x) {
    int exponent;
    if (__builtin_isnan(x)) return x;
    if (__builtin_isinf(x)) return __builtin_inf();
    if (x == 0) return -__builtin_inf();
    frexpf(x, &exponent);
    return exponent - 1;
}

// ilogbf if
int ilogbf(float x) {
    int exponent;
    if (x == 0 || __builtin_isnan(x)) return -2147483647 - 1;
    if (__builtin_isinf(x)) return 2147483647;
    frexpf(x, &exponent);
    return exponent - 1;
}

// __CPROVER_isnand bd
_Bool __CPROVER_isnand(double x) { return x != x; }

// __CPROVER_isfinited bd
_Bool __CPROVER_isfinited(double x) { return x - x == 0; }

// __CPROVER_isinfd bd
_Bool __CPROVER_isinfd(double x) { return x == x && x - x != 0; }

// __CPROVER_isnormald bd
_Bool __CPROVER_isnormald(double x) { return (x >= 0x1p-1022 && x <= 0x1.fffffffffffffp1023) || (x <= -0x1p-1022 && x >= -0x1.fffffffffffffp1023); }

// __CPROVER_signd bd
_Bool __CPROVER_signd(double x) { return __builtin_signbit(x) != 0; }

// __CPROVER_isgreaterd idd
int __CPROVER_isgreaterd(double x, double y) { return x > y; }

// __CPROVER_isgreaterequald idd
int __CPROVER_isgreaterequald(double x, double y) { return x >= y; }

// __CPROVER_islessd idd
int __CPROVER_islessd(double x, double y) { return x < y; }

// __CPROVER_islessequald idd
int __CPROVER_islessequald(double x, double y) { return x <= y; }

// __CPROVER_islessgreaterd idd
int __CPROVER_islessgreaterd(double x, double y) { return x < y || x > y; }

// __CPROVER_isunorderedd idd
int __CPROVER_isunorderedd(double x, double y) { return x != x || y != y; }

// __CPROVER_isnanf bf
_Bool __CPROVER_isnanf(float x) { return x != x; }

// __CPROVER_isfinitef bf
_Bool __CPROVER_isfinitef(float x) { return x - x == 0; }

// __CPROVER_isinff bf
_Bool __CPROVER_isinff(float x) { return x == x && x - x != 0; }

// __CPROVER_isnormalf bf
_Bool __CPROVER_isnormalf(float x) { return (x >= 0x1p-126f && x <= 0x1.fffffep127f) || (x <= -0x1p-126f && x >= -0x1.fffffep127f); }

// __CPROVER_signf bf
_Bool __CPROVER_signf(float x) { return __builtin_signbit(x) != 0; }

// __CPROVER_isgreaterf iff
int __CPROVER_isgreaterf(float x, float y) { return x > y; }

// __CPROVER_isgreaterequalf iff
int __CPROVER_isgreaterequalf(float x, float y) { return x >= y; }

// __CPROVER_islessf iff
int __CPROVER_islessf(float x, float y) { return x < y; }

// __CPROVER_islessequalf iff
int __CPROVER_islessequalf(float x, float y) { return x <= y; }

// __CPROVER_islessgreaterf iff
int __CPROVER_islessgreaterf(float x, float y) { return x < y || x > y; }

// __CPROVER_isunorderedf iff
int __CPROVER_isunorderedf(float x, float y) { return x != x || y != y; }

// __CPROVER_inf d
double __CPROVER_inf(void) { return __builtin_inf(); }

// __CPROVER_fabs dd
double __CPROVER_fabs(double x) { return __builtin_fabs(x); }

// __CPROVER_fmod ddd
double __CPROVER_fmod(double x, double y) { return __builtin_fmod(x, y); }

// __CPROVER_remainder ddd
double __CPROVER_remainder(double x, double y) { return __builtin_remainder(x, y); }

// __CPROVER_inff f
float __CPROVER_inff(void) { return __builtin_inff(); }

// __CPROVER_fabsf ff
float __CPROVER_fabsf(float x) { return __builtin_fabsf(x); }

// __CPROVER_fmodf fff
float __CPROVER_fmodf(float x, float y) { return __builtin_fmodf(x, y); }

// __CPROVER_remainderf fff
float __CPROVER_remainderf(float x, float y) { return __builtin_remainderf(x, y); }

// __CPROVER_abs ii
int __CPROVER_abs(int x) { return __builtin_abs(x); }

// __CPROVER_labs ll
long __CPROVER_labs(long x) { return __builtin_labs(x); }

// __CPROVER_llabs qq
long long __CPROVER_llabs(long long x) { return __builtin_llabs(x); }

// __chaincover_infinite_signd id
int __chaincover_infinite_signd(double x) { return x == __builtin_inf() ? 1 : x == -__builtin_inf() ? -1 : 0; }

// __chaincover_infinite_signf if
int __chaincover_infinite_signf(float x) { return x == __builtin_inff() ? 1 : x == -__builtin_inff() ? -1 : 0; }

// __chaincover_classifyd iiiiiid
int __chaincover_classifyd(int nan, int infinite, int normal, int subnormal, int zero, double x) {
    const double size = x < 0 ? -x : x;
    return x != x ? nan : size == __builtin_inf() ? infinite : x == 0 ? zero : size < 0x1p-1022 ? subnormal : normal;
}

// __chaincover_classifyf iiiiiif
int __chaincover_classifyf(int nan, int infinite, int normal, int subnormal, int zero, float x) {
    const float size = x < 0 ? -x : x;
    return x != x ? nan : size == __builtin_inff() ? infinite : x == 0 ? zero : size < 0x1p-126f ? subnormal : normal;
}

static int call(int number, int first, int second, int third) {
    int result;
    __asm__ volatile("int $0x80" : "=a"(result) : "a"(number), "b"(first), "c"(second), "d"(third) : "memory");
    return result;
}
static void put(const char *text, size count) {
    while (count > 0) {
        const int done = call(4, 1, (int)text, (int)count);
        if (done <= 0) end_process(6);
        text += done;
        count -= (size)done;
    }
}
static void end_process(int code) { for (;;) call(1, code, 0, 0); }
int main(void);
void _start(void) __attribute__((force_align_arg_pointer));
void _start(void) { quit(main()); }
/* The model may define some of these itself. */
#define LIBRARY __attribute__((weak))
LIBRARY void *memcpy(void *to, const void *from, size count) {
    size index;
    for (index = 0; index < count; index++) ((byte *)to)[index] = ((const byte *)from)[index];
    return to;
}
LIBRARY void *memmove(void *to, const void *from, size count) {
    size index;
    if ((byte *)to <= (const byte *)from) return memcpy(to, from, count);
    for (index = count; index-- > 0; ) ((byte *)to)[index] = ((const byte *)from)[index];
    return to;
}
LIBRARY void *memset(void *to, int value, size count) {
    size index;
    for (index = 0; index < count; index++) ((byte *)to)[index] = (byte)value;
    return to;
}
LIBRARY int memcmp(const void *left, const void *right, size count) {
    const byte *a = left, *b = right;
    size index;
    for (index = 0; index < count; index++) if (a[index] != b[index]) return a[index] - b[index];
    return 0;
}
LIBRARY void *memchr(const void *from, int wanted, size count) {
    const byte *at = from;
    size index;
    for (index = 0; index < count; index++) if (at[index] == (byte)wanted) return (void *)(at + index);
    return 0;
}
LIBRARY size strnlen(const char *text, size count) {
    size index = 0;
    while (index < count && text[index]) index++;
    return index;
}
LIBRARY size strlen(const char *text) { return strnlen(text, ~(size)0); }
LIBRARY int strncmp(const char *left, const char *right, size count) {
    size index;
    for (index = 0; index < count; index++) {
        const int a = ((const byte *)left)[index], b = ((const byte *)right)[index];
        if (a != b || !a) return a - b;
    }
    return 0;
}
LIBRARY int strcmp(const char *left, const char *right) { return strncmp(left, right, ~(size)0); }
LIBRARY char *strncpy(char *to, const char *from, size count) {
    const size length = strnlen(from, count);
    memcpy(to, from, length);
    memset(to + length, 0, count - length);
    return to;
}
LIBRARY char *strcpy(char *to, const char *from) { return memcpy(to, from, strlen(from) + 1); }
LIBRARY char *strchr(const char *text, int wanted) { return memchr(text, wanted, strlen(text) + 1); }
LIBRARY char *strrchr(const char *text, int wanted) {
    size index = strlen(text) + 1;
    while (index-- > 0) if (text[index] == (char)wanted) return (char *)text + index;
    return 0;
}
/* What the compiler calls to count bits. */
int __popcountdi2(wide bits) { int count = 0; for (; bits; bits &= bits - 1) count++; return count; }
int __popcountsi2(unsigned bits) { return __popcountdi2(bits); }
int __paritydi2(wide bits) { return __popcountdi2(bits) & 1; }
int __paritysi2(unsigned bits) { return __paritydi2(bits); }
int __ctzdi2(wide bits) { return __popcountdi2(~bits & (bits - 1)); }
int __ctzsi2(unsigned bits) { return __ctzdi2(bits); }
int __ffsdi2(wide bits) { return bits ? __ctzdi2(bits) + 1 : 0; }
int __clzdi2(wide bits) { int count = 64; for (; bits; bits >>= 1) count--; return count; }
int __clzsi2(unsigned bits) { return __clzdi2(bits) - 32; }
int __clrsbdi2(wide bits) { return __clzdi2(bits >> 63 ? ~bits : bits) - 1; }
int __clrsbsi2(unsigned bits) { return __clzsi2(bits >> 31 ? ~bits : bits) - 1; }
/* What the compiler calls for 64-bit numbers on a 32-bit machine. */
static wide divide(wide a, wide b, wide *rest) {
    wide quotient = 0, remainder = 0;
    int bit;
    if (b == 0) { volatile int zero = 0; (void)(1 / zero); }
    for (bit = 63; bit >= 0; bit--) {
        const int carry = (int)(remainder >> 63);
        remainder = remainder << 1 | (a >> bit & 1);
        if (carry || remainder >= b) { remainder -= b; quotient |= 1ull << bit; }
    }
    *rest = remainder;
    return quotient;
}
wide __udivdi3(wide a, wide b) { wide rest; return divide(a, b, &rest); }
wide __umoddi3(wide a, wide b) { wide rest; divide(a, b, &rest); return rest; }
static wide magnitude(long long a) { return a < 0 ? 0 - (wide)a : (wide)a; }
long long __divdi3(long long a, long long b) {
    wide rest, quotient = divide(magnitude(a), magnitude(b), &rest);
    return (long long)((a < 0) != (b < 0) ? 0 - quotient : quotient);
}
long long __moddi3(long long a, long long b) {
    wide rest;
    divide(magnitude(a), magnitude(b), &rest);
    return (long long)(a < 0 ? 0 - rest : rest);
}
wide __udivmoddi4(wide a, wide b, wide *rest) { wide r, q = divide(a, b, &r); if (rest) *rest = r; return q; }
long long __divmoddi4(long long a, long long b, long long *rest) { if (rest) *rest = __moddi3(a, b); return __divdi3(a, b); }
long long __fixdfdi(double value) {
    union { double number; wide bits; } both;
    wide mantissa;
    int exponent;
    both.number = value;
    exponent = (int)(both.bits >> 52 & 0x7ff) - 1075;
    mantissa = (both.bits & 0xfffffffffffffull) | 0x10000000000000ull;
    if (exponent < -52) return 0;
    if (exponent > 10) return (long long)(1ull << 63);
    mantissa = exponent >= 0 ? mantissa << exponent : mantissa >> -exponent;
    return (long long)(both.bits >> 63 ? 0 - mantissa : mantissa);
}
long long __fixsfdi(float value) { return __fixdfdi(value); }
wide __fixunsdfdi(double value) {
    return value >= 9223372036854775808.0 ? (wide)__fixdfdi(value - 9223372036854775808.0) + (1ull << 63) : (wide)__fixdfdi(value);
}
wide __fixunssfdi(float value) { return __fixunsdfdi(value); }

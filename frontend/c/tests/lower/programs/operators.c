/* Every operator on every pair of integer types, promotions and conversions included. */
#include <stdio.h>

static unsigned long long digest = 14695981039346656037ULL;
static void note(unsigned long long value) {
    digest = (digest ^ value) * 1099511628211ULL;
}

#define EACH_OTHER(M, ...)                                                                                             \
    M(_Bool, __VA_ARGS__) M(unsigned char, __VA_ARGS__) M(short, __VA_ARGS__) M(int, __VA_ARGS__)                      \
    M(unsigned int, __VA_ARGS__) M(unsigned long, __VA_ARGS__) M(long long, __VA_ARGS__)

static const long long values[] = {0, 1, -1, 2, 100, -100, 127, 128, 255, 256, 32767, -32768, 65535, 70000,
                                   2147483647LL, -2147483647LL - 1, 4294967295LL, 5000000000LL};
enum { COUNT = sizeof values / sizeof values[0] };

#define PAIR(second, first)                                                                                            \
    for (int i = 0; i < COUNT; i++)                                                                                    \
        for (int j = 0; j < COUNT; j++) {                                                                              \
            first a = values[i];                                                                                       \
            second b = values[j];                                                                                      \
            note(a + b); note(a - b); note(a * b); note(a & b); note(a | b); note(a ^ b);                              \
            note(a < b); note(a <= b); note(a > b); note(a >= b); note(a == b); note(a != b);                          \
            note(a && b); note(a || b); note(!a); note(~a); note(-a); note(+a); note(a ? a : b);                       \
            if (b != 0 && b != (second)-1) { note(a / b); note(a % b); }                                               \
            note(a << (b & 7)); note(a >> (b & 7));                                                                    \
            first c = a; c += b; note(c); c -= b; note(c); c *= b; note(c); c &= b; note(c); c |= b; note(c);          \
            c ^= b; note(c); c <<= 3; note(c); c >>= (b & 3); note(c);                                                 \
            note(c++); note(c); note(++c); note(c--); note(c); note(--c);                                              \
            note(sizeof(a + b)); note(sizeof(a << b)); note(sizeof(-a)); note(sizeof(a ? a : b));                      \
        }

static void signed_char_and_bool(void) { EACH_OTHER(PAIR, signed char) EACH_OTHER(PAIR, _Bool) }
static void small(void) { EACH_OTHER(PAIR, char) EACH_OTHER(PAIR, unsigned short) }
static void middle(void) { EACH_OTHER(PAIR, int) EACH_OTHER(PAIR, unsigned int) EACH_OTHER(PAIR, long) }
static void large(void) {
    EACH_OTHER(PAIR, unsigned long) EACH_OTHER(PAIR, long long) EACH_OTHER(PAIR, unsigned long long)
}

int main(void) {
    signed_char_and_bool();
    printf("%llx\n", digest);
    small();
    printf("%llx\n", digest);
    middle();
    printf("%llx\n", digest);
    large();
    printf("%llx\n", digest);
    return 0;
}

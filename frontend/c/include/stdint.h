#ifndef __chaincover_stdint_h
#define __chaincover_stdint_h
typedef __INT8_TYPE__ int8_t;
typedef __UINT8_TYPE__ uint8_t;
typedef __INT16_TYPE__ int16_t;
typedef __UINT16_TYPE__ uint16_t;
typedef __INT32_TYPE__ int32_t;
typedef __UINT32_TYPE__ uint32_t;
typedef __INT64_TYPE__ int64_t;
typedef __UINT64_TYPE__ uint64_t;
typedef __INT8_TYPE__ int_least8_t;
typedef __UINT8_TYPE__ uint_least8_t;
typedef __INT16_TYPE__ int_least16_t;
typedef __UINT16_TYPE__ uint_least16_t;
typedef __INT32_TYPE__ int_least32_t;
typedef __UINT32_TYPE__ uint_least32_t;
typedef __INT64_TYPE__ int_least64_t;
typedef __UINT64_TYPE__ uint_least64_t;
typedef __INT8_TYPE__ int_fast8_t;
typedef __UINT8_TYPE__ uint_fast8_t;
/* As the GNU C library has them: registers, but for 16 bits. */
#if __SIZEOF_LONG__ == 8
typedef long int_fast16_t;
typedef unsigned long uint_fast16_t;
typedef long int_fast32_t;
typedef unsigned long uint_fast32_t;
#elif __SIZEOF_INT__ == 4
typedef int int_fast16_t;
typedef unsigned int uint_fast16_t;
typedef int int_fast32_t;
typedef unsigned int uint_fast32_t;
#else
typedef __INT16_TYPE__ int_fast16_t;
typedef __UINT16_TYPE__ uint_fast16_t;
typedef __INT32_TYPE__ int_fast32_t;
typedef __UINT32_TYPE__ uint_fast32_t;
#endif
typedef __INT64_TYPE__ int_fast64_t;
typedef __UINT64_TYPE__ uint_fast64_t;
typedef __INTPTR_TYPE__ intptr_t;
typedef __UINTPTR_TYPE__ uintptr_t;
typedef __INT64_TYPE__ intmax_t;
typedef __UINT64_TYPE__ uintmax_t;
#define INT8_C(value) value
#define UINT8_C(value) value
#define INT16_C(value) value
#if __SIZEOF_INT__ == 2
#define UINT16_C(value) value##U
#define INT32_C(value) value##L
#define UINT32_C(value) value##UL
#else
#define UINT16_C(value) value
#define INT32_C(value) value
#define UINT32_C(value) value##U
#endif
#if __SIZEOF_LONG__ == 8
#define INT64_C(value) value##L
#define UINT64_C(value) value##UL
#else
#define INT64_C(value) value##LL
#define UINT64_C(value) value##ULL
#endif
#define INTMAX_C(value) INT64_C(value)
#define UINTMAX_C(value) UINT64_C(value)
#define INT8_MAX INT8_C(127)
#define INT8_MIN (-INT8_MAX - 1)
#define UINT8_MAX UINT8_C(255)
#define INT16_MAX INT16_C(32767)
#define INT16_MIN (-INT16_MAX - 1)
#define UINT16_MAX UINT16_C(65535)
#define INT32_MAX INT32_C(2147483647)
#define INT32_MIN (-INT32_MAX - 1)
#define UINT32_MAX UINT32_C(4294967295)
#define INT64_MAX INT64_C(9223372036854775807)
#define INT64_MIN (-INT64_MAX - 1)
#define UINT64_MAX UINT64_C(18446744073709551615)
#define INT_LEAST8_MAX INT8_C(127)
#define INT_LEAST8_MIN (-INT_LEAST8_MAX - 1)
#define UINT_LEAST8_MAX UINT8_C(255)
#define INT_LEAST16_MAX INT16_C(32767)
#define INT_LEAST16_MIN (-INT_LEAST16_MAX - 1)
#define UINT_LEAST16_MAX UINT16_C(65535)
#define INT_LEAST32_MAX INT32_C(2147483647)
#define INT_LEAST32_MIN (-INT_LEAST32_MAX - 1)
#define UINT_LEAST32_MAX UINT32_C(4294967295)
#define INT_LEAST64_MAX INT64_C(9223372036854775807)
#define INT_LEAST64_MIN (-INT_LEAST64_MAX - 1)
#define UINT_LEAST64_MAX UINT64_C(18446744073709551615)
#define INT_FAST8_MAX INT8_C(127)
#define INT_FAST8_MIN (-INT_FAST8_MAX - 1)
#define UINT_FAST8_MAX UINT8_C(255)
#if __SIZEOF_LONG__ == 8
#define INT_FAST16_MAX INT64_C(9223372036854775807)
#define UINT_FAST16_MAX UINT64_C(18446744073709551615)
#define INT_FAST32_MAX INT64_C(9223372036854775807)
#define UINT_FAST32_MAX UINT64_C(18446744073709551615)
#elif __SIZEOF_INT__ == 4
#define INT_FAST16_MAX INT32_C(2147483647)
#define UINT_FAST16_MAX UINT32_C(4294967295)
#define INT_FAST32_MAX INT32_C(2147483647)
#define UINT_FAST32_MAX UINT32_C(4294967295)
#else
#define INT_FAST16_MAX INT16_C(32767)
#define UINT_FAST16_MAX UINT16_C(65535)
#define INT_FAST32_MAX INT32_C(2147483647)
#define UINT_FAST32_MAX UINT32_C(4294967295)
#endif
#define INT_FAST16_MIN (-INT_FAST16_MAX - 1)
#define INT_FAST32_MIN (-INT_FAST32_MAX - 1)
#define INT_FAST64_MAX INT64_C(9223372036854775807)
#define INT_FAST64_MIN (-INT_FAST64_MAX - 1)
#define UINT_FAST64_MAX UINT64_C(18446744073709551615)
#define INTMAX_MAX INT64_MAX
#define INTMAX_MIN INT64_MIN
#define UINTMAX_MAX UINT64_MAX
#if __SIZEOF_POINTER__ == 2
#define INTPTR_MAX INT16_MAX
#define INTPTR_MIN INT16_MIN
#define UINTPTR_MAX UINT16_MAX
#elif __SIZEOF_POINTER__ == 4
#define INTPTR_MAX INT32_MAX
#define INTPTR_MIN INT32_MIN
#define UINTPTR_MAX UINT32_MAX
#else
#define INTPTR_MAX INT64_MAX
#define INTPTR_MIN INT64_MIN
#define UINTPTR_MAX UINT64_MAX
#endif
#define PTRDIFF_MAX INTPTR_MAX
#define PTRDIFF_MIN INTPTR_MIN
#define SIZE_MAX UINTPTR_MAX
#endif

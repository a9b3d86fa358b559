#ifndef __chaincover_inttypes_h
#define __chaincover_inttypes_h
#include <stdint.h>
typedef struct { intmax_t quot; intmax_t rem; } imaxdiv_t;
intmax_t imaxabs(intmax_t number);
imaxdiv_t imaxdiv(intmax_t dividend, intmax_t divisor);
intmax_t strtoimax(const char *text, char **end, int base);
uintmax_t strtoumax(const char *text, char **end, int base);
#if __SIZEOF_INT__ == 2
#define __CHAINCOVER_PRI32 "l"
#else
#define __CHAINCOVER_PRI32 ""
#endif
#if __SIZEOF_LONG__ == 8
#define __CHAINCOVER_PRI64 "l"
#else
#define __CHAINCOVER_PRI64 "ll"
#endif
#define PRId8 "hh" "d"
#define PRIi8 "hh" "i"
#define PRIo8 "hh" "o"
#define PRIu8 "hh" "u"
#define PRIx8 "hh" "x"
#define PRIX8 "hh" "X"
#define PRId16 "h" "d"
#define PRIi16 "h" "i"
#define PRIo16 "h" "o"
#define PRIu16 "h" "u"
#define PRIx16 "h" "x"
#define PRIX16 "h" "X"
#define PRId32 __CHAINCOVER_PRI32 "d"
#define PRIi32 __CHAINCOVER_PRI32 "i"
#define PRIo32 __CHAINCOVER_PRI32 "o"
#define PRIu32 __CHAINCOVER_PRI32 "u"
#define PRIx32 __CHAINCOVER_PRI32 "x"
#define PRIX32 __CHAINCOVER_PRI32 "X"
#define PRId64 __CHAINCOVER_PRI64 "d"
#define PRIi64 __CHAINCOVER_PRI64 "i"
#define PRIo64 __CHAINCOVER_PRI64 "o"
#define PRIu64 __CHAINCOVER_PRI64 "u"
#define PRIx64 __CHAINCOVER_PRI64 "x"
#define PRIX64 __CHAINCOVER_PRI64 "X"
#endif

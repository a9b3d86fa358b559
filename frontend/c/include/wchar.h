#ifndef __chaincover_wchar_h
#define __chaincover_wchar_h
#include <stddef.h>
typedef __UINT32_TYPE__ wint_t;
#define WEOF ((wint_t)-1)
#define WCHAR_MAX __INT_MAX__
#define WCHAR_MIN (-__INT_MAX__ - 1)
#endif

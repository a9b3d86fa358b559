/* What Heptagon's generated C expects of its runtime. */
#ifndef DECADES_PERVASIVES_H
#define DECADES_PERVASIVES_H
#include <stdbool.h>
#include <math.h>
typedef float real;
#define between(idx, max) (((idx) < 0) ? 0 : (((idx) >= (max)) ? (max) - 1 : (idx)))
static inline int mod(int a, int b) { return a % b; }
static inline int div1(int a, int b) { return a / b; }
#endif

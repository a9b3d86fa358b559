#ifndef __chaincover_time_h
#define __chaincover_time_h
#include <stddef.h>
typedef long time_t;
typedef long clock_t;
time_t time(time_t *to);
clock_t clock(void);
double difftime(time_t later, time_t earlier);
#define CLOCKS_PER_SEC 1000000L
#endif

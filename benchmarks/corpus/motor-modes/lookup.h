#ifndef LOOKUP_H
#define LOOKUP_H
#include "motor_types.h"
uint8_t LT_Segment(const LT_Table *table, int16_t x);
int16_t LT_Interpolate(const LT_Table *table, int16_t x);
#endif

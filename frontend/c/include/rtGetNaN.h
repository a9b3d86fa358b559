/* Simulink Coder: functions that return NaN, for units that come without this generated header and its source. */
#ifndef RTW_HEADER_rtGetNaN_h_
#define RTW_HEADER_rtGetNaN_h_
#include "rtwtypes.h"
static inline real_T rtGetNaN(void) { return __builtin_nan(""); }
static inline real32_T rtGetNaNF(void) { return __builtin_nanf(""); }
#endif

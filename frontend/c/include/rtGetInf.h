/* Simulink Coder: functions that return infinities, for units that come without this generated header and its source. */
#ifndef RTW_HEADER_rtGetInf_h_
#define RTW_HEADER_rtGetInf_h_
#include "rtwtypes.h"
static inline real_T rtGetInf(void) { return __builtin_inf(); }
static inline real32_T rtGetInfF(void) { return __builtin_inff(); }
static inline real_T rtGetMinusInf(void) { return -__builtin_inf(); }
static inline real32_T rtGetMinusInfF(void) { return -__builtin_inff(); }
#endif

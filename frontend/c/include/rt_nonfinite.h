/* Simulink Coder: infinities and NaN, for units that come without this generated header and its source. */
#ifndef RTW_HEADER_rt_nonfinite_h_
#define RTW_HEADER_rt_nonfinite_h_
#include <stddef.h>
#include "rtwtypes.h"
static const real_T rtInf = __builtin_inf();
static const real_T rtMinusInf = -__builtin_inf();
static const real_T rtNaN = __builtin_nan("");
static const real32_T rtInfF = __builtin_inff();
static const real32_T rtMinusInfF = -__builtin_inff();
static const real32_T rtNaNF = __builtin_nanf("");
static inline void rt_InitInfAndNaN(size_t realSize) { (void)realSize; }
static inline boolean_T rtIsInf(real_T value) { return (boolean_T)(value == rtInf || value == rtMinusInf); }
static inline boolean_T rtIsInfF(real32_T value) { return (boolean_T)(value == rtInfF || value == rtMinusInfF); }
static inline boolean_T rtIsNaN(real_T value) { return (boolean_T)(value != value); }
static inline boolean_T rtIsNaNF(real32_T value) { return (boolean_T)(value != value); }
#endif

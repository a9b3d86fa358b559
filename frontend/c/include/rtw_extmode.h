/* Nothing that a step function computes depends on this header. */
#ifndef __chaincover_rtw_extmode_h
#define __chaincover_rtw_extmode_h
#include "rtwtypes.h"
#endif
#ifndef __chaincover_rtw_extmode_types
#define __chaincover_rtw_extmode_types
typedef struct RTWExtModeInfo_tag { int_T unused; } RTWExtModeInfo;
#endif

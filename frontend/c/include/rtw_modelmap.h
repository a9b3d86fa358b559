/* Nothing that a step function computes depends on this header. */
#ifndef __chaincover_rtw_modelmap_h
#define __chaincover_rtw_modelmap_h
#include "rtwtypes.h"
#endif

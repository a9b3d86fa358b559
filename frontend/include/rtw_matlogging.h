/* Nothing that a step function computes depends on this header. */
#ifndef __chaincover_rtw_matlogging_h
#define __chaincover_rtw_matlogging_h
#include "rtwtypes.h"
#endif

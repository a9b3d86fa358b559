/* Nothing that a step function computes depends on this header. */
#ifndef __chaincover_dt_info_h
#define __chaincover_dt_info_h
#include "rtwtypes.h"
#endif

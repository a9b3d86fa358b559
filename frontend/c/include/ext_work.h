/* Nothing that a step function computes depends on this header. */
#ifndef __chaincover_ext_work_h
#define __chaincover_ext_work_h
#include "rtwtypes.h"
#endif

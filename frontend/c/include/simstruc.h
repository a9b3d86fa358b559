/* Nothing that a step function computes depends on this header. */
#ifndef __chaincover_simstruc_h
#define __chaincover_simstruc_h
#include "rtwtypes.h"
#endif

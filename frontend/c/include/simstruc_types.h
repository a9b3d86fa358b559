/* Nothing that a step function computes depends on this header beyond the types. */
#ifndef __chaincover_simstruc_types_h
#define __chaincover_simstruc_types_h
#include "tmwtypes.h"
#endif

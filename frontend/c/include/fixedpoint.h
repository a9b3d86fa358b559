/* Simulink Coder, older releases: nothing that a step function computes depends on this header. */
#ifndef __chaincover_fixedpoint_h
#define __chaincover_fixedpoint_h
#include "rtwtypes.h"
#endif

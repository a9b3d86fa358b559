/* The basic types of Embedded Coder and Simulink Coder, for units that come without this generated header. */
#ifndef RTWTYPES_H
#define RTWTYPES_H
#include "tmwtypes.h"
#endif

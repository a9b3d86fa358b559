#ifndef __chaincover_rtw_continuous_h
#define __chaincover_rtw_continuous_h
#include "rtwtypes.h"
typedef enum { MINOR_TIME_STEP = 0, MAJOR_TIME_STEP } SimTimeStep;
#endif

/* Nothing that a step function computes depends on this header. */
#ifndef __chaincover_rt_logging_h
#define __chaincover_rt_logging_h
#include "rtwtypes.h"
#endif
#ifndef __chaincover_rt_logging_types
#define __chaincover_rt_logging_types
typedef struct RTWLogInfo_tag { int_T unused; } RTWLogInfo;
#endif

/* Simulink Coder: types of referenced models. */
#ifndef CHAINCOVER_MODEL_REFERENCE_TYPES_H
#define CHAINCOVER_MODEL_REFERENCE_TYPES_H

#include <rtwtypes.h>

/* Which task calls a model, and what it shares with its parent. */
typedef struct _rtTimingBridge_tag rtTimingBridge;
typedef struct _rtMdlMapInfo_tag rtMdlMapInfo;

#endif

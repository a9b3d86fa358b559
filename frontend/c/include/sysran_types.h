#ifndef __chaincover_sysran_types_h
#define __chaincover_sysran_types_h
#include "rtwtypes.h"
typedef enum {
  SUBSYS_RAN_BC_DISABLE,
  SUBSYS_RAN_BC_ENABLE,
  SUBSYS_RAN_BC_DISABLE_TO_ENABLE,
  SUBSYS_RAN_BC_ENABLE_TO_DISABLE,
  SUBSYS_RAN_BC_ONE_SHOT
} SubSystemRanBCTransition;
typedef int8_T sysRanDType;
#define SRUpdateBC(state) state = (int8_T)SUBSYS_RAN_BC_ONE_SHOT
#define SRClearBC(state) state = (int8_T)SUBSYS_RAN_BC_DISABLE
#define srUpdateBC(state) SRUpdateBC(state)
#define srClearBC(state) SRClearBC(state)
#endif

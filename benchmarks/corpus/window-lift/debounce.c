/* Referenced model: the output follows the input when it has been different for three steps. */
#include "debounce.h"

void debounce_Init(DW_debounce_f_T *localDW)
{
  localDW->Count_DSTATE = 0U;
  localDW->Out_DSTATE = false;
}

void debounce(const boolean_T *rtu_In, boolean_T *rty_Out, DW_debounce_f_T *localDW)
{
  if (*rtu_In == localDW->Out_DSTATE) {
    localDW->Count_DSTATE = 0U;
  } else {
    localDW->Count_DSTATE = (uint8_T)(localDW->Count_DSTATE + 1);
    if (localDW->Count_DSTATE >= 3) {
      localDW->Count_DSTATE = 0U;
      localDW->Out_DSTATE = *rtu_In;
    }
  }
  *rty_Out = localDW->Out_DSTATE;
}

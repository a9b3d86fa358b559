/* Referenced model: debounce. */
#ifndef RTW_HEADER_debounce_h_
#define RTW_HEADER_debounce_h_

#include "rtwtypes.h"

/* Block states (default storage) for model 'debounce' */
typedef struct {
  uint8_T Count_DSTATE;
  boolean_T Out_DSTATE;
} DW_debounce_f_T;

typedef struct {
  DW_debounce_f_T rtdw;
} MdlrefDW_debounce_T;

extern void debounce_Init(DW_debounce_f_T *localDW);
extern void debounce(const boolean_T *rtu_In, boolean_T *rty_Out, DW_debounce_f_T *localDW);

#endif

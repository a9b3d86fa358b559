/* Window lift: reusable function with model data behind a pointer. */
#ifndef RTW_HEADER_window_lift_h_
#define RTW_HEADER_window_lift_h_

#include <stddef.h>
#include "rtwtypes.h"
#include "debounce.h"

#define rtmSetErrorStatus(rtm, val)    ((rtm)->errorStatus = (val))

/* Named states of Chart: '<Root>/Lift' */
#define window_lift_IN_Down            ((uint8_T)1U)
#define window_lift_IN_Idle            ((uint8_T)2U)
#define window_lift_IN_Reverse         ((uint8_T)3U)
#define window_lift_IN_Up              ((uint8_T)4U)

/* Constants of the chart */
#define window_lift_TOP                12
#define window_lift_SEAL               10
#define window_lift_REVERSE            4
#define window_lift_LIMIT              100
#define window_lift_SAMPLES            3
#define window_lift_BLANK              2

typedef struct tag_RTM_window_lift_T RT_MODEL_window_lift_T;

/* Block states (default storage) */
typedef struct {
  MdlrefDW_debounce_T Up_InstanceData; /* '<Root>/Up' */
  MdlrefDW_debounce_T Down_InstanceData;/* '<Root>/Down' */
  int16_T Position;                    /* '<Root>/Lift' */
  uint8_T is_active_c3_window_lift;    /* '<Root>/Lift' */
  uint8_T is_c3_window_lift;           /* '<Root>/Lift' */
  uint8_T Over;                        /* '<Root>/Lift', samples above the limit */
  uint8_T Blank;                       /* '<Root>/Lift', steps of inrush that are left */
  uint8_T Back;                        /* '<Root>/Lift', steps of reversal that are left */
} DW_window_lift_T;

/* Real-time model data structure */
struct tag_RTM_window_lift_T {
  const char *errorStatus;
  DW_window_lift_T *dwork;
};

extern void window_lift_initialize(RT_MODEL_window_lift_T *const rtM);
extern void window_lift_step(RT_MODEL_window_lift_T *const rtM, boolean_T rtU_Up, boolean_T rtU_Down, uint8_T rtU_Current,
  boolean_T *rtY_MotorUp, boolean_T *rtY_MotorDown);

#endif

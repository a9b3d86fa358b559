/* Window lift, in the manner of Embedded Coder with reusable functions: debounced keys (two instances of a referenced model), a chart with
 * reversal on excess current. */
#include "window_lift.h"

/* Function for Chart: '<Root>/Lift': whether the current has been too high for long enough. */
static boolean_T window_lift_pinched(uint8_T rtu_Current, DW_window_lift_T *rtDW)
{
  if (rtDW->Blank > 0) {
    rtDW->Blank = (uint8_T)(rtDW->Blank - 1);
    return false;
  }
  rtDW->Over = (uint8_T)(rtu_Current > window_lift_LIMIT ? rtDW->Over + 1 : 0);
  return (boolean_T)(rtDW->Over >= window_lift_SAMPLES && rtDW->Position < window_lift_SEAL);
}

static void window_lift_Up(boolean_T rtu_Up, uint8_T rtu_Current, DW_window_lift_T *rtDW)
{
  if (window_lift_pinched(rtu_Current, rtDW)) {
    rtDW->is_c3_window_lift = window_lift_IN_Reverse;
    rtDW->Back = window_lift_REVERSE;
  } else if ((!rtu_Up) || (rtDW->Position >= window_lift_TOP)) {
    rtDW->is_c3_window_lift = window_lift_IN_Idle;
  } else {
    rtDW->Position++;
  }
}

static void window_lift_Idle(boolean_T rtu_Up, boolean_T rtu_Down, DW_window_lift_T *rtDW)
{
  if (rtu_Up && (!rtu_Down) && (rtDW->Position < window_lift_TOP)) {
    rtDW->is_c3_window_lift = window_lift_IN_Up;
    rtDW->Blank = window_lift_BLANK;
    rtDW->Over = 0U;
  } else if (rtu_Down && (!rtu_Up) && (rtDW->Position > 0)) {
    rtDW->is_c3_window_lift = window_lift_IN_Down;
  }
}

/* Chart: '<Root>/Lift' */
static void window_lift_Lift(boolean_T rtu_Up, boolean_T rtu_Down, uint8_T rtu_Current, DW_window_lift_T *rtDW)
{
  if (rtDW->is_active_c3_window_lift == 0U) {
    rtDW->is_active_c3_window_lift = 1U;
    rtDW->is_c3_window_lift = window_lift_IN_Idle;
  } else {
    switch (rtDW->is_c3_window_lift) {
     case window_lift_IN_Down:
      if ((!rtu_Down) || (rtDW->Position <= 0)) {
        rtDW->is_c3_window_lift = window_lift_IN_Idle;
      } else {
        rtDW->Position--;
      }
      break;

     case window_lift_IN_Idle:
      window_lift_Idle(rtu_Up, rtu_Down, rtDW);
      break;

     case window_lift_IN_Reverse:
      if ((rtDW->Back == 0) || (rtDW->Position <= 0)) {
        rtDW->is_c3_window_lift = window_lift_IN_Idle;
      } else {
        rtDW->Back = (uint8_T)(rtDW->Back - 1);
        rtDW->Position--;
      }
      break;

     default:
      window_lift_Up(rtu_Up, rtu_Current, rtDW);
      break;
    }
  }
}

/* Model step function */
void window_lift_step(RT_MODEL_window_lift_T *const rtM, boolean_T rtU_Up, boolean_T rtU_Down, uint8_T rtU_Current,
  boolean_T *rtY_MotorUp, boolean_T *rtY_MotorDown)
{
  DW_window_lift_T *rtDW = rtM->dwork;
  boolean_T rtb_Up;
  boolean_T rtb_Down;

  /* ModelReference: '<Root>/Up' */
  debounce(&rtU_Up, &rtb_Up, &(rtDW->Up_InstanceData.rtdw));

  /* ModelReference: '<Root>/Down' */
  debounce(&rtU_Down, &rtb_Down, &(rtDW->Down_InstanceData.rtdw));

  window_lift_Lift(rtb_Up, rtb_Down, rtU_Current, rtDW);
  *rtY_MotorUp = (boolean_T)(rtDW->is_c3_window_lift == window_lift_IN_Up);
  *rtY_MotorDown = (boolean_T)((rtDW->is_c3_window_lift == window_lift_IN_Down) || (rtDW->is_c3_window_lift == window_lift_IN_Reverse));
}

/* Model initialize function */
void window_lift_initialize(RT_MODEL_window_lift_T *const rtM)
{
  DW_window_lift_T *rtDW = rtM->dwork;

  rtmSetErrorStatus(rtM, (NULL));
  debounce_Init(&(rtDW->Up_InstanceData.rtdw));
  debounce_Init(&(rtDW->Down_InstanceData.rtdw));
  rtDW->Position = 0;
  rtDW->is_active_c3_window_lift = 0U;
  rtDW->is_c3_window_lift = 0U;
  rtDW->Over = 0U;
  rtDW->Blank = 0U;
  rtDW->Back = 0U;
}

/* Cruise control with PI controller, in the manner of Embedded Coder: a chart for the modes, a discrete PI controller with
 * clamped integrator. */
#include "cruise_pi.h"

DW_cruise_pi_T rtDW;
ExtU_cruise_pi_T rtU;
ExtY_cruise_pi_T rtY;

const P_cruise_pi_T rtP = {
  0.5F,                                /* Kp */
  0.125F,                              /* KiTs */
  60.0F,                               /* IntegratorMax */
  40.0F,                               /* SpeedMin */
  80.0F,                               /* TargetMax */
  5.0F                                 /* AccelStep */
};

/* Entry of Active with a new target. */
static void cruise_pi_engage(void)
{
  rtDW.Target = rtU.Speed;
  rtDW.Integrator_DSTATE = 0.0F;
  rtDW.is_c1_cruise_pi = cruise_pi_IN_Active;
}

/* During of Active. */
static void cruise_pi_Active(void)
{
  if (rtU.Cancel) {
    rtDW.is_c1_cruise_pi = cruise_pi_IN_Off;
  } else if (rtU.Brake || (rtU.Speed < 0.75F * rtP.SpeedMin)) {
    rtDW.is_c1_cruise_pi = cruise_pi_IN_Paused;
  } else if (rtU.Accel) {
    rtDW.Target += rtP.AccelStep;
    if (rtDW.Target > rtP.TargetMax) {
      rtDW.Target = rtP.TargetMax;
    }
  }
}

/* During of Paused. */
static void cruise_pi_Paused(void)
{
  if (rtU.Cancel) {
    rtDW.is_c1_cruise_pi = cruise_pi_IN_Off;
  } else if ((!rtU.Brake) && (rtU.Speed >= rtP.SpeedMin)) {
    if (rtU.Set) {
      cruise_pi_engage();
    } else if (rtU.Resume) {
      rtDW.Integrator_DSTATE = 0.0F;
      rtDW.is_c1_cruise_pi = cruise_pi_IN_Active;
    }
  }
}

/* Chart: '<S1>/Mode' */
static void cruise_pi_Mode(void)
{
  if (rtDW.is_active_c1_cruise_pi == 0U) {
    rtDW.is_active_c1_cruise_pi = 1U;
    rtDW.is_c1_cruise_pi = cruise_pi_IN_Off;
  } else {
    switch (rtDW.is_c1_cruise_pi) {
     case cruise_pi_IN_Active:
      cruise_pi_Active();
      break;

     case cruise_pi_IN_Off:
      if (rtU.Set && (!rtU.Brake) && (rtU.Speed >= rtP.SpeedMin)) {
        cruise_pi_engage();
      }
      break;

     default:
      cruise_pi_Paused();
      break;
    }
  }
}

/* Model step function */
void cruise_pi_step(void)
{
  real32_T rtb_Error;
  real32_T rtb_Sum;

  cruise_pi_Mode();
  rtY.Engaged = (boolean_T)(rtDW.is_c1_cruise_pi == cruise_pi_IN_Active);
  if (rtY.Engaged) {
    /* Sum: '<S2>/Error', Gain: '<S2>/Kp', Sum: '<S2>/Sum' */
    rtb_Error = rtDW.Target - rtU.Speed;
    rtb_Sum = rtP.Kp * rtb_Error + rtDW.Integrator_DSTATE;

    /* Saturate: '<S2>/Saturation' */
    if (rtb_Sum > 100.0F) {
      rtY.Throttle = 100.0F;
    } else if (rtb_Sum < 0.0F) {
      rtY.Throttle = 0.0F;
    } else {
      rtY.Throttle = rtb_Sum;
    }

    /* Update for DiscreteIntegrator: '<S2>/Integrator' */
    rtDW.Integrator_DSTATE += rtP.KiTs * rtb_Error;
    if (rtDW.Integrator_DSTATE >= rtP.IntegratorMax) {
      rtDW.Integrator_DSTATE = rtP.IntegratorMax;
    } else if (rtDW.Integrator_DSTATE <= 0.0F) {
      rtDW.Integrator_DSTATE = 0.0F;
    }
  } else {
    rtY.Throttle = 0.0F;
  }
}

/* Model initialize function */
void cruise_pi_initialize(void)
{
  rtDW.Integrator_DSTATE = 0.0F;
  rtDW.Target = 0.0F;
  rtDW.is_active_c1_cruise_pi = 0U;
  rtDW.is_c1_cruise_pi = 0U;
}

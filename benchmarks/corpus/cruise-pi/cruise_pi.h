/* Cruise control with PI controller: interface of the generated code. */
#ifndef RTW_HEADER_cruise_pi_h_
#define RTW_HEADER_cruise_pi_h_

#include "rtwtypes.h"

/* Named states of Chart: '<S1>/Mode' */
#define cruise_pi_IN_Active            ((uint8_T)1U)
#define cruise_pi_IN_Off               ((uint8_T)2U)
#define cruise_pi_IN_Paused            ((uint8_T)3U)

/* Block states (default storage) */
typedef struct {
  real32_T Integrator_DSTATE;          /* '<S2>/Integrator' */
  real32_T Target;                     /* '<S1>/Mode' */
  uint8_T is_active_c1_cruise_pi;      /* '<S1>/Mode' */
  uint8_T is_c1_cruise_pi;             /* '<S1>/Mode' */
} DW_cruise_pi_T;

/* External inputs (root inport signals with default storage) */
typedef struct {
  real32_T Speed;                      /* '<Root>/Speed', km/h */
  boolean_T Set;                       /* '<Root>/Set' */
  boolean_T Resume;                    /* '<Root>/Resume' */
  boolean_T Cancel;                    /* '<Root>/Cancel' */
  boolean_T Accel;                     /* '<Root>/Accel' */
  boolean_T Brake;                     /* '<Root>/Brake' */
} ExtU_cruise_pi_T;

/* External outputs (root outports fed by signals with default storage) */
typedef struct {
  real32_T Throttle;                   /* '<Root>/Throttle', % */
  boolean_T Engaged;                   /* '<Root>/Engaged' */
} ExtY_cruise_pi_T;

/* Parameters (default storage) */
typedef struct {
  real32_T Kp;                         /* proportional gain, %/(km/h) */
  real32_T KiTs;                       /* integral gain times sample time */
  real32_T IntegratorMax;              /* % */
  real32_T SpeedMin;                   /* least speed for control, km/h */
  real32_T TargetMax;                  /* km/h */
  real32_T AccelStep;                  /* km/h */
} P_cruise_pi_T;

extern DW_cruise_pi_T rtDW;
extern ExtU_cruise_pi_T rtU;
extern ExtY_cruise_pi_T rtY;
extern const P_cruise_pi_T rtP;

extern void cruise_pi_initialize(void);
extern void cruise_pi_step(void);

#endif

/* Idle speed controller: low-pass, feed-forward tables over coolant, PI with clamping, mode chart.  Embedded Coder style. */
/* Basic types (rtwtypes) */
typedef signed char int8_T;
typedef unsigned char uint8_T;
typedef short int16_T;
typedef unsigned short uint16_T;
typedef int int32_T;
typedef unsigned int uint32_T;
typedef float real32_T;
typedef double real_T;
typedef unsigned char boolean_T;
#ifndef true
#define true (1U)
#define false (0U)
#endif

#define idle_speed_IN_Off    ((uint8_T)1U)
#define idle_speed_IN_Crank  ((uint8_T)2U)
#define idle_speed_IN_Idle   ((uint8_T)3U)
#define idle_speed_IN_Limp   ((uint8_T)4U)

typedef struct {
  real32_T EngSpd;      /* rpm */
  real32_T CoolT;       /* degC */
  boolean_T KeyOn;
  boolean_T AcReq;
} ExtU_idle_speed_T;
typedef struct {
  real32_T Duty;        /* percent */
  real32_T TargetSpd;
  uint8_T Mode;
} ExtY_idle_speed_T;
typedef struct {
  real32_T Filter_DSTATE;
  real32_T Integrator_DSTATE;
  real32_T LastDuty_DSTATE;
  uint8_T is_active_c1_idle_speed;
  uint8_T is_c1_idle_speed;
  uint8_T temporalCounter_i1;
  uint8_T Stall;
} DW_idle_speed_T;

static const real32_T rtCP_bpCool[5] = { -30.0F, 0.0F, 20.0F, 60.0F, 90.0F };
static const real32_T rtCP_inv[4] = { 0.0333333F, 0.05F, 0.025F, 0.0333333F };
static const real32_T rtCP_tabTarget[5] = { 1300.0F, 1150.0F, 1000.0F, 850.0F, 750.0F };
static const real32_T rtCP_tabFF[4] = { 48.0F, 36.0F, 26.0F, 18.0F };

ExtU_idle_speed_T idle_speed_U;
ExtY_idle_speed_T idle_speed_Y;
DW_idle_speed_T idle_speed_DW;

/* Prelookup: binary search, clipped ends; clipped index also for a direct lookup */
uint32_T plook_u32ff_binx(real32_T u, const real32_T bp[], uint32_T maxIndex, real32_T *fraction)
{
  uint32_T bpIndex;
  uint32_T iRght;
  uint32_T bpIdx;
  if (u <= bp[0U]) {
    bpIndex = 0U;
    *fraction = 0.0F;
  } else if (u < bp[maxIndex]) {
    bpIdx = maxIndex >> 1U;
    bpIndex = 0U;
    iRght = maxIndex;
    while (iRght - bpIndex > 1U) {
      if (u < bp[bpIdx]) {
        iRght = bpIdx;
      } else {
        bpIndex = bpIdx;
      }
      bpIdx = (iRght + bpIndex) >> 1U;
    }
    *fraction = (u - bp[bpIndex]) * rtCP_inv[bpIndex];
  } else {
    bpIndex = maxIndex - 1U;
    *fraction = 1.0F;
  }
  return bpIndex;
}
static real32_T intrp1d_fu32fl(uint32_T bpIndex, real32_T frac, const real32_T table[])
{
  return (table[bpIndex + 1U] - table[bpIndex]) * frac + table[bpIndex];
}

void idle_speed_step(void)
{
  real32_T rtb_Filter;
  real32_T rtb_Target;
  real32_T rtb_Err;
  real32_T rtb_Sum;
  real32_T rtb_Sat;
  real32_T frac;
  uint32_T idx;
  boolean_T rtb_Run;

  /* DiscreteFilter: first order, a = 0.25 */
  rtb_Filter = (idle_speed_U.EngSpd - idle_speed_DW.Filter_DSTATE) * 0.25F + idle_speed_DW.Filter_DSTATE;
  idle_speed_DW.Filter_DSTATE = rtb_Filter;

  idx = plook_u32ff_binx(idle_speed_U.CoolT, rtCP_bpCool, 4U, &frac);
  rtb_Target = intrp1d_fu32fl(idx, frac, rtCP_tabTarget);
  if (idle_speed_U.AcReq) {
    rtb_Target += 150.0F;
  }

  /* Chart: '<Root>/Mode' */
  if (idle_speed_DW.temporalCounter_i1 < 255U) {
    idle_speed_DW.temporalCounter_i1++;
  }
  if (idle_speed_DW.is_active_c1_idle_speed == 0U) {
    idle_speed_DW.is_active_c1_idle_speed = 1U;
    idle_speed_DW.is_c1_idle_speed = idle_speed_IN_Off;
  } else {
    switch (idle_speed_DW.is_c1_idle_speed) {
     case idle_speed_IN_Off:
      if (idle_speed_U.KeyOn) {
        idle_speed_DW.is_c1_idle_speed = idle_speed_IN_Crank;
        idle_speed_DW.temporalCounter_i1 = 0U;
      }
      break;
     case idle_speed_IN_Crank:
      if (!idle_speed_U.KeyOn) {
        idle_speed_DW.is_c1_idle_speed = idle_speed_IN_Off;
      } else if ((rtb_Filter > 500.0F) && (idle_speed_DW.temporalCounter_i1 >= 2U)) {
        idle_speed_DW.is_c1_idle_speed = idle_speed_IN_Idle;
        idle_speed_DW.Stall = 0U;
        idle_speed_DW.Integrator_DSTATE = 0.0F;
      }
      break;
     case idle_speed_IN_Idle:
      if (!idle_speed_U.KeyOn) {
        idle_speed_DW.is_c1_idle_speed = idle_speed_IN_Off;
      } else {
        if ((rtb_Filter < 450.0F) && (idle_speed_DW.LastDuty_DSTATE >= 50.0F)) {
          idle_speed_DW.Stall++;
        } else {
          idle_speed_DW.Stall = 0U;
        }
        if (idle_speed_DW.Stall >= 2U) {
          idle_speed_DW.is_c1_idle_speed = idle_speed_IN_Limp;
        }
      }
      break;
     default:
      if (!idle_speed_U.KeyOn) {
        idle_speed_DW.is_c1_idle_speed = idle_speed_IN_Off;
      }
      break;
    }
  }

  rtb_Run = (boolean_T)(idle_speed_DW.is_c1_idle_speed == idle_speed_IN_Idle);
  rtb_Err = rtb_Target - rtb_Filter;
  rtb_Sum = rtCP_tabFF[idx];
  if (rtb_Run) {
    idle_speed_DW.Integrator_DSTATE += rtb_Err * 0.01F;
    if (idle_speed_DW.Integrator_DSTATE > 15.0F) {
      idle_speed_DW.Integrator_DSTATE = 15.0F;
    } else if (idle_speed_DW.Integrator_DSTATE < -15.0F) {
      idle_speed_DW.Integrator_DSTATE = -15.0F;
    }
    rtb_Sum += rtb_Err * 0.02F + idle_speed_DW.Integrator_DSTATE;
  }
  /* Saturate */
  if (rtb_Sum > 60.0F) {
    rtb_Sat = 60.0F;
  } else if (rtb_Sum < 5.0F) {
    rtb_Sat = 5.0F;
  } else {
    rtb_Sat = rtb_Sum;
  }
  if (idle_speed_DW.is_c1_idle_speed == idle_speed_IN_Limp) {
    rtb_Sat = 35.0F;
  } else if (idle_speed_DW.is_c1_idle_speed == idle_speed_IN_Off) {
    rtb_Sat = 0.0F;
  }
  idle_speed_DW.LastDuty_DSTATE = rtb_Sat;
  idle_speed_Y.Duty = rtb_Sat;
  idle_speed_Y.TargetSpd = rtb_Target;
  idle_speed_Y.Mode = idle_speed_DW.is_c1_idle_speed;
}

void idle_speed_initialize(void)
{
  idle_speed_DW.Filter_DSTATE = 0.0F;
  idle_speed_DW.Integrator_DSTATE = 0.0F;
  idle_speed_DW.LastDuty_DSTATE = 0.0F;
  idle_speed_DW.is_active_c1_idle_speed = 0U;
  idle_speed_DW.is_c1_idle_speed = 0U;
  idle_speed_DW.temporalCounter_i1 = 0U;
  idle_speed_DW.Stall = 0U;
}

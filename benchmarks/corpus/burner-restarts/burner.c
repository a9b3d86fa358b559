/* Gas burner control: purge, ignite, stabilise, run; each failed start is counted, lock-out after ten. 100 ms. */
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

typedef struct { boolean_T HeatDemand; boolean_T Flame; boolean_T AirSwitch; boolean_T Reset; uint8_T GasPress; } ExtU_burner_T;
typedef struct { boolean_T Fan; boolean_T Spark; boolean_T Valve; boolean_T Lockout; } ExtY_burner_T;
typedef struct {
  uint16_T temporalCounter_i1;
  uint8_T is_active_c1_burner;
  uint8_T is_c1_burner;
  uint8_T is_Start;
  uint8_T Fails;
  uint8_T AirLoss;
} DW_burner_T;
ExtU_burner_T burner_U;
ExtY_burner_T burner_Y;
DW_burner_T burner_DW;
#define burner_IN_NO_ACTIVE_CHILD ((uint8_T)0U)
#define burner_IN_Standby  ((uint8_T)1U)
#define burner_IN_Start    ((uint8_T)2U)
#define burner_IN_Run      ((uint8_T)3U)
#define burner_IN_PostPurge ((uint8_T)4U)
#define burner_IN_Lockout  ((uint8_T)5U)
#define burner_IN_AirProof ((uint8_T)1U)
#define burner_IN_Purge    ((uint8_T)2U)
#define burner_IN_Ignite   ((uint8_T)3U)
#define burner_IN_Stabilise ((uint8_T)4U)

static void burner_fail(void)
{
  burner_DW.Fails++;
  burner_DW.is_Start = burner_IN_NO_ACTIVE_CHILD;
  burner_DW.temporalCounter_i1 = 0U;
  burner_Y.Spark = false;
  burner_Y.Valve = false;
  if (burner_DW.Fails >= 10U) {
    burner_DW.is_c1_burner = burner_IN_Lockout;
    burner_Y.Lockout = true;
    burner_Y.Fan = false;
  } else {
    burner_DW.is_c1_burner = burner_IN_PostPurge;
  }
}

static void burner_Start(void)
{
  if (!burner_U.HeatDemand && burner_DW.is_Start <= burner_IN_Purge) {
    burner_DW.is_Start = burner_IN_NO_ACTIVE_CHILD;
    burner_DW.is_c1_burner = burner_IN_Standby;
    burner_Y.Fan = false;
    return;
  }
  switch (burner_DW.is_Start) {
   case burner_IN_AirProof:
    if (burner_U.AirSwitch && burner_DW.temporalCounter_i1 >= 10U) {
      burner_DW.is_Start = burner_IN_Purge;
      burner_DW.temporalCounter_i1 = 0U;
      burner_DW.AirLoss = 0U;
    } else if (burner_DW.temporalCounter_i1 >= 100U) {
      burner_DW.is_Start = burner_IN_NO_ACTIVE_CHILD;
      burner_DW.is_c1_burner = burner_IN_Standby;
      burner_Y.Fan = false;
    }
    break;
   case burner_IN_Purge:
    if (!burner_U.AirSwitch) {
      burner_DW.AirLoss++;
      if (burner_DW.AirLoss >= 3U) {
        burner_DW.is_Start = burner_IN_AirProof;
        burner_DW.temporalCounter_i1 = 0U;
      }
    } else {
      burner_DW.AirLoss = 0U;
    }
    if ((burner_DW.is_Start == burner_IN_Purge) && (burner_DW.temporalCounter_i1 >= 80U)) {
      if (burner_U.Flame || burner_U.GasPress < 20U) {
        burner_DW.is_Start = burner_IN_AirProof;
        burner_DW.temporalCounter_i1 = 0U;
      } else {
        burner_DW.is_Start = burner_IN_Ignite;
        burner_DW.temporalCounter_i1 = 0U;
        burner_Y.Spark = true;
        burner_Y.Valve = true;
      }
    }
    break;
   case burner_IN_Ignite:
    if (burner_U.Flame && burner_DW.temporalCounter_i1 >= 5U) {
      burner_DW.is_Start = burner_IN_Stabilise;
      burner_DW.temporalCounter_i1 = 0U;
      burner_Y.Spark = false;
    } else if (burner_DW.temporalCounter_i1 >= 50U) {
      burner_fail();
    }
    break;
   default:
    if (!burner_U.Flame) {
      if (burner_DW.temporalCounter_i1 < 30U) {
        burner_fail();
      } else {
        burner_DW.is_Start = burner_IN_NO_ACTIVE_CHILD;
        burner_DW.is_c1_burner = burner_IN_PostPurge;
        burner_DW.temporalCounter_i1 = 0U;
        burner_Y.Valve = false;
      }
    } else if (burner_DW.temporalCounter_i1 >= 60U) {
      burner_DW.is_Start = burner_IN_NO_ACTIVE_CHILD;
      burner_DW.is_c1_burner = burner_IN_Run;
      burner_DW.temporalCounter_i1 = 0U;
      burner_DW.Fails = 0U;
    }
    break;
  }
}

void burner_step(void)
{
  if (burner_DW.temporalCounter_i1 < 4095U) {
    burner_DW.temporalCounter_i1++;
  }
  if (burner_DW.is_active_c1_burner == 0U) {
    burner_DW.is_active_c1_burner = 1U;
    burner_DW.is_c1_burner = burner_IN_Standby;
  } else {
    switch (burner_DW.is_c1_burner) {
     case burner_IN_Standby:
      if (burner_U.HeatDemand && !burner_U.AirSwitch && !burner_U.Flame) {
        burner_DW.is_c1_burner = burner_IN_Start;
        burner_DW.is_Start = burner_IN_AirProof;
        burner_DW.temporalCounter_i1 = 0U;
        burner_Y.Fan = true;
      }
      break;
     case burner_IN_Start:
      burner_Start();
      break;
     case burner_IN_Run:
      if (!burner_U.Flame) {
        burner_fail();
      } else if (!burner_U.HeatDemand) {
        burner_DW.is_c1_burner = burner_IN_PostPurge;
        burner_DW.temporalCounter_i1 = 0U;
        burner_Y.Valve = false;
      }
      break;
     case burner_IN_PostPurge:
      if (burner_DW.temporalCounter_i1 >= 60U) {
        burner_DW.is_c1_burner = burner_IN_Standby;
        burner_Y.Fan = false;
      }
      break;
     default:
      if (burner_U.Reset && burner_DW.temporalCounter_i1 >= 50U) {
        burner_DW.is_c1_burner = burner_IN_Standby;
        burner_DW.Fails = 0U;
        burner_Y.Lockout = false;
      }
      break;
    }
  }
}

void burner_initialize(void)
{
  burner_DW.temporalCounter_i1 = 0U;
  burner_DW.is_active_c1_burner = 0U;
  burner_DW.is_c1_burner = burner_IN_NO_ACTIVE_CHILD;
  burner_DW.is_Start = burner_IN_NO_ACTIVE_CHILD;
  burner_DW.Fails = 0U;
  burner_DW.AirLoss = 0U;
  burner_Y.Fan = false; burner_Y.Spark = false; burner_Y.Valve = false; burner_Y.Lockout = false;
}

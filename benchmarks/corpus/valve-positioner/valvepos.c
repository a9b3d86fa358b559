/* Control valve positioner mode: 9 modes by thresholds on five double signals; no counters. 50 ms. */
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

typedef struct { real_T Pos; real_T Set; real_T Supply; real_T Pilot; real_T Temp; boolean_T Auto; } ExtU_T;
typedef struct { uint8_T Mode; real_T Drive; boolean_T Alarm; } ExtY_T;
ExtU_T rtU; ExtY_T rtY;
static struct { uint8_T is_c1; boolean_T warned; } rtDW;
enum { OFF = 0, MANUAL, AUTO, FILL, DUMP, HOLDM, STUCK, COLD, FAIL };
void valvepos_initialize(void) { rtDW.is_c1 = OFF; rtDW.warned = false; rtY.Mode = 0U; rtY.Drive = 0.0; rtY.Alarm = false; }
void valvepos_step(void)
{
  real_T e = rtU.Set - rtU.Pos;
  real_T dp = rtU.Supply - rtU.Pilot;
  switch (rtDW.is_c1) {
   case OFF: if (rtU.Supply > 2.75) { rtDW.is_c1 = rtU.Temp < -25.0 ? COLD : MANUAL; } break;
   case COLD: if (rtU.Temp > -18.5) { rtDW.is_c1 = MANUAL; } else if (rtU.Supply < 1.2) { rtDW.is_c1 = OFF; } break;
   case MANUAL: if (rtU.Auto && e > -0.05 && e < 0.05) { rtDW.is_c1 = AUTO; } else if (rtU.Supply < 1.2) { rtDW.is_c1 = OFF; } break;
   case AUTO:
    if (!rtU.Auto) { rtDW.is_c1 = MANUAL; }
    else if (e * 10.0 > 1.5 && dp > 0.4) { rtDW.is_c1 = FILL; }
    else if (e * 10.0 < -1.5) { rtDW.is_c1 = DUMP; }
    break;
   case FILL: if (dp < 0.1 && e > 0.3) { rtDW.is_c1 = STUCK; } else if (e < 0.02) { rtDW.is_c1 = HOLDM; } break;
   case DUMP: if (rtU.Pilot > 3.2 && e < -0.3) { rtDW.is_c1 = STUCK; rtDW.warned = true; } else if (e > -0.02) { rtDW.is_c1 = HOLDM; } break;
   case HOLDM: if (e > 0.08 || e < -0.08) { rtDW.is_c1 = AUTO; } else if (rtU.Temp > 85.0 && rtDW.warned) { rtDW.is_c1 = FAIL; } break;
   case STUCK: if (!rtU.Auto && rtU.Supply > 4.0) { rtDW.is_c1 = MANUAL; } break;
   default: if (rtU.Supply < 0.1) { rtDW.is_c1 = OFF; rtDW.warned = false; } break;
  }
  rtY.Mode = rtDW.is_c1;
  rtY.Drive = rtDW.is_c1 == FILL ? (e > 1.0 ? 1.0 : e) : rtDW.is_c1 == DUMP ? (e < -1.0 ? -1.0 : e) : 0.0;
  rtY.Alarm = (boolean_T)(rtDW.is_c1 >= STUCK);
}

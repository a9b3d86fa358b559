/* Storage tank: two-node thermal model (fixed point, 1/256 K), heater PWM, legionella programme, over-temperature latch. 1 s steps. */
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

typedef struct { uint8_T HeaterPct; uint8_T Draw; boolean_T PumpOn; boolean_T ResetKey; } ExtU_tankheat_T;
typedef struct { int16_T T_top; int16_T T_bot; boolean_T Heat; uint8_T Status; } ExtY_tankheat_T;
typedef struct {
  int32_T Top_DSTATE;          /* 1/256 K */
  int32_T Bot_DSTATE;
  uint32_T Energy;
  uint16_T LegioTimer;
  uint16_T PumpTimer;
  uint8_T is_c5;
  uint8_T is_active_c5;
  boolean_T OverTemp;
} DW_tankheat_T;
ExtU_tankheat_T tankheat_U;
ExtY_tankheat_T tankheat_Y;
DW_tankheat_T tankheat_DW;
#define IN_Normal 1U
#define IN_Hot    2U
#define IN_Legio  3U
#define IN_Done   4U

void tankheat_step(void)
{
  int32_T q;
  int32_T mix;
  int32_T loss;
  uint8_T pct;
  pct = tankheat_U.HeaterPct > 100U ? 100U : tankheat_U.HeaterPct;
  if (tankheat_DW.OverTemp) {
    pct = 0U;
  }
  q = (int32_T)pct >> 1;                                    /* up to 50/256 K per second */
  mix = (tankheat_DW.Top_DSTATE - tankheat_DW.Bot_DSTATE) >> (tankheat_U.PumpOn ? 4 : 10);
  loss = (tankheat_DW.Top_DSTATE - 5120) >> 11;
  tankheat_DW.Top_DSTATE += q - mix - loss;
  tankheat_DW.Bot_DSTATE += mix - (tankheat_U.Draw > 10U ? 40 : (int32_T)tankheat_U.Draw << 2);
  if (tankheat_DW.Bot_DSTATE < 2560) {
    tankheat_DW.Bot_DSTATE = 2560;
  }
  if (tankheat_DW.Top_DSTATE > 25600) {
    tankheat_DW.Top_DSTATE = 25600;
  }
  tankheat_DW.Energy += pct;
  if (tankheat_DW.Energy > 2000000U) {
    tankheat_DW.Energy = 2000000U;
  }
  if (tankheat_U.PumpOn) {
    if (tankheat_DW.PumpTimer < 3600U) {
      tankheat_DW.PumpTimer++;
    }
  } else {
    tankheat_DW.PumpTimer = 0U;
  }
  /* latch */
  if (tankheat_DW.Top_DSTATE >= 24320) {
    tankheat_DW.OverTemp = true;
  } else if (tankheat_U.ResetKey && tankheat_DW.Top_DSTATE < 17920) {
    tankheat_DW.OverTemp = false;
  }
  if (tankheat_DW.is_active_c5 == 0U) {
    tankheat_DW.is_active_c5 = 1U;
    tankheat_DW.is_c5 = IN_Normal;
  } else {
    switch (tankheat_DW.is_c5) {
     case IN_Normal:
      if (tankheat_DW.Top_DSTATE > 15360) {
        tankheat_DW.is_c5 = IN_Hot;
      }
      break;
     case IN_Hot:
      if (tankheat_DW.Top_DSTATE < 12800) {
        tankheat_DW.is_c5 = IN_Normal;
      } else if (tankheat_DW.Bot_DSTATE > 15360) {
        tankheat_DW.is_c5 = IN_Legio;
        tankheat_DW.LegioTimer = 0U;
      }
      break;
     case IN_Legio:
      tankheat_DW.LegioTimer++;
      if (tankheat_DW.Bot_DSTATE < 14848) {
        tankheat_DW.is_c5 = IN_Hot;
      } else if (tankheat_DW.LegioTimer >= 1800U) {
        tankheat_DW.is_c5 = IN_Done;
      }
      break;
     default:
      if (tankheat_DW.Top_DSTATE < 10240) {
        tankheat_DW.is_c5 = IN_Normal;
      }
      break;
    }
  }
  tankheat_Y.T_top = (int16_T)(tankheat_DW.Top_DSTATE >> 8);
  tankheat_Y.T_bot = (int16_T)(tankheat_DW.Bot_DSTATE >> 8);
  tankheat_Y.Heat = (boolean_T)(pct > 0U);
  tankheat_Y.Status = (uint8_T)(tankheat_DW.is_c5 | (tankheat_DW.OverTemp ? 0x80U : 0U));
}

void tankheat_initialize(void)
{
  tankheat_DW.Top_DSTATE = 5120;
  tankheat_DW.Bot_DSTATE = 3840;
  tankheat_DW.Energy = 0U;
  tankheat_DW.LegioTimer = 0U;
  tankheat_DW.PumpTimer = 0U;
  tankheat_DW.is_c5 = 0U;
  tankheat_DW.is_active_c5 = 0U;
  tankheat_DW.OverTemp = false;
}

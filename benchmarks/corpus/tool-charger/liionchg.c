/* Li-ion charger of a tool battery: trickle, constant current, constant voltage; limits 6 to 12 s of simulated time at 50 ms; two slots with one reusable chart. */
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

typedef struct { uint8_T is_c3; uint16_T tm; uint16_T taper; uint8_T fails; uint8_T cold; } DW_Slot_T;
typedef struct { uint16_T Ucell[2]; int16_T Icell[2]; int16_T Tcell[2]; boolean_T Present[2]; boolean_T MainsOk; } ExtU_liionchg_T;
typedef struct { uint8_T State[2]; boolean_T FanOn; boolean_T Shared; } ExtY_liionchg_T;
typedef struct { DW_Slot_T Slot_A; DW_Slot_T Slot_B; uint16_T fanTimer; uint8_T is_Share; uint16_T tShare; } DW_liionchg_T;
ExtU_liionchg_T liionchg_U; ExtY_liionchg_T liionchg_Y; DW_liionchg_T liionchg_DW;
enum { SL_Empty = 0, SL_Trickle, SL_Cc, SL_Cv, SL_Full, SL_Retry, SL_Bad };
static void Slot(boolean_T rtu_Present, uint16_T rtu_U, int16_T rtu_I, int16_T rtu_T, boolean_T rtu_Grant, DW_Slot_T *localDW)
{
  boolean_T tbad = (boolean_T)(rtu_T > 50 || rtu_T < 0);
  if (localDW->tm < 2000U) { localDW->tm++; }
  if (!rtu_Present) { localDW->is_c3 = SL_Empty; localDW->fails = 0U; localDW->tm = 0U; return; }
  if (localDW->is_c3 >= SL_Trickle && localDW->is_c3 <= SL_Cv && tbad) {
    localDW->cold++;
    if (localDW->cold >= 5U) { localDW->cold = 0U; localDW->fails++; localDW->tm = 0U; localDW->is_c3 = localDW->fails >= 3U ? SL_Bad : SL_Retry; return; }
  } else { localDW->cold = 0U; }
  switch (localDW->is_c3) {
   case SL_Empty: if (rtu_U > 500U && localDW->tm >= 10U) { localDW->is_c3 = SL_Trickle; localDW->tm = 0U; } break;
   case SL_Trickle:
    if (rtu_U >= 3000U && localDW->tm >= 40U) { if (rtu_Grant) { localDW->is_c3 = SL_Cc; localDW->tm = 0U; } }
    else if (localDW->tm >= 120U) { localDW->fails++; localDW->tm = 0U; localDW->is_c3 = localDW->fails >= 3U ? SL_Bad : SL_Retry; }
    break;
   case SL_Cc:
    if (rtu_U >= 4150U && localDW->tm >= 60U) { localDW->is_c3 = SL_Cv; localDW->tm = 0U; localDW->taper = 0U; }
    else if (localDW->tm >= 200U || rtu_I < 100) { if (localDW->tm > 8U) { localDW->fails++; localDW->tm = 0U; localDW->is_c3 = localDW->fails >= 3U ? SL_Bad : SL_Retry; } }
    break;
   case SL_Cv:
    localDW->taper = (uint16_T)(rtu_I < 150 && rtu_U >= 4100U ? localDW->taper + 1U : 0U);
    if (localDW->taper >= 60U) { localDW->is_c3 = SL_Full; localDW->fails = 0U; }
    else if (localDW->tm >= 240U) { localDW->is_c3 = SL_Full; }
    break;
   case SL_Full: if (rtu_U < 3900U) { localDW->is_c3 = SL_Cc; localDW->tm = 0U; } break;
   case SL_Retry: if (localDW->tm >= 100U && !tbad) { localDW->is_c3 = SL_Trickle; localDW->tm = 0U; } break;
   default: break;
  }
}
void liionchg_step(void)
{
  boolean_T grantA;
  boolean_T grantB;
  boolean_T hot;
  liionchg_DW.tShare = (uint16_T)(liionchg_DW.tShare < 3000U ? liionchg_DW.tShare + 1U : 3000U);
  switch (liionchg_DW.is_Share) {
   case 0U: if (liionchg_DW.Slot_A.is_c3 == SL_Cc && liionchg_DW.Slot_B.is_c3 == SL_Trickle) { liionchg_DW.is_Share = 1U; liionchg_DW.tShare = 0U; } break;
   case 1U: if (liionchg_DW.tShare >= 150U || liionchg_DW.Slot_A.is_c3 == SL_Cv) { liionchg_DW.is_Share = 2U; liionchg_DW.tShare = 0U; } else if (liionchg_DW.Slot_A.is_c3 != SL_Cc) { liionchg_DW.is_Share = 0U; } break;
   default: if (liionchg_DW.Slot_B.is_c3 == SL_Full || !liionchg_U.Present[1] || liionchg_DW.tShare >= 600U) { liionchg_DW.is_Share = 0U; } break;
  }
  grantA = (boolean_T)(liionchg_U.MainsOk && liionchg_DW.is_Share != 2U);
  grantB = (boolean_T)(liionchg_U.MainsOk && liionchg_DW.is_Share == 2U);
  Slot(liionchg_U.Present[0], liionchg_U.Ucell[0], liionchg_U.Icell[0], liionchg_U.Tcell[0], grantA, &liionchg_DW.Slot_A);
  Slot(liionchg_U.Present[1], liionchg_U.Ucell[1], liionchg_U.Icell[1], liionchg_U.Tcell[1], grantB, &liionchg_DW.Slot_B);
  hot = (boolean_T)(liionchg_U.Tcell[0] > 42 || liionchg_U.Tcell[1] > 42);
  liionchg_DW.fanTimer = (uint16_T)(hot ? 160U : liionchg_DW.fanTimer > 0U ? liionchg_DW.fanTimer - 1U : 0U);
  liionchg_Y.State[0] = liionchg_DW.Slot_A.is_c3; liionchg_Y.State[1] = liionchg_DW.Slot_B.is_c3;
  liionchg_Y.FanOn = (boolean_T)(liionchg_DW.fanTimer > 0U);
  liionchg_Y.Shared = (boolean_T)(liionchg_DW.is_Share == 2U);
}
void liionchg_initialize(void)
{
  static const DW_liionchg_T zero; liionchg_DW = zero;
  liionchg_Y.State[0] = 0U; liionchg_Y.State[1] = 0U; liionchg_Y.FanOn = false; liionchg_Y.Shared = false;
}

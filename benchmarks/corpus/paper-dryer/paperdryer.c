/* Paper dryer section: two rates, 20 ms (step0) and 200 ms (step1), ert_main with rt_OneStep. */
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

typedef struct { int16_T WebTension; uint8_T Moist; boolean_T Thread; boolean_T Run; boolean_T Break; } ExtU;
typedef struct { int16_T TensionCmd; uint8_T Steam; uint8_T Mode; boolean_T Cut; } ExtY;
typedef struct { int16_T Filt; int16_T RateTransition_Buffer; uint8_T breakCnt; boolean_T breakLatch; uint8_T is_slow; uint8_T is_active_slow; uint8_T t; uint8_T steam; uint8_T wetRuns; } DW;
ExtU paperdryer_U; ExtY paperdryer_Y; DW paperdryer_DW;
enum { S_STOP = 1, S_THREAD, S_WARM, S_RUN, S_BROKEN };
void paperdryer_step0(void)
{
  paperdryer_DW.Filt = (int16_T)(paperdryer_DW.Filt + ((paperdryer_U.WebTension - paperdryer_DW.Filt) >> 2));
  paperdryer_DW.breakCnt = (uint8_T)(paperdryer_U.Break && paperdryer_DW.Filt < 50 ? (paperdryer_DW.breakCnt < 7U ? paperdryer_DW.breakCnt + 1U : 7U) : 0U);
  if (paperdryer_DW.breakCnt >= 4U) { paperdryer_DW.breakLatch = true; }
  paperdryer_Y.Cut = paperdryer_DW.breakLatch;
  paperdryer_DW.RateTransition_Buffer = paperdryer_DW.Filt;
}
void paperdryer_step1(void)
{
  int16_T ten = paperdryer_DW.RateTransition_Buffer;
  if (paperdryer_DW.t < 250U) { paperdryer_DW.t++; }
  if (!paperdryer_DW.is_active_slow) { paperdryer_DW.is_active_slow = 1U; paperdryer_DW.is_slow = S_STOP; return; }
  if (paperdryer_DW.breakLatch && paperdryer_DW.is_slow > S_STOP && paperdryer_DW.is_slow < S_BROKEN) { paperdryer_DW.is_slow = S_BROKEN; paperdryer_DW.t = 0U; }
  switch (paperdryer_DW.is_slow) {
   case S_STOP: paperdryer_DW.steam = 0U; if (paperdryer_U.Thread && !paperdryer_U.Run) { paperdryer_DW.is_slow = S_THREAD; paperdryer_DW.t = 0U; paperdryer_DW.breakLatch = false; } break;
   case S_THREAD: if (ten > 120 && paperdryer_DW.t >= 10U) { paperdryer_DW.is_slow = S_WARM; paperdryer_DW.t = 0U; } else if (paperdryer_DW.t >= 25U) { paperdryer_DW.is_slow = S_STOP; } break;
   case S_WARM: if (paperdryer_DW.steam < 80U) { paperdryer_DW.steam += 5U; } else if (paperdryer_U.Run) { paperdryer_DW.is_slow = S_RUN; paperdryer_DW.t = 0U; } break;
   case S_RUN:
    if (paperdryer_U.Moist > 60U && paperdryer_DW.steam < 100U) { paperdryer_DW.steam++; }
    else if (paperdryer_U.Moist < 30U && paperdryer_DW.steam > 40U) { paperdryer_DW.steam--; }
    if (paperdryer_DW.steam == 100U && paperdryer_DW.t >= 15U) { paperdryer_DW.wetRuns++; paperdryer_DW.is_slow = S_WARM; paperdryer_DW.steam = 60U; }
    else if (!paperdryer_U.Run) { paperdryer_DW.is_slow = S_STOP; }
    break;
   default: if (paperdryer_DW.t >= 20U && !paperdryer_U.Run) { paperdryer_DW.breakLatch = false; paperdryer_DW.is_slow = S_STOP; } break;
  }
  if (paperdryer_DW.wetRuns > 5U) { paperdryer_DW.wetRuns = 5U; }
  paperdryer_Y.Mode = paperdryer_DW.is_slow; paperdryer_Y.Steam = paperdryer_DW.steam;
  paperdryer_Y.TensionCmd = (int16_T)(paperdryer_DW.is_slow == S_RUN ? 400 : paperdryer_DW.is_slow == S_THREAD ? 150 : 0);
}
void paperdryer_initialize(void)
{
  static const DW zero; paperdryer_DW = zero;
  paperdryer_Y.TensionCmd = 0; paperdryer_Y.Steam = 0U; paperdryer_Y.Mode = 0U; paperdryer_Y.Cut = false;
}

/* Washer door lock and drain: base rate 10 ms, chart every fifth tick (sample time 50 ms). */
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

typedef struct { boolean_T StartKey; boolean_T DoorClosed; uint8_T Level; boolean_T Cancel; } ExtU;
typedef struct { boolean_T Lock; boolean_T Pump; boolean_T Warn; } ExtY;
typedef struct {
  uint8_T TID1;                  /* rate counter */
  uint8_T is_active_c3_washdoor;
  uint8_T is_c3_washdoor;
  uint8_T temporalCounter_i1;
  uint8_T holdDoor;              /* behind the divider */
  uint8_T holdEmpty;
  uint8_T retry;
} DW;
ExtU rtU; ExtY rtY; DW rtDW;
#define IN_Open ((uint8_T)1U)
#define IN_Locking ((uint8_T)2U)
#define IN_Wash ((uint8_T)3U)
#define IN_Drain ((uint8_T)4U)
#define IN_Fault ((uint8_T)5U)

static void washdoor_Chart(void)
{
  if (rtDW.temporalCounter_i1 < 255U) {
    rtDW.temporalCounter_i1++;
  }
  if (rtDW.is_active_c3_washdoor == 0U) {
    rtDW.is_active_c3_washdoor = 1U;
    rtDW.is_c3_washdoor = IN_Open;
    rtY.Lock = false;
    return;
  }
  switch (rtDW.is_c3_washdoor) {
   case IN_Open:
    rtDW.holdDoor = (uint8_T)(rtU.DoorClosed && rtU.StartKey ? rtDW.holdDoor + 1 : 0);
    if (rtDW.holdDoor >= 10U) {
      rtDW.is_c3_washdoor = IN_Locking;
      rtDW.temporalCounter_i1 = 0U;
      rtDW.holdDoor = 0U;
      rtY.Lock = true;
    }
    break;
   case IN_Locking:
    if (!rtU.DoorClosed) {
      rtDW.retry++;
      rtY.Lock = false;
      if (rtDW.retry >= 3U) {
        rtDW.is_c3_washdoor = IN_Fault;
        rtY.Warn = true;
      } else {
        rtDW.is_c3_washdoor = IN_Open;
      }
    } else if (rtDW.temporalCounter_i1 >= 12U) {
      rtDW.is_c3_washdoor = IN_Wash;
      rtDW.temporalCounter_i1 = 0U;
    }
    break;
   case IN_Wash:
    if (rtU.Cancel || rtDW.temporalCounter_i1 >= 60U) {
      rtDW.is_c3_washdoor = IN_Drain;
      rtDW.temporalCounter_i1 = 0U;
      rtDW.holdEmpty = 0U;
      rtY.Pump = true;
    }
    break;
   case IN_Drain:
    rtDW.holdEmpty = (uint8_T)(rtU.Level < 3U ? rtDW.holdEmpty + 1 : 0);
    if (rtDW.holdEmpty >= 20U) {
      rtDW.is_c3_washdoor = IN_Open;
      rtY.Pump = false;
      rtY.Lock = false;
      rtDW.retry = 0U;
    } else if (rtDW.temporalCounter_i1 >= 50U) {
      rtDW.is_c3_washdoor = IN_Fault;
      rtY.Pump = false;
      rtY.Warn = true;
    }
    break;
   default:
    if (rtU.Cancel && rtU.Level == 0U) {
      rtDW.is_c3_washdoor = IN_Open;
      rtDW.retry = 0U;
      rtY.Lock = false;
      rtY.Warn = false;
    }
    break;
  }
}

void washdoor_step(void)
{
  if (rtDW.TID1 == 0U) {
    washdoor_Chart();
  }
  rtDW.TID1++;
  if (rtDW.TID1 > 4U) {
    rtDW.TID1 = 0U;
  }
}

void washdoor_initialize(void)
{
  rtDW.TID1 = 0U;
  rtDW.is_active_c3_washdoor = 0U;
  rtDW.is_c3_washdoor = 0U;
  rtDW.temporalCounter_i1 = 0U;
  rtDW.holdDoor = 0U;
  rtDW.holdEmpty = 0U;
  rtDW.retry = 0U;
  rtY.Lock = false; rtY.Pump = false; rtY.Warn = false;
}

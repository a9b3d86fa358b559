/* Diagnostic gateway: state codes go through three layers (raw, bus, display), each with its own constants. 10 ms. */
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

typedef struct { uint8_T Req; boolean_T Ack; boolean_T BusOff; uint8_T Volt; } ExtU_gw_T;
typedef struct { uint16_T BusWord; uint8_T Display; uint32_T Signature; } ExtY_gw_T;
typedef struct { uint16_T raw; uint16_T bus; uint16_T busOld; uint8_T disp; uint32_T sig; uint8_T cnt; uint8_T uv; } DW_gw_T;
ExtU_gw_T gatewaycode_U; ExtY_gw_T gatewaycode_Y; DW_gw_T gatewaycode_DW;
#define RAW_INIT  0x0000U
#define RAW_IDLE  0x1234U
#define RAW_BUSY  0x2BCDU
#define RAW_ERR   0x7F01U
#define RAW_LOST  0x7F7FU
#define BUS_OK    0xA55AU
#define BUS_WAIT  0xA5C3U
#define BUS_FAIL  0x5AFFU
#define BUS_NONE  0xFFFFU

static uint16_T gw_raw(uint16_T raw)
{
  uint16_T next = raw;
  switch (raw) {
   case RAW_INIT: next = gatewaycode_DW.cnt >= 5U ? RAW_IDLE : RAW_INIT; break;
   case RAW_IDLE: if (gatewaycode_U.BusOff) { next = RAW_LOST; } else if (gatewaycode_U.Req == 0x31U) { next = RAW_BUSY; gatewaycode_DW.cnt = 0U; } break;
   case RAW_BUSY: if (gatewaycode_U.Ack && gatewaycode_DW.cnt >= 3U) { next = RAW_IDLE; } else if (gatewaycode_DW.cnt >= 20U) { next = RAW_ERR; } break;
   case RAW_ERR: if (gatewaycode_U.Req == 0x14U) { next = RAW_IDLE; } else if (gatewaycode_U.BusOff) { next = RAW_LOST; } break;
   default: if (!gatewaycode_U.BusOff) { next = RAW_INIT; gatewaycode_DW.cnt = 0U; } break;
  }
  return next;
}
static uint16_T gw_bus(uint16_T raw)
{
  if (gatewaycode_DW.uv >= 3U) { return BUS_NONE; }
  switch (raw) {
   case RAW_IDLE: return BUS_OK;
   case RAW_BUSY: case RAW_INIT: return BUS_WAIT;
   case RAW_ERR: return BUS_FAIL;
   default: return BUS_NONE;
  }
}
static uint8_T gw_disp(uint16_T bus, uint16_T old)
{
  uint8_T hi = (uint8_T)(bus >> 8);
  if (bus != old) { return hi == 0xA5U ? 0x11U : 0x22U; }
  return (uint8_T)(hi == 0xFFU ? 0x80U : hi == 0x5AU ? 0x44U : 0x01U);
}
void gatewaycode_step(void)
{
  gatewaycode_DW.cnt = (uint8_T)(gatewaycode_DW.cnt < 100U ? gatewaycode_DW.cnt + 1U : 100U);
  gatewaycode_DW.uv = (uint8_T)(gatewaycode_U.Volt < 90U ? (gatewaycode_DW.uv < 3U ? gatewaycode_DW.uv + 1U : 3U) : 0U);
  gatewaycode_DW.busOld = gatewaycode_DW.bus;
  gatewaycode_DW.raw = gw_raw(gatewaycode_DW.raw);
  gatewaycode_DW.bus = gw_bus(gatewaycode_DW.raw);
  gatewaycode_DW.disp = gw_disp(gatewaycode_DW.bus, gatewaycode_DW.busOld);
  gatewaycode_DW.sig = ((uint32_T)gatewaycode_DW.raw << 16) | gatewaycode_DW.bus;
  gatewaycode_Y.BusWord = gatewaycode_DW.bus; gatewaycode_Y.Display = gatewaycode_DW.disp; gatewaycode_Y.Signature = gatewaycode_DW.sig;
}
void gatewaycode_initialize(void)
{
  gatewaycode_DW.raw = RAW_INIT; gatewaycode_DW.bus = BUS_NONE; gatewaycode_DW.busOld = BUS_NONE; gatewaycode_DW.disp = 0x80U;
  gatewaycode_DW.sig = 0U; gatewaycode_DW.cnt = 0U; gatewaycode_DW.uv = 0U;
}

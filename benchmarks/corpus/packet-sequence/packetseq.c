/* Sequence supervision: counter up by one or four, down on negative acknowledge; a is the state of a small chart. 5 ms. */
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

typedef struct { uint8_T Cmd; int16_T Value; boolean_T Arm; } ExtU_T;
ExtU_T rtU;
static int16_T n; static uint8_T a; static uint8_T t; static boolean_T once;
uint16_T rtY_Count; uint8_T rtY_State;
void packetseq_initialize(void) { n = 0; a = 0U; t = 0U; once = false; rtY_Count = 0U; rtY_State = 0U; }
void packetseq_step(void)
{
  switch (rtU.Cmd) {
   case 1U: if (n < 511) { n++; } break;
   case 2U: if (n + 4 <= 511 && rtU.Value > 100) { n = (int16_T)(n + 4); } break;
   case 3U: if (n >= 64 && !once) { n = (int16_T)(n - 64); once = true; } break;
   case 4U: if (rtU.Value == -77) { n = 0; a = 0U; once = false; } break;
   default: break;
  }
  t = (uint8_T)(t < 250U ? t + 1U : 250U);
  switch (a) {
   case 0U: if (rtU.Arm && t >= 3U) { a = 1U; t = 0U; } break;
   case 1U: if (!rtU.Arm) { a = 0U; t = 0U; } else if (n >= 256) { a = 2U; t = 0U; } break;
   default: if (t >= 200U) { a = 0U; t = 0U; } break;
  }
  rtY_Count = (uint16_T)n; rtY_State = a;
}

/* Station interlocking: ten routes, six points, eight tracks; event-condition-action rules generated from the route table. 200 ms. */
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

typedef struct { boolean_T Req[10]; boolean_T Rel[10]; boolean_T Track[8]; boolean_T PointFb[6]; boolean_T EmergRel; } IL_In;
typedef struct { boolean_T Signal[10]; boolean_T PointCmd[6]; boolean_T Buzzer; } IL_Out;
static struct { uint8_T st[10]; boolean_T reqOld[10]; uint8_T pos[6]; uint8_T tmr[6]; uint8_T lockBy[6]; uint8_T emerg; } D;
IL_In interlock_U; IL_Out interlock_Y;
/* route states: 0 free, 1 setting, 2 locked, 3 occupied */
static void rule_route0(void)
{
  boolean_T ev = (boolean_T)(interlock_U.Req[0] && !D.reqOld[0]);
  D.reqOld[0] = interlock_U.Req[0];
  switch (D.st[0]) {
   case 0U: if (ev && D.st[1] == 0U && D.st[2] == 0U && D.st[5] == 0U && D.st[9] == 0U && !interlock_U.Track[0] && D.emerg == 0U) { D.st[0] = 1U; D.lockBy[0] = 1U; } break;
   case 1U: if (D.pos[0] == 0U && D.tmr[0] == 0U && !interlock_U.Track[0]) { D.st[0] = 2U; } else if (interlock_U.Rel[0]) { D.st[0] = 0U; } break;
   case 2U: if (interlock_U.Track[0]) { D.st[0] = 3U; } else if (interlock_U.Rel[0]) { D.st[0] = 0U; } break;
   default: if (!interlock_U.Track[0] || D.emerg >= 20U) { D.st[0] = 0U; } break;
  }
}
static void rule_route1(void)
{
  boolean_T ev = (boolean_T)(interlock_U.Req[1] && !D.reqOld[1]);
  D.reqOld[1] = interlock_U.Req[1];
  switch (D.st[1]) {
   case 0U: if (ev && D.st[0] == 0U && D.st[2] == 0U && D.st[3] == 0U && D.st[4] == 0U && D.st[9] == 0U && !interlock_U.Track[1] && D.emerg == 0U) { D.st[1] = 1U; D.lockBy[0] = 2U; D.lockBy[1] = 2U; } break;
   case 1U: if (D.pos[0] == 1U && D.tmr[0] == 0U && D.pos[1] == 0U && D.tmr[1] == 0U && !interlock_U.Track[1]) { D.st[1] = 2U; } else if (interlock_U.Rel[1]) { D.st[1] = 0U; } break;
   case 2U: if (interlock_U.Track[1]) { D.st[1] = 3U; } else if (interlock_U.Rel[1]) { D.st[1] = 0U; } break;
   default: if (!interlock_U.Track[1] || D.emerg >= 20U) { D.st[1] = 0U; } break;
  }
}
static void rule_route2(void)
{
  boolean_T ev = (boolean_T)(interlock_U.Req[2] && !D.reqOld[2]);
  D.reqOld[2] = interlock_U.Req[2];
  switch (D.st[2]) {
   case 0U: if (ev && D.st[0] == 0U && D.st[1] == 0U && D.st[3] == 0U && D.st[8] == 0U && D.st[9] == 0U && !interlock_U.Track[2] && D.emerg == 0U) { D.st[2] = 1U; D.lockBy[0] = 3U; D.lockBy[1] = 3U; } break;
   case 1U: if (D.pos[0] == 1U && D.tmr[0] == 0U && D.pos[1] == 1U && D.tmr[1] == 0U && !interlock_U.Track[2]) { D.st[2] = 2U; } else if (interlock_U.Rel[2]) { D.st[2] = 0U; } break;
   case 2U: if (interlock_U.Track[2]) { D.st[2] = 3U; } else if (interlock_U.Rel[2]) { D.st[2] = 0U; } break;
   default: if (!interlock_U.Track[2] || D.emerg >= 20U) { D.st[2] = 0U; } break;
  }
}
static void rule_route3(void)
{
  boolean_T ev = (boolean_T)(interlock_U.Req[3] && !D.reqOld[3]);
  D.reqOld[3] = interlock_U.Req[3];
  switch (D.st[3]) {
   case 0U: if (ev && D.st[1] == 0U && D.st[2] == 0U && D.st[4] == 0U && D.st[5] == 0U && D.st[7] == 0U && D.st[9] == 0U && !interlock_U.Track[3] && D.emerg == 0U) { D.st[3] = 1U; D.lockBy[1] = 4U; D.lockBy[2] = 4U; } break;
   case 1U: if (D.pos[1] == 0U && D.tmr[1] == 0U && D.pos[2] == 0U && D.tmr[2] == 0U && !interlock_U.Track[3]) { D.st[3] = 2U; } else if (interlock_U.Rel[3]) { D.st[3] = 0U; } break;
   case 2U: if (interlock_U.Track[3]) { D.st[3] = 3U; } else if (interlock_U.Rel[3]) { D.st[3] = 0U; } break;
   default: if (!interlock_U.Track[3] || D.emerg >= 20U) { D.st[3] = 0U; } break;
  }
}
static void rule_route4(void)
{
  boolean_T ev = (boolean_T)(interlock_U.Req[4] && !D.reqOld[4]);
  D.reqOld[4] = interlock_U.Req[4];
  switch (D.st[4]) {
   case 0U: if (ev && D.st[1] == 0U && D.st[3] == 0U && D.st[5] == 0U && D.st[6] == 0U && D.st[9] == 0U && !interlock_U.Track[4] && D.emerg == 0U) { D.st[4] = 1U; D.lockBy[2] = 5U; D.lockBy[3] = 5U; } break;
   case 1U: if (D.pos[2] == 1U && D.tmr[2] == 0U && D.pos[3] == 0U && D.tmr[3] == 0U && !interlock_U.Track[4]) { D.st[4] = 2U; } else if (interlock_U.Rel[4]) { D.st[4] = 0U; } break;
   case 2U: if (interlock_U.Track[4]) { D.st[4] = 3U; } else if (interlock_U.Rel[4]) { D.st[4] = 0U; } break;
   default: if (!interlock_U.Track[4] || D.emerg >= 20U) { D.st[4] = 0U; } break;
  }
}
static void rule_route5(void)
{
  boolean_T ev = (boolean_T)(interlock_U.Req[5] && !D.reqOld[5]);
  D.reqOld[5] = interlock_U.Req[5];
  switch (D.st[5]) {
   case 0U: if (ev && D.st[0] == 0U && D.st[3] == 0U && D.st[4] == 0U && D.st[9] == 0U && !interlock_U.Track[5] && D.emerg == 0U) { D.st[5] = 1U; D.lockBy[2] = 6U; D.lockBy[3] = 6U; } break;
   case 1U: if (D.pos[2] == 1U && D.tmr[2] == 0U && D.pos[3] == 1U && D.tmr[3] == 0U && !interlock_U.Track[5]) { D.st[5] = 2U; } else if (interlock_U.Rel[5]) { D.st[5] = 0U; } break;
   case 2U: if (interlock_U.Track[5]) { D.st[5] = 3U; } else if (interlock_U.Rel[5]) { D.st[5] = 0U; } break;
   default: if (!interlock_U.Track[5] || D.emerg >= 20U) { D.st[5] = 0U; } break;
  }
}
static void rule_route6(void)
{
  boolean_T ev = (boolean_T)(interlock_U.Req[6] && !D.reqOld[6]);
  D.reqOld[6] = interlock_U.Req[6];
  switch (D.st[6]) {
   case 0U: if (ev && D.st[4] == 0U && D.st[7] == 0U && D.st[8] == 0U && D.st[9] == 0U && !interlock_U.Track[6] && D.emerg == 0U) { D.st[6] = 1U; D.lockBy[4] = 7U; } break;
   case 1U: if (D.pos[4] == 0U && D.tmr[4] == 0U && !interlock_U.Track[6]) { D.st[6] = 2U; } else if (interlock_U.Rel[6]) { D.st[6] = 0U; } break;
   case 2U: if (interlock_U.Track[6]) { D.st[6] = 3U; } else if (interlock_U.Rel[6]) { D.st[6] = 0U; } break;
   default: if (!interlock_U.Track[6] || D.emerg >= 20U) { D.st[6] = 0U; } break;
  }
}
static void rule_route7(void)
{
  boolean_T ev = (boolean_T)(interlock_U.Req[7] && !D.reqOld[7]);
  D.reqOld[7] = interlock_U.Req[7];
  switch (D.st[7]) {
   case 0U: if (ev && D.st[3] == 0U && D.st[6] == 0U && D.st[8] == 0U && D.st[9] == 0U && !interlock_U.Track[7] && D.emerg == 0U) { D.st[7] = 1U; D.lockBy[4] = 8U; D.lockBy[5] = 8U; } break;
   case 1U: if (D.pos[4] == 1U && D.tmr[4] == 0U && D.pos[5] == 0U && D.tmr[5] == 0U && !interlock_U.Track[7]) { D.st[7] = 2U; } else if (interlock_U.Rel[7]) { D.st[7] = 0U; } break;
   case 2U: if (interlock_U.Track[7]) { D.st[7] = 3U; } else if (interlock_U.Rel[7]) { D.st[7] = 0U; } break;
   default: if (!interlock_U.Track[7] || D.emerg >= 20U) { D.st[7] = 0U; } break;
  }
}
static void rule_route8(void)
{
  boolean_T ev = (boolean_T)(interlock_U.Req[8] && !D.reqOld[8]);
  D.reqOld[8] = interlock_U.Req[8];
  switch (D.st[8]) {
   case 0U: if (ev && D.st[2] == 0U && D.st[6] == 0U && D.st[7] == 0U && D.st[9] == 0U && !interlock_U.Track[0] && D.emerg == 0U) { D.st[8] = 1U; D.lockBy[4] = 9U; D.lockBy[5] = 9U; } break;
   case 1U: if (D.pos[4] == 1U && D.tmr[4] == 0U && D.pos[5] == 1U && D.tmr[5] == 0U && !interlock_U.Track[0]) { D.st[8] = 2U; } else if (interlock_U.Rel[8]) { D.st[8] = 0U; } break;
   case 2U: if (interlock_U.Track[0]) { D.st[8] = 3U; } else if (interlock_U.Rel[8]) { D.st[8] = 0U; } break;
   default: if (!interlock_U.Track[0] || D.emerg >= 20U) { D.st[8] = 0U; } break;
  }
}
static void rule_route9(void)
{
  boolean_T ev = (boolean_T)(interlock_U.Req[9] && !D.reqOld[9]);
  D.reqOld[9] = interlock_U.Req[9];
  switch (D.st[9]) {
   case 0U: if (ev && D.st[0] == 0U && D.st[1] == 0U && D.st[2] == 0U && D.st[3] == 0U && D.st[4] == 0U && D.st[5] == 0U && D.st[6] == 0U && D.st[7] == 0U && D.st[8] == 0U && !interlock_U.Track[1] && D.emerg == 0U) { D.st[9] = 1U; D.lockBy[0] = 10U; D.lockBy[5] = 10U; D.lockBy[2] = 10U; } break;
   case 1U: if (D.pos[0] == 0U && D.tmr[0] == 0U && D.pos[5] == 1U && D.tmr[5] == 0U && D.pos[2] == 0U && D.tmr[2] == 0U && !interlock_U.Track[1]) { D.st[9] = 2U; } else if (interlock_U.Rel[9]) { D.st[9] = 0U; } break;
   case 2U: if (interlock_U.Track[1]) { D.st[9] = 3U; } else if (interlock_U.Rel[9]) { D.st[9] = 0U; } break;
   default: if (!interlock_U.Track[1] || D.emerg >= 20U) { D.st[9] = 0U; } break;
  }
}
static void rule_point0(void)
{
  if (D.tmr[0] > 0U) { if (interlock_U.PointFb[0] || D.tmr[0] > 1U) { D.tmr[0]--; } }
  else if ((D.st[0] == 1U || D.st[9] == 1U) && D.pos[0] != 0U) { D.pos[0] = 0U; D.tmr[0] = 4U; }
  else if ((D.st[1] == 1U || D.st[2] == 1U) && D.pos[0] != 1U) { D.pos[0] = 1U; D.tmr[0] = 4U; }
}
static void rule_point1(void)
{
  if (D.tmr[1] > 0U) { if (interlock_U.PointFb[1] || D.tmr[1] > 1U) { D.tmr[1]--; } }
  else if ((D.st[1] == 1U || D.st[3] == 1U) && D.pos[1] != 0U) { D.pos[1] = 0U; D.tmr[1] = 4U; }
  else if ((D.st[2] == 1U) && D.pos[1] != 1U) { D.pos[1] = 1U; D.tmr[1] = 4U; }
}
static void rule_point2(void)
{
  if (D.tmr[2] > 0U) { if (interlock_U.PointFb[2] || D.tmr[2] > 1U) { D.tmr[2]--; } }
  else if ((D.st[3] == 1U || D.st[9] == 1U) && D.pos[2] != 0U) { D.pos[2] = 0U; D.tmr[2] = 4U; }
  else if ((D.st[4] == 1U || D.st[5] == 1U) && D.pos[2] != 1U) { D.pos[2] = 1U; D.tmr[2] = 4U; }
}
static void rule_point3(void)
{
  if (D.tmr[3] > 0U) { if (interlock_U.PointFb[3] || D.tmr[3] > 1U) { D.tmr[3]--; } }
  else if ((D.st[4] == 1U) && D.pos[3] != 0U) { D.pos[3] = 0U; D.tmr[3] = 4U; }
  else if ((D.st[5] == 1U) && D.pos[3] != 1U) { D.pos[3] = 1U; D.tmr[3] = 4U; }
}
static void rule_point4(void)
{
  if (D.tmr[4] > 0U) { if (interlock_U.PointFb[4] || D.tmr[4] > 1U) { D.tmr[4]--; } }
  else if ((D.st[6] == 1U) && D.pos[4] != 0U) { D.pos[4] = 0U; D.tmr[4] = 4U; }
  else if ((D.st[7] == 1U || D.st[8] == 1U) && D.pos[4] != 1U) { D.pos[4] = 1U; D.tmr[4] = 4U; }
}
static void rule_point5(void)
{
  if (D.tmr[5] > 0U) { if (interlock_U.PointFb[5] || D.tmr[5] > 1U) { D.tmr[5]--; } }
  else if ((D.st[7] == 1U) && D.pos[5] != 0U) { D.pos[5] = 0U; D.tmr[5] = 4U; }
  else if ((D.st[8] == 1U || D.st[9] == 1U) && D.pos[5] != 1U) { D.pos[5] = 1U; D.tmr[5] = 4U; }
}
void interlock_step(void)
{
  uint8_T i;
  D.emerg = (uint8_T)(interlock_U.EmergRel ? (D.emerg < 20U ? D.emerg + 1U : 20U) : 0U);
  rule_route0();
  rule_route1();
  rule_route2();
  rule_route3();
  rule_route4();
  rule_route5();
  rule_route6();
  rule_route7();
  rule_route8();
  rule_route9();
  rule_point0();
  rule_point1();
  rule_point2();
  rule_point3();
  rule_point4();
  rule_point5();
  interlock_Y.Buzzer = false;
  for (i = 0U; i < 10U; i++) {
    interlock_Y.Signal[i] = (boolean_T)(D.st[i] == 2U);
    if (D.st[i] == 1U && interlock_U.Req[i]) { interlock_Y.Buzzer = true; }
  }
  for (i = 0U; i < 6U; i++) { interlock_Y.PointCmd[i] = D.pos[i]; }
}
void interlock_initialize(void)
{
  uint8_T i;
  for (i = 0U; i < 10U; i++) { D.st[i] = 0U; D.reqOld[i] = false; interlock_Y.Signal[i] = false; }
  for (i = 0U; i < 6U; i++) { D.pos[i] = 0U; D.tmr[i] = 0U; D.lockBy[i] = 0U; interlock_Y.PointCmd[i] = false; }
  D.emerg = 0U; interlock_Y.Buzzer = false;
}

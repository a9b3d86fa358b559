/* Example main of the generated code: two rates, multitasking simulated by one timer. */
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

#include <stdio.h>
extern void paperdryer_initialize(void);
extern void paperdryer_step0(void);
extern void paperdryer_step1(void);
void rt_OneStep(void);
void rt_OneStep(void)
{
  static boolean_T OverrunFlags[2] = { 0, 0 };
  static boolean_T eventFlags[2] = { 0, 0 };
  static int32_T taskCounter[2] = { 0, 0 };
  if (OverrunFlags[0]) { return; }
  OverrunFlags[0] = true;
  if (taskCounter[1] == 0) { eventFlags[1] = true; }
  taskCounter[1]++;
  if (taskCounter[1] == 10) { taskCounter[1] = 0; }
  paperdryer_step0();
  OverrunFlags[0] = false;
  if (eventFlags[1]) {
    if (OverrunFlags[1]) { return; }
    OverrunFlags[1] = true;
    paperdryer_step1();
    OverrunFlags[1] = false;
    eventFlags[1] = false;
  }
}
int main(void)
{
  paperdryer_initialize();
  while (1) { rt_OneStep(); }
  return 0;
}

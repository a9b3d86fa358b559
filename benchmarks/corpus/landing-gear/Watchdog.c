#include "Watchdog.h"

void Watchdog_reset(outC_Watchdog *outC)
{
  outC->init = kcg_true;
}

/* Watchdog */
void Watchdog(kcg_bool active, kcg_int max, outC_Watchdog *outC)
{
  kcg_int last_count;

  if (outC->init) {
    last_count = 0;
    outC->init = kcg_false;
  }
  else {
    last_count = outC->count;
  }
  if (active & (last_count <= max)) {
    outC->count = last_count + 1;
  }
  else {
    outC->count = last_count;
  }
  outC->elapsed = outC->count > max;
}

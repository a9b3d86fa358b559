/* Operator Watchdog: elapsed when it was active for more than `max` steps since its reset. */
#ifndef _Watchdog_H_
#define _Watchdog_H_

#include "kcg_types.h"

typedef struct {
  /* ---------------------------  outputs  --------------------------- */
  kcg_bool /* Watchdog::elapsed */ elapsed;
  /* -----------------------  no local probes  ----------------------- */
  /* -------------------- initialization variables  ------------------ */
  kcg_bool init;
  /* ----------------------- local memories  ------------------------- */
  kcg_int /* Watchdog::count */ count;
  /* -------------------- no sub nodes' contexts  -------------------- */
} outC_Watchdog;

extern void Watchdog_reset(outC_Watchdog *outC);
extern void Watchdog(kcg_bool active, kcg_int max, outC_Watchdog *outC);

#endif /* _Watchdog_H_ */

/* Operator LandingGear: sequence of doors and gears. */
#ifndef _LandingGear_H_
#define _LandingGear_H_

#include "kcg_types.h"
#include "kcg_consts.h"
#include "Watchdog.h"

/* ========================  input structure  ====================== */
typedef struct {
  kcg_bool /* LandingGear::handle_up */ handle_up;
  kcg_bool /* LandingGear::on_ground */ on_ground;
  kcg_bool /* LandingGear::doors_open */ doors_open;
  kcg_bool /* LandingGear::doors_closed */ doors_closed;
  kcg_bool /* LandingGear::gears_up */ gears_up;
  kcg_bool /* LandingGear::gears_down */ gears_down;
} inC_LandingGear;

/* =====================  context and outputs  ===================== */
typedef struct {
  /* ---------------------------  outputs  --------------------------- */
  kcg_bool /* LandingGear::open_doors */ open_doors;
  kcg_bool /* LandingGear::close_doors */ close_doors;
  kcg_bool /* LandingGear::retract */ retract;
  kcg_bool /* LandingGear::extend */ extend;
  kcg_bool /* LandingGear::green */ green;
  kcg_bool /* LandingGear::red */ red;
  /* -----------------------  no local probes  ----------------------- */
  /* -------------------- initialization variables  ------------------ */
  kcg_bool init;
  /* ----------------------- local memories  ------------------------- */
  SSM_ST_SM1 /* LandingGear::SM1 */ SM1_state_nxt;
  kcg_bool /* LandingGear::SM1 */ SM1_reset_nxt;
  /* ---------------------  sub nodes' contexts  --------------------- */
  outC_Watchdog /* 1 */ Context_1;
} outC_LandingGear;

extern void LandingGear(inC_LandingGear *inC, outC_LandingGear *outC);
extern void LandingGear_reset(outC_LandingGear *outC);

#endif /* _LandingGear_H_ */

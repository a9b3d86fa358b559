/* Landing gear, in the manner of SCADE KCG: the gears move between open doors; doors or gears that take too long are a failure, which is latched. */
#include "LandingGear.h"

void LandingGear_reset(outC_LandingGear *outC)
{
  outC->init = kcg_true;
  /* 1 */ Watchdog_reset(&outC->Context_1);
}

/* LandingGear */
void LandingGear(inC_LandingGear *inC, outC_LandingGear *outC)
{
  kcg_bool wants_up;
  kcg_bool moving;
  SSM_ST_SM1 /* LandingGear::SM1 */ SM1_state_act;

  /* last_init_ck_SM1 */
  if (outC->init) {
    outC->init = kcg_false;
    SM1_state_act = SSM_st_Down_SM1;
  }
  else {
    SM1_state_act = outC->SM1_state_nxt;
    if (outC->SM1_reset_nxt) {
      /* 1 */ Watchdog_reset(&outC->Context_1);
    }
  }
  wants_up = inC->handle_up & !inC->on_ground;
  moving = (SM1_state_act != SSM_st_Down_SM1) & (SM1_state_act != SSM_st_Up_SM1);
  /* 1 */ Watchdog(moving, MOVE_MAX, &outC->Context_1);

  outC->open_doors = kcg_false;
  outC->close_doors = kcg_false;
  outC->retract = kcg_false;
  outC->extend = kcg_false;
  outC->green = kcg_false;
  outC->red = kcg_false;
  outC->SM1_state_nxt = SM1_state_act;
  switch (SM1_state_act) {
    case SSM_st_Down_SM1 :
      outC->green = kcg_true;
      if (wants_up) {
        outC->SM1_state_nxt = SSM_st_OpenToRetract_SM1;
      }
      break;
    case SSM_st_OpenToRetract_SM1 :
      outC->open_doors = kcg_true;
      outC->green = kcg_true;
      if (!inC->handle_up) {
        outC->SM1_state_nxt = SSM_st_CloseDown_SM1;
      }
      else if (inC->doors_open) {
        outC->SM1_state_nxt = SSM_st_Retract_SM1;
      }
      else if (outC->Context_1.elapsed) {
        outC->SM1_state_nxt = SSM_st_DoorFailed_SM1;
      }
      break;
    case SSM_st_Retract_SM1 :
      outC->open_doors = kcg_true;
      outC->retract = kcg_true;
      if (!inC->handle_up) {
        outC->SM1_state_nxt = SSM_st_Extend_SM1;
      }
      else if (inC->gears_up) {
        outC->SM1_state_nxt = SSM_st_CloseUp_SM1;
      }
      else if (outC->Context_1.elapsed) {
        outC->SM1_state_nxt = SSM_st_GearFailed_SM1;
      }
      break;
    case SSM_st_CloseUp_SM1 :
      outC->close_doors = kcg_true;
      if (!inC->handle_up) {
        outC->SM1_state_nxt = SSM_st_OpenToExtend_SM1;
      }
      else if (inC->doors_closed) {
        outC->SM1_state_nxt = SSM_st_Up_SM1;
      }
      else if (outC->Context_1.elapsed) {
        outC->SM1_state_nxt = SSM_st_DoorFailed_SM1;
      }
      break;
    case SSM_st_Up_SM1 :
      if (!inC->handle_up) {
        outC->SM1_state_nxt = SSM_st_OpenToExtend_SM1;
      }
      break;
    case SSM_st_OpenToExtend_SM1 :
      outC->open_doors = kcg_true;
      if (inC->doors_open) {
        outC->SM1_state_nxt = SSM_st_Extend_SM1;
      }
      else if (outC->Context_1.elapsed) {
        outC->SM1_state_nxt = SSM_st_DoorFailed_SM1;
      }
      break;
    case SSM_st_Extend_SM1 :
      outC->open_doors = kcg_true;
      outC->extend = kcg_true;
      if (wants_up) {
        outC->SM1_state_nxt = SSM_st_Retract_SM1;
      }
      else if (inC->gears_down) {
        outC->SM1_state_nxt = SSM_st_CloseDown_SM1;
      }
      else if (outC->Context_1.elapsed) {
        outC->SM1_state_nxt = SSM_st_GearFailed_SM1;
      }
      break;
    case SSM_st_CloseDown_SM1 :
      outC->close_doors = kcg_true;
      outC->green = kcg_true;
      if (wants_up) {
        outC->SM1_state_nxt = SSM_st_OpenToRetract_SM1;
      }
      else if (inC->doors_closed) {
        outC->SM1_state_nxt = SSM_st_Down_SM1;
      }
      else if (outC->Context_1.elapsed) {
        outC->SM1_state_nxt = SSM_st_DoorFailed_SM1;
      }
      break;
    default : /* DoorFailed, GearFailed */
      outC->red = kcg_true;
      outC->extend = SM1_state_act == SSM_st_GearFailed_SM1;
      break;
  }
  outC->SM1_reset_nxt = outC->SM1_state_nxt != SM1_state_act;
}

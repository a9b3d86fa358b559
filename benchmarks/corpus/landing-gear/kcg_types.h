/* Types of the generated code. */
#ifndef _KCG_TYPES_H_
#define _KCG_TYPES_H_

typedef unsigned char kcg_bool;
typedef int kcg_int;

#define kcg_true ((kcg_bool) 1)
#define kcg_false ((kcg_bool) 0)

/* LandingGear/SM1: states */
typedef enum kcg_tag_SSM_ST_SM1 {
  SSM_st_Down_SM1,
  SSM_st_OpenToRetract_SM1,
  SSM_st_Retract_SM1,
  SSM_st_CloseUp_SM1,
  SSM_st_Up_SM1,
  SSM_st_OpenToExtend_SM1,
  SSM_st_Extend_SM1,
  SSM_st_CloseDown_SM1,
  SSM_st_DoorFailed_SM1,
  SSM_st_GearFailed_SM1
} SSM_ST_SM1;

#endif /* _KCG_TYPES_H_ */

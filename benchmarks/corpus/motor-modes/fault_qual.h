#ifndef FAULT_QUAL_H
#define FAULT_QUAL_H
#include "motor_types.h"
void FQ_Reset(FQ_State *state);
void FQ_Update(FQ_State *state, const FQ_Param *param, boolean symptom);
#endif

/* Mode manager of an electric motor. */
#ifndef MOTOR_MODES_H
#define MOTOR_MODES_H

#include "motor_types.h"

typedef struct {
    boolean Enable;
    boolean Reset;
    int16_t SpeedDemand;  /* 1/min */
    int16_t Temperature;  /* degrees Celsius */
    uint8_t Current;      /* A */
} MM_Inputs;

typedef struct {
    int16_t SpeedReference; /* 1/min */
    int16_t Limit;          /* 1/256 of the demand */
    boolean Warning;
    boolean Active;
} MM_Outputs;

typedef struct {
    MM_Mode Mode;
    MM_FaultCode Fault;
    uint8_t SelfTest;       /* steps of the self-test that are left */
    int16_t Ramp;           /* 1/min */
    FQ_State Current;
    FQ_State Temperature;
} MM_State;

extern MM_Inputs MM_In;
extern MM_Outputs MM_Out;
extern MM_State MM_S;

#define SPEED_MAX     3000
#define RAMP_STEP     750
#define CURRENT_MAX   100U
#define TEMPERATURE_MAX 130
#define SELF_TEST     4U

void MM_Init(void);
void MM_Step(void);

#endif

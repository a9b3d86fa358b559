/* Mode manager of an electric motor: self-test, standby, run, derating by temperature, latched faults. */
#include "motor_modes.h"
#include "fault_qual.h"
#include "lookup.h"

MM_Inputs MM_In;
MM_Outputs MM_Out;
MM_State MM_S;

static const FQ_Param current_param = { 2U, 1U, 8U };
static const FQ_Param temperature_param = { 1U, 1U, 5U };
static const LT_Table derating = { { 90, 110, 120, 130 }, { 256, 192, 96, 32 } };

static int16_t limit_s16(int16_t value, int16_t low, int16_t high)
{
    return value < low ? low : value > high ? high : value;
}

static void qualify(void)
{
    FQ_Update(&MM_S.Current, &current_param, (boolean)(MM_In.Current > CURRENT_MAX));
    FQ_Update(&MM_S.Temperature, &temperature_param, (boolean)(MM_In.Temperature > TEMPERATURE_MAX));
}

static void enter_fault(MM_FaultCode fault)
{
    MM_S.Mode = MM_FAULT;
    MM_S.Fault = fault;
    MM_S.Ramp = 0;
}

/* The reference follows the derated demand in steps of the ramp. */
static void ramp(void)
{
    int16_t demand = limit_s16(MM_In.SpeedDemand, 0, SPEED_MAX);
    int16_t goal = (int16_t)((int32_t)demand * (int32_t)MM_Out.Limit / 256);

    MM_S.Ramp = limit_s16(goal, (int16_t)(MM_S.Ramp - RAMP_STEP), (int16_t)(MM_S.Ramp + RAMP_STEP));
}

static void operate(void)
{
    if (MM_S.Current.qualified != 0U) {
        enter_fault(FC_OVERCURRENT);
    } else if (MM_S.Temperature.qualified != 0U) {
        enter_fault(FC_OVERTEMPERATURE);
    } else if (MM_In.Enable == 0U && MM_S.Ramp == 0) {
        MM_S.Mode = MM_STANDBY;
    } else {
        MM_S.Mode = MM_Out.Limit < 256 ? MM_DERATE : MM_RUN;
        if (MM_In.Enable != 0U) {
            ramp();
        } else {
            MM_S.Ramp = limit_s16((int16_t)(MM_S.Ramp - RAMP_STEP), 0, SPEED_MAX);
        }
    }
}

void MM_Init(void)
{
    MM_S.Mode = MM_INIT;
    MM_S.Fault = FC_NONE;
    MM_S.SelfTest = SELF_TEST;
    MM_S.Ramp = 0;
    FQ_Reset(&MM_S.Current);
    FQ_Reset(&MM_S.Temperature);
}

void MM_Step(void)
{
    qualify();
    MM_Out.Limit = LT_Interpolate(&derating, MM_In.Temperature);
    switch (MM_S.Mode) {
    case MM_INIT:
        if (--MM_S.SelfTest == 0U) {
            MM_S.Mode = MM_STANDBY;
        }
        break;
    case MM_STANDBY:
        if (MM_In.Enable != 0U && MM_S.Current.qualified == 0U && MM_S.Temperature.qualified == 0U) {
            MM_S.Mode = MM_RUN;
        }
        break;
    case MM_RUN:
    case MM_DERATE:
        operate();
        break;
    default: /* MM_FAULT */
        if (MM_In.Reset != 0U && MM_In.Enable == 0U && MM_S.Current.counter == 0U && MM_S.Temperature.counter == 0U) {
            MM_Init();
        }
        break;
    }
    MM_Out.SpeedReference = MM_S.Ramp;
    MM_Out.Warning = (boolean)(MM_S.Current.counter != 0U || MM_S.Temperature.counter != 0U);
    MM_Out.Active = (boolean)(MM_S.Mode == MM_RUN || MM_S.Mode == MM_DERATE);
}

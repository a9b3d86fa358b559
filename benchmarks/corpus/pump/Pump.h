/* Pump: interface variables and function of subsystem Sa1. */
#ifndef PUMP_H
#define PUMP_H

#include "tl_types.h"

/* Modes of the chart. */
#define Ca1_Off     0
#define Ca1_Prime   1
#define Ca1_Run     2
#define Ca1_Lockout 3

/* Bits of the chart and of its outputs. */
struct tag_SIBFS_Pump {
    unsigned int Mode : 3;
    unsigned int Failures : 2;
    unsigned int LastStart : 1;
    unsigned int Motor : 1;
    unsigned int Alarm : 1;
};

/* inputs */
extern Bool Sa1_Start;
extern Bool Sa1_Stop;
extern Bool Sa1_Reset;
extern UInt8 Sa1_Level;       /* 0 empty .. 2 full */
extern UInt16 Sa1_Pressure;   /* mbar */

/* outputs */
extern Bool Sa1_Motor;
extern Bool Sa1_Alarm;
extern UInt8 Sa1_Speed;       /* % */

extern struct tag_SIBFS_Pump SIBFS_Pump;

/* parameters */
#define PRIME_STEPS  6u
#define DRY_STEPS    3u
#define STABLE_STEPS 5u
#define RESET_STEPS  4u
#define PRESSURE_MIN 200u

Void Pump(Void);

#endif

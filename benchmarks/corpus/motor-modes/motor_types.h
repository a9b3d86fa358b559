/* Types of the motor's mode manager. Fixed point: speeds in 1/min, shares in 1/256, temperatures in degrees Celsius. */
#ifndef MOTOR_TYPES_H
#define MOTOR_TYPES_H

#include <stdint.h>

typedef uint8_t boolean;

typedef enum { MM_INIT, MM_STANDBY, MM_RUN, MM_DERATE, MM_FAULT } MM_Mode;
typedef enum { FC_NONE, FC_OVERCURRENT, FC_OVERTEMPERATURE } MM_FaultCode;

/* Counts up in steps of `up` while the symptom is there, down in steps of `down` otherwise; qualified at `limit` until zero. */
typedef struct {
    uint8_t counter;
    boolean qualified;
} FQ_State;

typedef struct {
    uint8_t up;
    uint8_t down;
    uint8_t limit;
} FQ_Param;

#define TABLE_POINTS 4

/* A table over a rising axis; the last value holds beyond it. */
typedef struct {
    int16_t axis[TABLE_POINTS];
    int16_t value[TABLE_POINTS];
} LT_Table;

#endif

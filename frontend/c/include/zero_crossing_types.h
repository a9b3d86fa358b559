/* Simulink Coder: how triggers remember the sign of a signal. */
#ifndef CHAINCOVER_ZERO_CROSSING_TYPES_H
#define CHAINCOVER_ZERO_CROSSING_TYPES_H

#include <rtwtypes.h>

/* Which crossings of zero a trigger looks for. */
typedef enum { FALLING_ZERO_CROSSING = -1, ANY_ZERO_CROSSING = 0, RISING_ZERO_CROSSING = 1 } ZCDirection;

/* What happened between two samples. */
typedef enum { FALLING_ZCEVENT = -1, NO_ZCEVENT = 0, RISING_ZCEVENT = 1 } ZCEventType;

/* The sign of the sample before. */
typedef uint8_T ZCSigState;
#define ZERO_ZCSIG 0x00U
#define POS_ZCSIG 0x01U
#define NEG_ZCSIG 0x02U
#define UNINITIALIZED_ZCSIG 0x03U

#endif

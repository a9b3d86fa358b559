/* Heading control of a small robot: turn towards a target, drive there, turn again when it moves away. */
#include "heading.h"
#include <math.h>

#define RATE_MAX 0.5F
#define ALIGNED 0.25F
#define ASTRAY 0.75F
#define DISTANCE 1.5F

heading_in rtU;
heading_out rtY;
heading_state rtDW;

static float limited(float value, float limit)
{
    if (value > limit) {
        return limit;
    }
    return value < -limit ? -limit : value;
}

static void heading_turn(void)
{
    if (rtU.halt) {
        rtDW.mode = HEADING_IDLE;
    } else if (fabsf(rtY.error) < ALIGNED) {
        rtDW.mode = HEADING_DRIVE;
    } else {
        rtY.rate = limited(rtY.error, RATE_MAX);
        rtDW.heading += rtY.rate;
    }
}

static void heading_drive(void)
{
    if (rtU.halt) {
        rtDW.mode = HEADING_IDLE;
    } else if (fabsf(rtY.error) > ASTRAY) {
        rtDW.mode = HEADING_TURN;
    } else {
        rtDW.along += cosf(rtY.error);
        if (rtDW.along >= DISTANCE) {
            rtDW.mode = HEADING_ARRIVED;
        }
    }
}

void heading_initialize(void)
{
    rtDW.mode = HEADING_IDLE;
    rtDW.heading = 0.0F;
    rtDW.along = 0.0F;
}

void heading_step(void)
{
    rtY.rate = 0.0F;
    rtY.error = atan2f(rtU.north, rtU.east) - rtDW.heading;
    switch (rtDW.mode) {
    case HEADING_IDLE:
        if (rtU.go && !rtU.halt) {
            rtDW.mode = HEADING_TURN;
        }
        break;
    case HEADING_TURN:
        heading_turn();
        break;
    case HEADING_DRIVE:
        heading_drive();
        break;
    default:
        if (!rtU.go) {
            heading_initialize();
        }
        break;
    }
    rtY.driving = rtDW.mode == HEADING_DRIVE;
}

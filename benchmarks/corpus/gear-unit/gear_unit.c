/* Gear unit with two rates: the fast task shifts, the slow one sees to the launch from standstill in first gear. */
#include "gear_unit.h"

t_gear_inputs gear_u;
t_gear_outputs gear_y;
t_shift gear_shift;
t_launch gear_launch;
uint8 gear_rate;

static void shift_to(uint8 shift)
{
    gear_shift.shift = shift;
    gear_shift.timer = 0;
}

static void lever(void)
{
    if (gear_shift.lever || gear_launch.mode == LAUNCH) {
        return;
    }
    if (gear_u.up && !gear_u.down && gear_shift.gear < TOP_GEAR) {
        gear_shift.wanted = gear_shift.gear + 1;
        shift_to(OPENING);
    } else if (gear_u.down && !gear_u.up && gear_shift.gear > 0) {
        gear_shift.wanted = gear_shift.gear - 1;
        shift_to(OPENING);
    }
}

void gear_fast(void)
{
    gear_shift.timer++;
    switch (gear_shift.shift) {
    case CLOSED:
        gear_shift.timer = 0;
        lever();
        break;
    case OPENING:
        if (gear_shift.timer >= T_OPEN) {
            shift_to(ENGAGING);
        }
        break;
    case ENGAGING:
        if (gear_shift.timer >= T_ENGAGE) {
            gear_shift.gear = gear_shift.wanted;
            shift_to(CLOSING);
        }
        break;
    default:
        if (gear_shift.timer >= T_CLOSE) {
            shift_to(CLOSED);
        }
        break;
    }
    gear_shift.lever = gear_u.up || gear_u.down;
    gear_y.clutch = gear_shift.shift != CLOSED ? 0 : gear_launch.mode == LAUNCH ? 50 : 100;
    gear_y.ready = gear_launch.mode == ARMED;
}

static void launch_to(uint8 mode)
{
    gear_launch.mode = mode;
    gear_launch.timer = 0;
}

void gear_slow(void)
{
    _Bool foot = gear_u.brake && gear_u.throttle >= 90;
    _Bool first = gear_shift.gear == 1 && gear_shift.shift == CLOSED;

    if (gear_launch.mode != NORMAL && gear_launch.mode != ARMED) {
        gear_launch.timer++;
    }
    switch (gear_launch.mode) {
    case NORMAL:
        if (foot && first) {
            launch_to(ARMING);
        }
        break;
    case ARMING:
        if (!foot || !first) {
            launch_to(NORMAL);
        } else if (gear_launch.timer >= T_ARM) {
            launch_to(ARMED);
        }
        break;
    case ARMED:
        if (!first || gear_u.throttle < 90) {
            launch_to(NORMAL);
        } else if (!gear_u.brake) {
            launch_to(LAUNCH);
        }
        break;
    case LAUNCH:
        if (gear_u.throttle < 50 || gear_u.brake) {
            launch_to(COOLDOWN);
        } else if (gear_launch.timer >= T_LAUNCH) {
            launch_to(COOLDOWN);
        }
        break;
    default:
        if (gear_launch.timer >= T_HOT) {
            launch_to(NORMAL);
        }
        break;
    }
}

void gear_init(void)
{
    gear_shift.gear = 0;
    gear_shift.wanted = 0;
    gear_shift.lever = 0;
    shift_to(CLOSED);
    launch_to(NORMAL);
    gear_rate = 0;
}

void gear_step(void)
{
    gear_fast();
    if (gear_rate == 0) {
        gear_slow();
    }
    gear_rate = gear_rate == SLOW_RATE - 1 ? 0 : gear_rate + 1;
}

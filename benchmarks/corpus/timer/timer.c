/* Curing lamp: a start request that is held long enough starts an exposure of HOLD steps, a cool-down of HOLD steps follows. One
 * timer serves all modes. */
#include "timer.h"

t_input U;
t_output Y;
t_state X;

static void enter(t_mode mode, unsigned short timer)
{
    X.mode = mode;
    X.timer = timer;
}

/* Counts down; whether the time was up. */
static _Bool expired(void)
{
    if (X.timer == 0) {
        return 1;
    }
    X.timer--;
    return 0;
}

static void idle(void)
{
    if (U.start && !U.door_open) {
        enter(REQUESTED, REQUEST - 2);
    }
}

static void requested(void)
{
    if (!U.start || U.door_open) {
        enter(IDLE, 0);
    } else if (expired()) {
        enter(RUN, HOLD);
    }
}

static void run(void)
{
    if (U.stop || U.door_open) {
        enter(COOL, HOLD);
    } else if (expired()) {
        enter(EXPIRED, 0);
    }
}

static void finished(void)
{
    if (U.stop || U.door_open) {
        enter(COOL, HOLD);
    } else if (U.start) {
        enter(RUN, HOLD);
    }
}

static void cool(void)
{
    if (U.start && !U.stop && !U.door_open && X.timer <= HOLD / 2) {
        enter(RUN, HOLD);
    } else if (expired()) {
        enter(IDLE, 0);
    }
}

void lamp_init(void)
{
    enter(IDLE, 0);
}

void lamp_step(void)
{
    switch (X.mode) {
    case IDLE:      idle(); break;
    case REQUESTED: requested(); break;
    case RUN:       run(); break;
    case EXPIRED:   finished(); break;
    default:        cool(); break;
    }
    Y.lamp = X.mode == RUN;
    Y.fan = X.mode == RUN || X.mode == EXPIRED || X.mode == COOL;
    Y.ready = X.mode == IDLE;
}

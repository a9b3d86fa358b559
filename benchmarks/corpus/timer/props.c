/* Ten requirements of the curing lamp. */
#include <assert.h>
#include "timer.h"

void __CPROVER_assume(_Bool condition);

/* REQ-T-1: a request that is not held long enough is dropped. */
void request_dropped(void)
{
    __CPROVER_assume(X.mode == REQUESTED && !U.start);
    lamp_step();
    assert(X.mode == IDLE && !Y.lamp);
}

/* REQ-T-1: a request that is held long enough starts the exposure. */
void started(void)
{
    __CPROVER_assume(X.mode == REQUESTED);
    lamp_step();
    __CPROVER_assume(X.mode == RUN);
    assert(Y.lamp && X.timer == HOLD);
}

/* REQ-T-2: the exposure ends when its time is up. */
void hold_expired(void)
{
    __CPROVER_assume(X.mode == RUN && X.timer == 0 && !U.stop && !U.door_open);
    lamp_step();
    assert(X.mode == EXPIRED && !Y.lamp && Y.fan);
}

/* REQ-T-3: stopping half way leads to a full cool-down. */
void stopped_half_way(void)
{
    __CPROVER_assume(X.mode == RUN && X.timer == HOLD / 2 && U.stop && !U.door_open);
    lamp_step();
    assert(X.mode == COOL && X.timer == HOLD);
}

/* REQ-T-3: opening the door turns the lamp off at any time. */
void door_opened(void)
{
    __CPROVER_assume(X.mode == RUN && U.door_open);
    lamp_step();
    assert(!Y.lamp && X.mode == COOL);
}

/* REQ-T-4: a finished exposure can be repeated at once. */
void repeated(void)
{
    __CPROVER_assume(X.mode == EXPIRED && U.start && !U.stop && !U.door_open);
    lamp_step();
    assert(X.mode == RUN && X.timer == HOLD);
}

/* REQ-T-4: a finished exposure is followed by the cool-down when stopped. */
void finished_and_stopped(void)
{
    __CPROVER_assume(X.mode == EXPIRED && U.stop);
    lamp_step();
    assert(X.mode == COOL && Y.fan);
}

/* REQ-T-5: while it is too hot no restart is accepted. */
void restart_refused(void)
{
    __CPROVER_assume(X.mode == COOL && U.start && X.timer > HOLD / 2);
    lamp_step();
    assert(X.mode == COOL && !Y.lamp);
}

/* REQ-T-5: in the second half of the cool-down a restart is accepted. */
void restart_in_cool_down(void)
{
    __CPROVER_assume(X.mode == COOL && U.start);
    lamp_step();
    __CPROVER_assume(X.mode == RUN);
    assert(Y.lamp && X.timer == HOLD);
}

/* REQ-T-6: the cool-down ends when its time is up. */
void cooled_down(void)
{
    __CPROVER_assume(X.mode == COOL && X.timer == 0 && !U.start);
    lamp_step();
    assert(X.mode == IDLE && Y.ready && !Y.fan);
}

/* Final: idle. */
void chaincover_final(void)
{
    __CPROVER_assume(X.mode == IDLE);
}

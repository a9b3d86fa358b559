/* Eight requirements of the power window with crash input. Four of them hold in normal operation and after a crash with the window at
 * rest; `driver_wins` is asked for after a crash, the others in normal operation. */
#include <assert.h>
#include "window_ext.h"

void __CPROVER_assume(_Bool condition);

/* REQ-PX-1: a crash while the window rests ends normal operation; the motor stays off. */
void crash_at_rest(t_window_io *io, t_window_state *state)
{
    __CPROVER_assume(state->mode == NEUTRAL && io->crash);
    window_compute(io, state);
    assert(state->mode == HOLD && !io->motor_up && !io->motor_down);
}

/* REQ-PW-1: opening by hand ends when the key is released, also after a crash. */
void released(t_window_io *io, t_window_state *state)
{
    __CPROVER_assume((state->mode == DOWN || state->mode == HOLD_DOWN) && !WANTS_DOWN(io) && !WANTS_UP(io) && !io->crash);
    window_compute(io, state);
    assert(!io->motor_down);
}

/* REQ-PW-2: a short press closes the window automatically. */
void one_touch(t_window_io *io, t_window_state *state)
{
    __CPROVER_assume(state->mode == CHECK_UP && state->position < TOP && !WANTS_UP(io) && !PINCHED(io, state) && !io->crash);
    window_compute(io, state);
    assert(state->mode == AUTO_UP && io->motor_up);
}

/* REQ-PW-3: closing by hand ends at the end stop although the key is held, also after a crash. */
void end_stop(t_window_io *io, t_window_state *state)
{
    __CPROVER_assume((state->mode == UP || state->mode == HOLD_UP) && state->position == TOP && WANTS_UP(io) && !io->crash);
    window_compute(io, state);
    assert(!io->motor_up);
}

/* REQ-PW-5: an obstacle stops closing by hand, also after a crash. */
void pinched(t_window_io *io, t_window_state *state)
{
    __CPROVER_assume((state->mode == UP || state->mode == HOLD_UP) && PINCHED(io, state) && !io->crash);
    window_compute(io, state);
    assert(!io->motor_up);
}

/* REQ-PW-6: after an obstacle the window opens completely. */
void reversed(t_window_io *io, t_window_state *state)
{
    __CPROVER_assume(state->mode == REVERSE && state->position == 0 && !io->crash);
    window_compute(io, state);
    assert(state->mode == NEUTRAL);
}

/* REQ-PW-3: opening ends at the end stop although the key is held, also after a crash. */
void opened(t_window_io *io, t_window_state *state)
{
    __CPROVER_assume((state->mode == DOWN || state->mode == HOLD_DOWN) && state->position == 0 && WANTS_DOWN(io) && !io->crash);
    window_compute(io, state);
    assert(!io->motor_down);
}

/* REQ-PW-1: the driver's key wins over the passenger's, also after a crash. */
void driver_wins(t_window_io *io, t_window_state *state)
{
    __CPROVER_assume(state->mode == HOLD && state->position > 0);
    __CPROVER_assume(io->driver_down && !io->driver_up && io->passenger_up);
    window_compute(io, state);
    assert(io->motor_down);
}

/* Final: motor off. */
void chaincover_final(t_window_io *io, t_window_state *state)
{
    __CPROVER_assume(RESTING(state));
}

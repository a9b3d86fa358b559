/* Eight requirements of the power window. */
#include <assert.h>
#include "window.h"

void __CPROVER_assume(_Bool condition);

/* REQ-PW-2: a short press closes the window automatically. */
void one_touch(t_window_io *io, t_window_state *state)
{
    __CPROVER_assume(state->mode == CHECK_UP && !WANTS_UP(io) && !PINCHED(io, state));
    window_compute(io, state);
    assert(state->mode == AUTO_UP && io->motor_up);
}

/* REQ-PW-3: automatic closing ends at the end stop. */
void closed(t_window_io *io, t_window_state *state)
{
    __CPROVER_assume(state->mode == AUTO_UP && state->position == TOP);
    window_compute(io, state);
    assert(state->mode == NEUTRAL && state->position == TOP);
}

/* REQ-PW-5: an obstacle reverses automatic closing. */
void pinch_automatic(t_window_io *io, t_window_state *state)
{
    __CPROVER_assume(state->mode == AUTO_UP && PINCHED(io, state));
    window_compute(io, state);
    assert(state->mode == REVERSE && io->motor_down);
}

/* REQ-PW-5: an obstacle reverses closing by hand. */
void pinch_manual(t_window_io *io, t_window_state *state)
{
    __CPROVER_assume(state->mode == UP && PINCHED(io, state));
    window_compute(io, state);
    assert(state->mode == REVERSE && io->motor_down);
}

/* REQ-PW-6: after an obstacle the window opens completely. */
void reversed(t_window_io *io, t_window_state *state)
{
    __CPROVER_assume(state->mode == REVERSE && state->position == 0);
    window_compute(io, state);
    assert(state->mode == NEUTRAL);
}

/* REQ-PW-4: the opposite key stops automatic opening on the way. */
void stop_opening(t_window_io *io, t_window_state *state)
{
    int position = state->position;
    __CPROVER_assume(state->mode == AUTO_DOWN && position > 0 && WANTS_UP(io));
    window_compute(io, state);
    assert(state->mode == NEUTRAL && state->position == position);
}

/* REQ-PW-1: the driver's key wins over the passenger's. */
void driver_wins(t_window_io *io, t_window_state *state)
{
    __CPROVER_assume(state->mode == NEUTRAL && io->driver_down && !io->driver_up && io->passenger_up);
    window_compute(io, state);
    assert(state->mode == CHECK_DOWN);
}

/* REQ-PW-1: opening by hand ends when the key is released. */
void released(t_window_io *io, t_window_state *state)
{
    __CPROVER_assume(state->mode == DOWN && state->position > 0 && !WANTS_DOWN(io));
    window_compute(io, state);
    assert(state->mode == NEUTRAL && !io->motor_down);
}

/* Final: closed, motor off. */
void chaincover_final(t_window_io *io, t_window_state *state)
{
    __CPROVER_assume(state->mode == NEUTRAL && state->position == TOP);
}

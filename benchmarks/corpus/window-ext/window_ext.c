/* Power window with one-touch operation, end stops, pinch protection, and a crash input that leaves normal operation for good. */
#include "window_ext.h"

static void during_normal(const t_window_io *io, t_window_state *state)
{
    _Bool up = WANTS_UP(io);
    _Bool down = WANTS_DOWN(io);
    _Bool pinched = PINCHED(io, state);

    switch (state->mode) {
    case NEUTRAL:
        if (up) {
            state->mode = CHECK_UP;
        } else if (down) {
            state->mode = CHECK_DOWN;
        }
        break;
    case CHECK_UP:
        state->mode = pinched ? REVERSE : up ? UP : AUTO_UP;
        break;
    case UP:
        if (pinched) {
            state->mode = REVERSE;
        } else if (!up || state->position == TOP) {
            state->mode = NEUTRAL;
        }
        break;
    case AUTO_UP:
        if (pinched) {
            state->mode = REVERSE;
        } else if (down || state->position == TOP) {
            state->mode = NEUTRAL;
        } else if (up) {
            state->mode = UP;
        }
        break;
    case CHECK_DOWN:
        state->mode = down ? DOWN : AUTO_DOWN;
        break;
    case DOWN:
        if (!down || state->position == 0) {
            state->mode = NEUTRAL;
        }
        break;
    case AUTO_DOWN:
        if (up || state->position == 0) {
            state->mode = NEUTRAL;
        } else if (down) {
            state->mode = DOWN;
        }
        break;
    default: /* REVERSE */
        if (state->position == 0) {
            state->mode = NEUTRAL;
        }
        break;
    }
}

static void during_hold(const t_window_io *io, t_window_state *state)
{
    if (state->position < TOP && WANTS_UP(io) && !PINCHED(io, state)) {
        state->mode = HOLD_UP;
    } else if (state->position > 0 && WANTS_DOWN(io)) {
        state->mode = HOLD_DOWN;
    } else {
        state->mode = HOLD;
    }
}

static void during_release(t_window_state *state)
{
    if (state->position == 0) {
        state->mode = RELEASED;
    }
}

static void outputs(t_window_io *io, const t_window_state *state)
{
    io->motor_up = state->mode == CHECK_UP || state->mode == UP || state->mode == AUTO_UP || state->mode == HOLD_UP;
    io->motor_down = !io->motor_up && !RESTING(state);
}

static void position(const t_window_io *io, t_window_state *state)
{
    if (io->motor_up && state->position < TOP) {
        state->position++;
    } else if (io->motor_down && state->position > 0) {
        state->position--;
    }
}

void window_init(t_window_state *state)
{
    state->mode = NEUTRAL;
    state->position = TOP;
}

void window_compute(t_window_io *io, t_window_state *state)
{
    if (!NORMAL(state)) {
        if (state->mode >= RELEASE) {
            during_release(state);
        } else {
            during_hold(io, state);
        }
    } else if (io->crash) {
        state->mode = state->mode == NEUTRAL ? HOLD : RELEASE;
    } else {
        during_normal(io, state);
    }
    outputs(io, state);
    position(io, state);
}

/* Power window with one-touch operation, end stops and pinch protection. */
#include "window.h"

static void move(t_window_state *state, int direction)
{
    int position = state->position + direction;

    if (position >= 0 && position <= TOP) {
        state->position = position;
    }
}

static t_mode next_mode(const t_window_io *io, const t_window_state *state)
{
    _Bool up = WANTS_UP(io);
    _Bool down = WANTS_DOWN(io);
    _Bool pinched = PINCHED(io, state);

    switch (state->mode) {
    case NEUTRAL:
        return up ? CHECK_UP : down ? CHECK_DOWN : NEUTRAL;
    case CHECK_UP:
        return pinched ? REVERSE : up ? UP : AUTO_UP;
    case UP:
        return pinched ? REVERSE : up && state->position < TOP ? UP : NEUTRAL;
    case AUTO_UP:
        if (pinched) {
            return REVERSE;
        }
        return down || state->position == TOP ? NEUTRAL : up ? UP : AUTO_UP;
    case CHECK_DOWN:
        return down ? DOWN : AUTO_DOWN;
    case DOWN:
        return down && state->position > 0 ? DOWN : NEUTRAL;
    case AUTO_DOWN:
        return up || state->position == 0 ? NEUTRAL : down ? DOWN : AUTO_DOWN;
    default:
        return state->position == 0 ? NEUTRAL : REVERSE;
    }
}

void window_init(t_window_state *state)
{
    state->mode = NEUTRAL;
    state->position = TOP;
}

void window_compute(t_window_io *io, t_window_state *state)
{
    state->mode = next_mode(io, state);
    io->motor_up = state->mode == CHECK_UP || state->mode == UP || state->mode == AUTO_UP;
    io->motor_down = state->mode != NEUTRAL && !io->motor_up;
    if (io->motor_up) {
        move(state, 1);
    } else if (io->motor_down) {
        move(state, -1);
    }
}

/* Elevator with three floors: calls are collected; the cab goes on in its direction as long as there are calls ahead. A call at the
 * floor where the door is open keeps it open for another step. */
#include "elevator.h"

static void collect(const t_elevator_io *io, t_elevator_state *state)
{
    int floor;

    for (floor = 0; floor < FLOORS; floor++) {
        state->request[floor] = state->request[floor] || io->call[floor];
    }
}

/* The door at `floor` is open: whether a call keeps it so. Serves the call. */
static _Bool held(const t_elevator_io *io, t_elevator_state *state, int floor)
{
    state->request[floor] = 0;
    return io->call[floor];
}

/* The cab comes to floor 1: stops there if it is wanted, goes on to `next` otherwise. */
static void pass(t_elevator_state *state, t_cab stop, t_cab next)
{
    if (state->request[1]) {
        state->request[1] = 0;
        state->cab = stop;
    } else {
        state->cab = next;
    }
}

static void arrive(t_elevator_state *state, int floor, t_cab cab)
{
    state->request[floor] = 0;
    state->cab = cab;
}

static void during_open(const t_elevator_io *io, t_elevator_state *state)
{
    switch (state->cab) {
    case OPEN_0:
        if (!held(io, state, 0) && (state->request[1] || state->request[2])) {
            state->cab = UP_0_1;
        }
        break;
    case OPEN_1_UP:
        if (!held(io, state, 1)) {
            state->cab = state->request[2] ? UP_1_2 : state->request[0] ? DOWN_1_0 : OPEN_1_UP;
        }
        break;
    case OPEN_1_DOWN:
        if (!held(io, state, 1)) {
            state->cab = state->request[0] ? DOWN_1_0 : state->request[2] ? UP_1_2 : OPEN_1_DOWN;
        }
        break;
    default: /* OPEN_2 */
        if (!held(io, state, 2) && (state->request[0] || state->request[1])) {
            state->cab = DOWN_2_1;
        }
        break;
    }
}

static void during_motion(t_elevator_state *state)
{
    switch (state->cab) {
    case UP_0_1:
        pass(state, OPEN_1_UP, UP_1_2);
        break;
    case UP_1_2:
        arrive(state, 2, OPEN_2);
        break;
    case DOWN_2_1:
        pass(state, OPEN_1_DOWN, DOWN_1_0);
        break;
    default: /* DOWN_1_0 */
        arrive(state, 0, OPEN_0);
        break;
    }
}

void elevator_init(t_elevator_state *state)
{
    int floor;

    state->cab = OPEN_0;
    for (floor = 0; floor < FLOORS; floor++) {
        state->request[floor] = 0;
    }
}

void elevator_compute(t_elevator_io *io, t_elevator_state *state)
{
    collect(io, state);
    if (state->cab <= OPEN_2) {
        during_open(io, state);
    } else {
        during_motion(state);
    }
    io->door_open = state->cab <= OPEN_2;
    io->motor_up = state->cab == UP_0_1 || state->cab == UP_1_2;
    io->motor_down = state->cab == DOWN_2_1 || state->cab == DOWN_1_0;
}

/* Four requirements of the elevator. */
#include <assert.h>
#include "elevator.h"

void __CPROVER_assume(_Bool condition);

/* REQ-EL-2: on its way up the cab passes a floor that nobody wants. */
void pass_up(t_elevator_io *io, t_elevator_state *state)
{
    __CPROVER_assume(state->cab == UP_0_1 && !state->request[1] && !io->call[1]);
    elevator_compute(io, state);
    assert(io->motor_up);
}

/* REQ-EL-3: on its way down the cab stops for a call that comes in time. */
void stop_down(t_elevator_io *io, t_elevator_state *state)
{
    __CPROVER_assume(state->cab == DOWN_2_1 && io->call[1]);
    elevator_compute(io, state);
    assert(io->door_open && !state->request[1]);
}

/* REQ-EL-4: a call at the floor keeps the door open. */
void hold_door(t_elevator_io *io, t_elevator_state *state)
{
    __CPROVER_assume(AT_1(state) && io->call[1] && io->call[0]);
    elevator_compute(io, state);
    assert(io->door_open && state->request[0]);
}

/* REQ-EL-1: calls on the way are remembered until they are served. */
void remember(t_elevator_io *io, t_elevator_state *state)
{
    __CPROVER_assume(state->cab == DOWN_1_0 && io->call[1]);
    elevator_compute(io, state);
    assert(state->request[1] && io->door_open);
}

/* Final: at the ground floor, nothing to do. */
void chaincover_final(t_elevator_io *io, t_elevator_state *state)
{
    __CPROVER_assume(state->cab == OPEN_0 && NO_REQUEST(state));
}

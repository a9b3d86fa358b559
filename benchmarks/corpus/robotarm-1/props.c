/* Four requirements of the robot arm. */
#include <assert.h>
#include "robotarm.h"

void __CPROVER_assume(_Bool condition);

/* REQ-RA-2: from the second step on the shoulder rises fast. */
void fast_up(t_arm_io *io, t_arm_state *state)
{
    float shoulder = state->shoulder;
    __CPROVER_assume(!state->elbow_selected && state->moving && !state->gripping && PUSHED_RIGHT(io) && !io->button);
    __CPROVER_assume(shoulder <= SHOULDER_MAX - FAST);
    arm_compute(io, state);
    assert(state->shoulder == shoulder + FAST);
}

/* REQ-RA-4: the elbow is not lowered below the table. */
void blocked(t_arm_io *io, t_arm_state *state)
{
    float elbow = state->elbow;
    __CPROVER_assume(state->elbow_selected && PUSHED_LEFT(io) && !io->button);
    arm_compute(io, state);
    __CPROVER_assume(state->blocked);
    assert(state->elbow == elbow && io->alarm && !state->moving);
}

/* REQ-RA-5: pressing the stick grips, with the hand at the table. */
void grip_low(t_arm_io *io, t_arm_state *state)
{
    __CPROVER_assume(!state->gripping && PRESSED(io) && HAND(state) <= -7.5f);
    arm_compute(io, state);
    assert(state->gripping && !state->moving);
}

/* REQ-RA-3: the arm can be stretched upwards. */
void stretched(t_arm_io *io, t_arm_state *state)
{
    __CPROVER_assume(state->elbow_selected && state->elbow < ELBOW_MAX && PUSHED_RIGHT(io) && !io->button);
    arm_compute(io, state);
    __CPROVER_assume(HAND(state) >= 85.0f);
    assert(state->moving && io->hand >= 85.0f);
}

/* Final: at home, with an empty hand. */
void chaincover_final(t_arm_io *io, t_arm_state *state)
{
    __CPROVER_assume(state->shoulder == 0.0f && state->elbow == 0.0f && !state->gripping && !state->elbow_selected);
}

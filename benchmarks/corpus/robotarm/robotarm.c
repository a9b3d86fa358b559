/* Robot arm with two joints: the button selects the joint, the stick moves it, pressing the stick grips. Limits saturate; a move that would
 * bring the hand below the table is refused. */
#include "robotarm.h"

static float saturate(float value, float low, float high)
{
    if (value < low) {
        return low;
    }
    if (value > high) {
        return high;
    }
    return value;
}

static float rate(const t_arm_io *io, const t_arm_state *state)
{
    return state->moving && !state->gripping && !io->button ? FAST : SLOW;
}

static void halt(t_arm_state *state, _Bool blocked)
{
    state->moving = 0;
    state->blocked = blocked;
}

static void move(t_arm_state *state, float change)
{
    float shoulder = state->shoulder;
    float elbow = state->elbow;

    if (state->elbow_selected) {
        elbow = saturate(elbow + change, ELBOW_MIN, ELBOW_MAX);
    } else {
        shoulder = saturate(shoulder + change, SHOULDER_MIN, SHOULDER_MAX);
    }
    if (shoulder + 0.5f * elbow < LOWEST) {
        halt(state, 1);
        return;
    }
    state->shoulder = shoulder;
    state->elbow = elbow;
    state->moving = 1;
    state->blocked = 0;
}

void arm_init(t_arm_state *state)
{
    state->elbow_selected = 0;
    state->moving = 0;
    state->gripping = 0;
    state->blocked = 0;
    state->shoulder = 0.0f;
    state->elbow = 0.0f;
}

void arm_compute(t_arm_io *io, t_arm_state *state)
{
    if (PRESSED(io)) {
        state->gripping = !state->gripping;
        halt(state, 0);
    } else if (RELEASED(io)) {
        if (io->button) {
            state->elbow_selected = !state->elbow_selected;
        }
        halt(state, 0);
    } else {
        move(state, PUSHED_RIGHT(io) ? rate(io, state) : -rate(io, state));
    }
    io->alarm = state->blocked;
    io->hand = HAND(state);
}

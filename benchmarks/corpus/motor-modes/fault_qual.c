/* Fault qualification by an up-down counter. */
#include "fault_qual.h"

static uint8_t limit_u8(int16_t value, uint8_t limit)
{
    return (uint8_t)(value < 0 ? 0 : value > (int16_t)limit ? (int16_t)limit : value);
}

void FQ_Reset(FQ_State *state)
{
    state->counter = 0U;
    state->qualified = 0U;
}

void FQ_Update(FQ_State *state, const FQ_Param *param, boolean symptom)
{
    int16_t next = (int16_t)((int16_t)state->counter + (symptom != 0U ? (int16_t)param->up : -(int16_t)param->down));

    state->counter = limit_u8(next, param->limit);
    if (state->counter == param->limit) {
        state->qualified = 1U;
    } else if (state->counter == 0U) {
        state->qualified = 0U;
    }
}

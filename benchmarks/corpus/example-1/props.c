/* The two properties of the paper's Example 1. The trigger of phi_1 holds in several states, so its distances to the
 * neighbours cannot all be met at once: 0, 1, 2 breaks, 0, 2, 2 is a chain. */
#include <assert.h>
#include "cruise.h"

void __CPROVER_assume(_Bool condition);

/* REQ-CC-5: the button enables the function. */
void phi_1(t_input *i, t_state *s)
{
    __CPROVER_assume(s->mode == OFF && !s->enable && i->button);
    compute(i, s);
    assert(s->enable);
}

/* REQ-CC-3: the brake disengages. */
void phi_2(t_input *i, t_state *s)
{
    __CPROVER_assume(s->mode == ON && i->brake);
    compute(i, s);
    assert(s->mode == DIS);
}

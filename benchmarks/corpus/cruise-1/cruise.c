/* Cruise controller, in the manner of code generated from a chart with three modes and a speed range. */
#include <assert.h>
#include "cruise.h"

void __CPROVER_assume(_Bool condition);

/* Signals by which a disengaged fast car comes back into the range. */
#ifdef CRUISE_DEFECT
#define SLOWER(i) ((i)->brake)
#else
#define SLOWER(i) ((i)->dec || (i)->brake)
#endif

void init(t_state *s)
{
    s->mode = OFF;
    s->speed = 0;
    s->enable = 0;
}

void compute(t_input *i, t_state *s)
{
    unsigned char mode = s->mode;

    /* chart: modes */
    switch (mode) {
    case ON:
        if (i->gas || i->brake) {
            s->mode = DIS;
        } else if (i->button) {
            s->mode = OFF;
        }
        break;
    case DIS:
        if ((s->speed == 2 && SLOWER(i)) || (s->speed == 0 && (i->acc || i->gas))) {
            s->mode = ON;
        } else if (i->button) {
            s->mode = OFF;
        }
        break;
    default:
        if ((s->speed == 0 && s->enable && (i->gas || i->acc)) || (s->speed == 1 && i->button)
            || (s->speed == 2 && s->enable && (i->brake || i->dec))) {
            s->mode = ON;
        }
        break;
    }

    /* switch: the button toggles the function */
    if (i->button) {
        s->enable = !s->enable;
    }

    /* saturated counter: the speed follows the pedals, and its tendency while it is not controlled */
    if ((i->gas || (mode != ON && i->acc)) && s->speed < 2) {
        s->speed++;
    }
    if ((i->brake || (mode != ON && i->dec)) && s->speed > 0) {
        s->speed--;
    }
}

/* Final: switched off, standing still. */
void chaincover_final(t_input *i, t_state *s)
{
    __CPROVER_assume(s->mode == OFF && s->speed == 0 && !s->enable);
}

/* One signal at a time. */
void chaincover_assume(t_input *i, t_state *s)
{
    __CPROVER_assume(i->gas + i->acc + i->dec + i->brake + i->button == 1);
}

#ifndef CRUISE_WITHOUT_PROPERTIES

/* REQ-CC-1: while the speed is controlled, a falling tendency does not change it. */
void p_1(t_input *i, t_state *s)
{
    __CPROVER_assume(s->mode == ON && s->speed == 1 && i->dec);
    compute(i, s);
    assert(s->speed == 1);
}

/* REQ-CC-2: when a disengaged car becomes slower, control resumes. */
void p_2(t_input *i, t_state *s)
{
    __CPROVER_assume(s->mode == DIS && s->speed == 2 && i->dec);
    compute(i, s);
    assert(s->mode == ON);
}

/* REQ-CC-3: the brake disengages. */
void p_3(t_input *i, t_state *s)
{
    __CPROVER_assume(s->mode == ON && i->brake);
    compute(i, s);
    assert(s->mode == DIS);
}

/* REQ-CC-4: the button enables the function of a fast car. */
void p_4(t_input *i, t_state *s)
{
    __CPROVER_assume(s->mode == OFF && s->speed == 2 && !s->enable && i->button);
    compute(i, s);
    assert(s->enable);
}

#endif

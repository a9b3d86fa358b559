/* Cruise controller, written as a nest of cases: for each mode and speed what each signal does. */
#include "cruise2.h"

t_cruise cruise;

static void enter(t_mode mode, int speed, _Bool enable)
{
    cruise.mode = mode;
    cruise.speed = speed;
    cruise.enable = enable;
}

static _Bool faster(t_signal signal)
{
    return signal == GAS || signal == ACC;
}

static _Bool slower(t_signal signal)
{
    return signal == BRAKE || signal == DEC;
}

static void off_disabled(t_signal signal)
{
    switch (cruise.speed) {
    case 0:
        if (faster(signal)) enter(OFF, 1, 0);
        else if (signal == BUTTON) enter(OFF, 0, 1);
        break;
    case 1:
        if (faster(signal)) enter(OFF, 2, 0);
        else if (slower(signal)) enter(OFF, 0, 0);
        else if (signal == BUTTON) enter(ON, 1, 1);
        break;
    default:
        if (slower(signal)) enter(OFF, 1, 0);
        else if (signal == BUTTON) enter(OFF, 2, 1);
        break;
    }
}

static void off_enabled(t_signal signal)
{
    if (cruise.speed == 0 && faster(signal)) enter(ON, 1, 1);
    else if (cruise.speed == 2 && slower(signal)) enter(ON, 1, 1);
    else if (signal == BUTTON) enter(OFF, cruise.speed, 0);
}

static void on(t_signal signal)
{
    switch (signal) {
    case GAS:    enter(DIS, 2, 1); break;
    case BRAKE:  enter(DIS, 0, 1); break;
    case BUTTON: enter(OFF, 1, 0); break;
    default:     break;
    }
}

static void disengaged(t_signal signal)
{
    if (signal == BUTTON) enter(OFF, cruise.speed, 0);
    else if (cruise.speed == 0 && faster(signal)) enter(ON, 1, 1);
    else if (cruise.speed == 2 && slower(signal)) enter(ON, 1, 1);
}

void cruise_init(void)
{
    enter(OFF, 0, 0);
}

void cruise_compute(t_io *io)
{
    switch (cruise.mode) {
    case ON:  on(io->signal); break;
    case DIS: disengaged(io->signal); break;
    default:
        if (cruise.enable) off_enabled(io->signal);
        else off_disabled(io->signal);
        break;
    }
}

/* Power window: keys are debounced in every step of 5 ms, the chart runs in every fifth one. A short press starts the
 * automatic, a long one moves as long as it lasts. What is pinched on the way up is set free; after an end stop the drive rests. */
#include "power_window.h"

t_window_inputs window_u;
t_window_outputs window_y;
t_window window_dw;

static void debounce(t_debounce *filter, _Bool input)
{
    if (input == filter->stable) {
        filter->count = 0;
        return;
    }
    filter->count++;
    if (filter->count >= DEBOUNCE) {
        filter->stable = input;
        filter->count = 0;
    }
}

static void enter(t_window_state state)
{
    window_dw.state = state;
    window_dw.ticks = 0;
}

static void manual(_Bool key, t_window_state automatic)
{
    if (window_u.end_stop) {
        enter(REST);
    } else if (!key) {
        enter(window_dw.ticks < T_AUTO ? automatic : IDLE);
    }
}

static void driven(void)
{
    if (window_u.end_stop) {
        enter(REST);
    } else if (window_dw.up.stable && window_dw.down.stable) {
        enter(IDLE);
    }
}

static void chart(void)
{
    if (window_dw.ticks < 255) {
        window_dw.ticks++;
    }
    switch (window_dw.state) {
    case IDLE:
        if (window_dw.up.stable && !window_dw.down.stable) {
            enter(UP);
        } else if (window_dw.down.stable && !window_dw.up.stable) {
            enter(DOWN);
        }
        break;
    case UP:
        if (window_u.obstacle) {
            enter(REVERSE);
        } else {
            manual(window_dw.up.stable, AUTO_UP);
        }
        break;
    case AUTO_UP:
        if (window_u.obstacle) {
            enter(REVERSE);
        } else {
            driven();
        }
        break;
    case DOWN:
        manual(window_dw.down.stable, AUTO_DOWN);
        break;
    case AUTO_DOWN:
        driven();
        break;
    case REVERSE:
        if (window_u.end_stop || window_dw.ticks >= T_REVERSE) {
            enter(REST);
        }
        break;
    default:
        if (window_dw.ticks >= T_REST) {
            enter(IDLE);
        }
        break;
    }
}

void window_initialize(void)
{
    window_dw.divider = 0;
    window_dw.up.stable = 0;
    window_dw.up.count = 0;
    window_dw.down.stable = 0;
    window_dw.down.count = 0;
    enter(IDLE);
    window_y.move_up = 0;
    window_y.move_down = 0;
}

void window_step(void)
{
    debounce(&window_dw.up, window_u.key_up);
    debounce(&window_dw.down, window_u.key_down);
    if (window_dw.divider == 0) {
        chart();
    }
    window_dw.divider = window_dw.divider == DIVIDER - 1 ? 0 : window_dw.divider + 1;
    window_y.move_up = window_dw.state == UP || window_dw.state == AUTO_UP;
    window_y.move_down = window_dw.state == DOWN || window_dw.state == AUTO_DOWN || window_dw.state == REVERSE;
}

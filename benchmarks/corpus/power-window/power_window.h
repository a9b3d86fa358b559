/* Power window: interface and state. */
#ifndef POWER_WINDOW_H
#define POWER_WINDOW_H

typedef unsigned char uint8;

/* The chart runs in every fifth step. */
#define DIVIDER 5

/* Samples until a debounced input follows. */
#define DEBOUNCE 4

/* Ticks of the chart. */
#define T_AUTO    20 /* a key held for less than this asks for the automatic */
#define T_REVERSE 40 /* a window that pinched opens for so long */
#define T_REST    20 /* the drive rests after an end stop */

typedef enum { IDLE, UP, AUTO_UP, DOWN, AUTO_DOWN, REVERSE, REST, WINDOW_STATES } t_window_state;

typedef struct {
    _Bool key_up;
    _Bool key_down;
    _Bool obstacle; /* the motor current says that something is in the way */
    _Bool end_stop; /* the motor current says that an end is reached */
} t_window_inputs;

typedef struct {
    _Bool move_up;
    _Bool move_down;
} t_window_outputs;

typedef struct {
    _Bool stable;
    uint8 count;
} t_debounce;

typedef struct {
    uint8 divider;
    t_debounce up;
    t_debounce down;
    t_window_state state;
    uint8 ticks; /* ticks of the chart since its state was entered */
} t_window;

extern t_window_inputs window_u;
extern t_window_outputs window_y;
extern t_window window_dw;

void window_initialize(void);
void window_step(void);

#endif

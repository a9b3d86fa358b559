/* Power window with crash input: interface, state, chart. */
#ifndef WINDOW_EXT_H
#define WINDOW_EXT_H

/* Positions: 0 open, TOP closed. Above PINCH_AREA an obstacle is the seal. */
#define TOP        6
#define PINCH_AREA 4

typedef enum {
    /* normal operation */
    NEUTRAL,
    CHECK_UP,
    UP,
    AUTO_UP,
    CHECK_DOWN,
    DOWN,
    AUTO_DOWN,
    REVERSE,
    /* after a crash with the window at rest: by hand only, for good */
    HOLD,
    HOLD_UP,
    HOLD_DOWN,
    /* after a crash with the window in motion: opened for rescue, for good */
    RELEASE,
    RELEASED
} t_mode;

typedef struct {
    _Bool driver_up;
    _Bool driver_down;
    _Bool passenger_up;
    _Bool passenger_down;
    _Bool obstacle;
    _Bool crash;
    _Bool motor_up;
    _Bool motor_down;
} t_window_io;

typedef struct {
    t_mode mode;
    int position;
} t_window_state;

/* What the two pairs of keys ask for; the driver's keys win, contradicting keys ask for nothing. */
#define DRIVER(io)      ((io)->driver_up || (io)->driver_down)
#define WANTS_UP(io)    (DRIVER(io) ? (io)->driver_up && !(io)->driver_down : (io)->passenger_up && !(io)->passenger_down)
#define WANTS_DOWN(io)  (DRIVER(io) ? (io)->driver_down && !(io)->driver_up : (io)->passenger_down && !(io)->passenger_up)

#define PINCHED(io, state) ((io)->obstacle && (state)->position >= 1 && (state)->position <= PINCH_AREA)

/* Regions of the chart. */
#define NORMAL(state)  ((state)->mode < HOLD)
#define RESTING(state) ((state)->mode == NEUTRAL || (state)->mode == HOLD || (state)->mode == RELEASED)

void window_init(t_window_state *state);
void window_compute(t_window_io *io, t_window_state *state);

#endif

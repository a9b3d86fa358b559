/* Power window: interface, state, chart. */
#ifndef WINDOW_H
#define WINDOW_H

/* Positions: 0 open, TOP closed. Above PINCH_AREA an obstacle is the seal. */
#define TOP        6
#define PINCH_AREA 4

typedef enum {
    NEUTRAL,    /* motor off                                         */
    CHECK_UP,   /* first step upwards: released now means automatic  */
    UP,         /* upwards as long as the key is held                */
    AUTO_UP,    /* upwards to the end stop                           */
    CHECK_DOWN,
    DOWN,
    AUTO_DOWN,
    REVERSE     /* an obstacle was pinched: downwards to the end stop */
} t_mode;

typedef struct {
    _Bool driver_up;
    _Bool driver_down;
    _Bool passenger_up;
    _Bool passenger_down;
    _Bool obstacle;
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

/* An obstacle in the area in which it can be pinched. */
#define PINCHED(io, state) ((io)->obstacle && (state)->position >= 1 && (state)->position <= PINCH_AREA)

void window_init(t_window_state *state);
void window_compute(t_window_io *io, t_window_state *state);

#endif

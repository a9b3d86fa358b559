/* Curing lamp with a hold timer: types and entry points. */
#ifndef TIMER_H
#define TIMER_H

/* Steps of a full exposure, and of the cool-down after it. */
#ifndef HOLD
#define HOLD 20
#endif
/* Steps for which the start request must be held. */
#define REQUEST 3

typedef enum { IDLE, REQUESTED, RUN, EXPIRED, COOL } t_mode;

typedef struct {
    _Bool start;
    _Bool stop;
    _Bool door_open;
} t_input;

typedef struct {
    _Bool lamp;
    _Bool fan;
    _Bool ready;
} t_output;

typedef struct {
    t_mode mode;
    unsigned short timer; /* steps left in the current mode */
} t_state;

extern t_input U;
extern t_output Y;
extern t_state X;

void lamp_init(void);
void lamp_step(void);

#endif

/* Cruise controller with one signal at a time: types and entry points. */
#ifndef CRUISE2_H
#define CRUISE2_H

typedef enum { NO_SIGNAL, BUTTON, ACC, DEC, GAS, BRAKE } t_signal;
typedef enum { OFF, ON, DIS } t_mode;

typedef struct {
    t_signal signal;
} t_io;

typedef struct {
    t_mode mode;
    int speed;     /* 0 slow, 1 within the range, 2 fast */
    _Bool enable;
} t_cruise;

extern t_cruise cruise;

void cruise_init(void);
void cruise_compute(t_io *io);

#endif

/* Elevator with three floors: interface, state, chart. */
#ifndef ELEVATOR_H
#define ELEVATOR_H

#define FLOORS 3

/* Where the cab is. At floor 1 it remembers where it came from, because it goes on in the same direction. */
typedef enum {
    OPEN_0,
    OPEN_1_UP,
    OPEN_1_DOWN,
    OPEN_2,
    UP_0_1,
    UP_1_2,
    DOWN_2_1,
    DOWN_1_0
} t_cab;

typedef struct {
    _Bool call[FLOORS]; /* button of the floor, at the door or in the cab */
    _Bool door_open;
    _Bool motor_up;
    _Bool motor_down;
} t_elevator_io;

typedef struct {
    t_cab cab;
    _Bool request[FLOORS]; /* calls not served yet */
} t_elevator_state;

#define AT_1(state)        ((state)->cab == OPEN_1_UP || (state)->cab == OPEN_1_DOWN)
#define NO_CALL(io)        (!(io)->call[0] && !(io)->call[1] && !(io)->call[2])
#define NO_REQUEST(state)  (!(state)->request[0] && !(state)->request[1] && !(state)->request[2])

void elevator_init(t_elevator_state *state);
void elevator_compute(t_elevator_io *io, t_elevator_state *state);

#endif

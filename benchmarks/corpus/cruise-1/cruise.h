/* Cruise controller: types and entry points. */
#ifndef CRUISE_H
#define CRUISE_H

/* Modes of the controller. */
#define OFF 0 /* cruise control is switched off                        */
#define ON  1 /* cruise control holds the speed                        */
#define DIS 2 /* disengaged for as long as the driver uses the pedals  */

/* Pedals (gas, brake), the speed's tendency (acc, dec), and the button. */
typedef struct {
    _Bool gas;
    _Bool acc;
    _Bool dec;
    _Bool brake;
    _Bool button;
} t_input;

typedef struct {
    unsigned char mode;  /* OFF, ON, DIS                          */
    unsigned char speed; /* 0 slow, 1 within the range, 2 fast    */
    _Bool enable;        /* the button has switched the function on */
} t_state;

void init(t_state *s);
void compute(t_input *i, t_state *s);

#endif

/* Gear unit with two rates: interface and state. */
#ifndef GEAR_UNIT_H
#define GEAR_UNIT_H

typedef signed char int8;
typedef unsigned char uint8;
typedef unsigned short uint16;

/* The slow task runs in every eighth step of the fast one. */
#define SLOW_RATE 8

#define TOP_GEAR 4

/* Steps of the fast task. */
#define T_OPEN   12 /* the clutch opens */
#define T_ENGAGE 20 /* the gear engages */
#define T_CLOSE  16 /* the clutch closes */

/* Steps of the slow task. */
#define T_ARM    75  /* brake and full throttle arm the launch */
#define T_LAUNCH 40  /* slip of the launch */
#define T_HOT    150 /* after a launch the clutch cools down */

enum { CLOSED, OPENING, ENGAGING, CLOSING };
enum { NORMAL, ARMING, ARMED, LAUNCH, COOLDOWN };

typedef struct {
    _Bool up;
    _Bool down;
    _Bool brake;
    uint8 throttle; /* percent */
} t_gear_inputs;

typedef struct {
    uint8 clutch; /* percent */
    _Bool ready;
} t_gear_outputs;

typedef struct {
    uint8 gear;
    uint8 wanted;
    uint8 shift;
    uint8 timer;
    _Bool lever; /* the lever was pulled in the step before */
} t_shift;

typedef struct {
    uint8 mode;
    uint16 timer;
} t_launch;

extern t_gear_inputs gear_u;
extern t_gear_outputs gear_y;
extern t_shift gear_shift;
extern t_launch gear_launch;
extern uint8 gear_rate;

void gear_init(void);
void gear_fast(void);
void gear_slow(void);
void gear_step(void);

#endif

/* Motor manager: interface and state. */
#ifndef MOTOR_MANAGER_H
#define MOTOR_MANAGER_H

typedef unsigned char uint8;
typedef unsigned short uint16;

/* The scheduler serves acquisition, control and supervision in turn. */
enum { PHASE_ACQUIRE, PHASE_CONTROL, PHASE_SUPERVISE, PHASES };

/* Control steps. */
#define QUALIFICATION 1280 /* a symptom becomes the fault */
#define RELEASE       9600 /* the fault without symptom is released */

#define CURRENT_LIMIT     180
#define TEMPERATURE_LIMIT 140

typedef enum { OFF, STARTING, RUN, DERATED, SAFE } t_mode;

typedef struct {
    uint8 current;
    uint8 temperature;
    uint8 speed;
    _Bool enable;
} t_manager_inputs;

typedef struct {
    _Bool power;
    uint8 duty;
    _Bool lamp;
} t_manager_outputs;

typedef struct {
    uint8 phase;
    _Bool overcurrent; /* symptoms, as acquired */
    _Bool overheated;
    uint16 count; /* towards qualification, or towards release */
    _Bool fault;
    t_mode mode;
} t_manager;

extern t_manager_inputs manager_u;
extern t_manager_outputs manager_y;
extern t_manager manager_dw;

void manager_init(void);
void manager_step(void);

#endif

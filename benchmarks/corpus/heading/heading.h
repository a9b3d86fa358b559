#ifndef HEADING_H
#define HEADING_H

/* Modes. */
enum heading_mode { HEADING_IDLE, HEADING_TURN, HEADING_DRIVE, HEADING_ARRIVED };

/* What the robot is told. */
typedef struct {
    float north;        /* direction of the target, as a vector */
    float east;
    _Bool go;
    _Bool halt;
} heading_in;

/* What it does. */
typedef struct {
    float error;        /* target direction seen from the robot, rad */
    float rate;         /* turn in this step, rad */
    _Bool driving;
} heading_out;

/* What it remembers. */
typedef struct {
    enum heading_mode mode;
    float heading;      /* own direction, rad */
    float along;        /* way towards the target, m */
} heading_state;

extern heading_in rtU;
extern heading_out rtY;
extern heading_state rtDW;

void heading_initialize(void);
void heading_step(void);

#endif

/* Robot arm with two joints and a gripper, moved by a joystick: interface and state. */
#ifndef ROBOTARM_H
#define ROBOTARM_H

/* Angles in degrees. */
#define SHOULDER_MIN 0.0f
#define SHOULDER_MAX 75.0f
#define ELBOW_MIN    (-45.0f)
#define ELBOW_MAX    45.0f

/* Degrees for each step: in the first step, while carrying or while the button is held; otherwise. */
#define SLOW 7.5f
#define FAST 15.0f

/* The hand may not come below the table. */
#define LOWEST (-15.0f)

typedef struct {
    _Bool left;   /* both: the stick is pressed */
    _Bool right;
    _Bool button;
    _Bool alarm;
    float hand;   /* height of the hand, in degrees of the shoulder */
} t_arm_io;

typedef struct {
    _Bool elbow_selected; /* the joint that the stick moves */
    _Bool moving;         /* the last step moved it */
    _Bool gripping;
    _Bool blocked;        /* the last step would have hit the table */
    float shoulder;
    float elbow;
} t_arm_state;

#define PUSHED_LEFT(io)   ((io)->left && !(io)->right)
#define PUSHED_RIGHT(io)  ((io)->right && !(io)->left)
#define PRESSED(io)       ((io)->left && (io)->right)
#define RELEASED(io)      (!(io)->left && !(io)->right)
#define HAND(state)       ((state)->shoulder + 0.5f * (state)->elbow)

void arm_init(t_arm_state *state);
void arm_compute(t_arm_io *io, t_arm_state *state);

#endif

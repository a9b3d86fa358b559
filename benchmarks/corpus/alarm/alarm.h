/* Car alarm: interface, state and the states of its chart. */
#ifndef ALARM_H
#define ALARM_H

#include "ga_types.h"

/* Delays in steps: until the alarm is armed, of sound and flash, of flash alone. */
#ifndef T_ARM
#define T_ARM 400
#endif
#ifndef T_SOUND
#define T_SOUND 600
#endif
#ifndef T_FLASH
#define T_FLASH 5400
#endif

/* Leaves of the chart. */
#define ALARM_INACTIVE          0  /* the chart has not been entered */
#define ALARM_INIT              1
#define ALARM_OPEN              2
#define ALARM_WILLARM_START     3
#define ALARM_WILLARM_PLUS      4
#define ALARM_WILLARM_END       5
#define ALARM_ARMED             6
#define ALARM_ACOPT_START       7
#define ALARM_ACOPT_PLUS        8
#define ALARM_ACOPT_END         9
#define ALARM_OPTICAL_START    10
#define ALARM_OPTICAL_PLUS     11
#define ALARM_OPTICAL_END      12

typedef struct {
    GABOOL VehLocked;
    GABOOL AlarmSensor;
    GABOOL AlarmArmed;
    GABOOL SoundOn;
    GABOOL FlashOn;
} t_alarm_io;

typedef struct {
    GAUINT8 chart;
    GAUINT16 counter;
} t_alarm_state;

/* Composite states. */
#define IN_WILLARM(s) ((s)->chart >= ALARM_WILLARM_START && (s)->chart <= ALARM_WILLARM_END)
#define IN_ACOPT(s)   ((s)->chart >= ALARM_ACOPT_START && (s)->chart <= ALARM_ACOPT_END)
#define IN_OPTICAL(s) ((s)->chart >= ALARM_OPTICAL_START && (s)->chart <= ALARM_OPTICAL_END)

void alarm_init(t_alarm_state *_state_);
void alarm_compute(t_alarm_io *_io_, t_alarm_state *_state_);

#endif

/* Pump station: interface and state. */
#ifndef PUMP_STATION_H
#define PUMP_STATION_H

/* Steps of 100 ms. */
#define T_VALVE   50   /* the suction valve opens */
#define T_PRIME   300  /* longest priming */
#define T_RAMP    120  /* the drive runs up */
#define T_DRY     80   /* dry for so long trips */
#define T_COOL    1800 /* rest after a trip */
#define T_HEALTHY 6000 /* a run of so long forgets the trips */
#define T_UNLOCK  100  /* the key is held to unlock */
#define TRIPS     3    /* so many trips lock out */

enum { STOPPED, VALVE, PRIMING, RAMP, RUNNING, COOLING, LOCKED };

extern _Bool in_start, in_stop, in_key;
extern unsigned char in_pressure; /* in tenths of a bar */
extern _Bool in_flow;

extern _Bool out_valve, out_drive, out_alarm;

extern unsigned char station_state;
extern unsigned short station_timer;
extern unsigned char station_dry;
extern unsigned char station_trips;
extern unsigned char station_unlock;

void station_init(void);
void station_step(void);

#endif

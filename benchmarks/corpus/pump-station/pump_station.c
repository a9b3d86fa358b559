/* Pump station: valve, priming, ramp and run in sequence; a dry pump trips and cools down, the third trip locks it out until
 * the key is held. A long healthy run forgets the trips. */
#include "pump_station.h"

#define PRIMED 15
#define RUN_DRY 5

_Bool in_start, in_stop, in_key;
unsigned char in_pressure;
_Bool in_flow;

_Bool out_valve, out_drive, out_alarm;

unsigned char station_state;
unsigned short station_timer;
unsigned char station_dry;
unsigned char station_trips;
unsigned char station_unlock;

static void go(unsigned char state)
{
    station_state = state;
    station_timer = 0;
    station_dry = 0;
    station_unlock = 0;
}

static void trip(void)
{
    station_trips++;
    go(station_trips >= TRIPS ? LOCKED : COOLING);
}

static _Bool runs_dry(void)
{
    station_dry = in_flow && in_pressure >= RUN_DRY ? 0 : station_dry + 1;
    return station_dry >= T_DRY;
}

static void locked(void)
{
    station_unlock = in_key ? station_unlock + 1 : 0;
    if (station_unlock >= T_UNLOCK) {
        station_trips = 0;
        go(STOPPED);
    }
}

static void running(void)
{
    if (in_stop) {
        go(STOPPED);
    } else if (runs_dry()) {
        trip();
    } else if (station_timer < T_HEALTHY) {
        station_timer++;
        if (station_timer == T_HEALTHY) {
            station_trips = 0;
        }
    }
}

static void sequence(void)
{
    station_timer++;
    if (in_stop) {
        go(STOPPED);
    } else if (station_state == VALVE && station_timer >= T_VALVE) {
        go(PRIMING);
    } else if (station_state == PRIMING && in_pressure >= PRIMED && in_flow) {
        go(RAMP);
    } else if (station_state == PRIMING && station_timer >= T_PRIME) {
        trip();
    } else if (station_state == RAMP && station_timer >= T_RAMP) {
        go(RUNNING);
    }
}

void station_init(void)
{
    station_trips = 0;
    go(STOPPED);
}

void station_step(void)
{
    switch (station_state) {
    case STOPPED:
        if (in_start && !in_stop) {
            go(VALVE);
        }
        break;
    case VALVE:
    case PRIMING:
    case RAMP:
        sequence();
        break;
    case RUNNING:
        running();
        break;
    case COOLING:
        station_timer++;
        if (station_timer >= T_COOL) {
            go(STOPPED);
        }
        break;
    default:
        locked();
        break;
    }
    out_valve = station_state == VALVE || station_state == PRIMING || station_state == RAMP || station_state == RUNNING;
    out_drive = station_state == PRIMING || station_state == RAMP || station_state == RUNNING;
    out_alarm = station_state == LOCKED;
}

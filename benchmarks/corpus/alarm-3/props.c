/* Fourteen requirements of the car alarm, one and two steps long. The two about the start exclude each other: the chart leaves
 * its initial state once and never returns. */
#include <assert.h>
#include "alarm.h"

void __CPROVER_assume(_Bool condition);

/* REQ-AL-1: a car that is locked at the start waits to be armed. */
void start_locked(t_alarm_io *_io_, t_alarm_state *_state_)
{
    __CPROVER_assume(_state_->chart == ALARM_INIT && _io_->VehLocked);
    alarm_compute(_io_, _state_);
    assert(_state_->chart == ALARM_WILLARM_START);
}

/* REQ-AL-1: a car that is not locked at the start is open. */
void start_open(t_alarm_io *_io_, t_alarm_state *_state_)
{
    __CPROVER_assume(_state_->chart == ALARM_INIT && !_io_->VehLocked);
    alarm_compute(_io_, _state_);
    assert(_state_->chart == ALARM_OPEN);
}

/* REQ-AL-2: the delay starts anew after each unlocking. */
void relock(t_alarm_io *_io_, t_alarm_state *_state_)
{
    __CPROVER_assume(IN_WILLARM(_state_) && !_io_->VehLocked);
    alarm_compute(_io_, _state_);
    __CPROVER_assume(_io_->VehLocked);
    alarm_compute(_io_, _state_);
    assert(_state_->chart == ALARM_WILLARM_START && _state_->counter == 1);
}

/* REQ-AL-2: an open car shows nothing until it is locked. */
void stay_open(t_alarm_io *_io_, t_alarm_state *_state_)
{
    __CPROVER_assume(_state_->chart == ALARM_OPEN && !_io_->VehLocked);
    alarm_compute(_io_, _state_);
    assert(_state_->chart == ALARM_OPEN && !_io_->AlarmArmed && !_io_->SoundOn && !_io_->FlashOn);
}

/* REQ-AL-3: the delay ends after T_ARM counts. */
void delay_ends(t_alarm_io *_io_, t_alarm_state *_state_)
{
    __CPROVER_assume(_state_->chart == ALARM_WILLARM_PLUS);
    alarm_compute(_io_, _state_);
    __CPROVER_assume(_state_->counter == 0 && _state_->chart == ALARM_WILLARM_END);
    assert(!_io_->AlarmArmed);
}

/* REQ-AL-3: a car that stayed locked for the whole delay is armed. */
void arm(t_alarm_io *_io_, t_alarm_state *_state_)
{
    __CPROVER_assume(_state_->chart == ALARM_WILLARM_END && _io_->VehLocked);
    alarm_compute(_io_, _state_);
    assert(_io_->AlarmArmed);
}

/* REQ-AL-4: unlocking disarms. */
void disarm(t_alarm_io *_io_, t_alarm_state *_state_)
{
    __CPROVER_assume(_state_->chart == ALARM_ARMED && !_io_->VehLocked && !_io_->AlarmSensor);
    alarm_compute(_io_, _state_);
    assert(_state_->chart == ALARM_OPEN && !_io_->AlarmArmed);
}

/* REQ-AL-5: the sensor wins over unlocking; sound and flash start. */
void intrusion_while_unlocking(t_alarm_io *_io_, t_alarm_state *_state_)
{
    __CPROVER_assume(_state_->chart == ALARM_ARMED && _io_->AlarmSensor && !_io_->VehLocked);
    alarm_compute(_io_, _state_);
    assert(_io_->SoundOn && _io_->FlashOn);
}

/* REQ-AL-5: the sensor of an armed car starts sound and flash, and both last. */
void intrusion(t_alarm_io *_io_, t_alarm_state *_state_)
{
    __CPROVER_assume(_state_->chart == ALARM_ARMED && _io_->AlarmSensor && _io_->VehLocked);
    alarm_compute(_io_, _state_);
    __CPROVER_assume(_io_->VehLocked);
    alarm_compute(_io_, _state_);
    assert(_io_->SoundOn && _io_->FlashOn);
}

/* REQ-AL-6: sound ends after its time, the flash goes on. */
void silence(t_alarm_io *_io_, t_alarm_state *_state_)
{
    __CPROVER_assume(IN_ACOPT(_state_) && _state_->counter == 0);
    alarm_compute(_io_, _state_);
    assert(!_io_->SoundOn && _io_->FlashOn);
}

/* REQ-AL-6: after the flash the car is armed again. */
void rearm(t_alarm_io *_io_, t_alarm_state *_state_)
{
    __CPROVER_assume(IN_OPTICAL(_state_) && _state_->counter == 0);
    alarm_compute(_io_, _state_);
    assert(_io_->AlarmArmed && !_io_->FlashOn);
}

/* REQ-AL-7: unlocking stops sound and flash. */
void unlock_sound(t_alarm_io *_io_, t_alarm_state *_state_)
{
    __CPROVER_assume(IN_ACOPT(_state_) && _state_->counter != 0 && !_io_->VehLocked);
    alarm_compute(_io_, _state_);
    assert(_state_->chart == ALARM_OPEN && !_io_->SoundOn && !_io_->FlashOn);
}

/* REQ-AL-7: unlocking stops the flash, and the car can be locked at once. */
void unlock_flash(t_alarm_io *_io_, t_alarm_state *_state_)
{
    __CPROVER_assume(IN_OPTICAL(_state_) && _state_->counter != 0 && !_io_->VehLocked);
    alarm_compute(_io_, _state_);
    assert(!_io_->FlashOn);
    __CPROVER_assume(_io_->VehLocked);
    alarm_compute(_io_, _state_);
    assert(_state_->chart == ALARM_WILLARM_START);
}

/* REQ-AL-8: the sensor does not matter during the delay. */
void sensor_during_delay(t_alarm_io *_io_, t_alarm_state *_state_)
{
    GAUINT16 counter = _state_->counter;
    __CPROVER_assume(_state_->chart == ALARM_WILLARM_START && _io_->AlarmSensor && _io_->VehLocked);
    alarm_compute(_io_, _state_);
    assert(_state_->counter == counter + 1 && !_io_->SoundOn);
}

/* Final: the car is open. */
void chaincover_final(t_alarm_io *_io_, t_alarm_state *_state_)
{
    __CPROVER_assume(_state_->chart == ALARM_OPEN);
}

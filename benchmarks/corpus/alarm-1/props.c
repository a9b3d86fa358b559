/* Five requirements of the car alarm. */
#include <assert.h>
#include "alarm.h"

void __CPROVER_assume(_Bool condition);

/* REQ-AL-3: a car that stayed locked for the whole delay is armed. */
void arm(t_alarm_io *_io_, t_alarm_state *_state_)
{
    __CPROVER_assume(_state_->chart == ALARM_WILLARM_END && _io_->VehLocked);
    alarm_compute(_io_, _state_);
    assert(_io_->AlarmArmed);
}

/* REQ-AL-4: unlocking during the delay opens. */
void unlock_early(t_alarm_io *_io_, t_alarm_state *_state_)
{
    __CPROVER_assume(IN_WILLARM(_state_) && _state_->counter != 0 && !_io_->VehLocked);
    alarm_compute(_io_, _state_);
    assert(_state_->chart == ALARM_OPEN && !_io_->AlarmArmed);
}

/* REQ-AL-5: the sensor of an armed car starts sound and flash. */
void intrusion(t_alarm_io *_io_, t_alarm_state *_state_)
{
    __CPROVER_assume(_state_->chart == ALARM_ARMED && _io_->AlarmSensor);
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

/* REQ-AL-7: unlocking stops a running alarm. */
void unlock_alarm(t_alarm_io *_io_, t_alarm_state *_state_)
{
    __CPROVER_assume((IN_ACOPT(_state_) || IN_OPTICAL(_state_)) && _state_->counter != 0 && !_io_->VehLocked);
    alarm_compute(_io_, _state_);
    assert(_state_->chart == ALARM_OPEN && !_io_->SoundOn && !_io_->FlashOn);
}

/* Final: the car is open. */
void chaincover_final(t_alarm_io *_io_, t_alarm_state *_state_)
{
    __CPROVER_assume(_state_->chart == ALARM_OPEN);
}

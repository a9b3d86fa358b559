/* Car alarm: locking arms it after a delay; the sensor starts sound and flash, which end one after the other; unlocking opens.
 * In the manner of code generated from a hierarchical chart: each composite state runs the same counter chart inside. */
#include "alarm.h"

static void enter_start(t_alarm_state *_state_, GAUINT8 start)
{
    _state_->chart = start;
    _state_->counter = 1;
}

/* The counter inside a composite state whose leaves start, start + 1, start + 2 are Start, Plus and End. */
static void during_counter(t_alarm_state *_state_, GAUINT8 start, GAUINT16 limit)
{
    if (_state_->chart == start) {
        _state_->chart = start + 1;
        _state_->counter = _state_->counter + 1;
    } else if (_state_->chart == start + 1) {
        if (_state_->counter < limit) {
            _state_->counter = _state_->counter + 1;
        } else {
            _state_->chart = start + 2;
            _state_->counter = 0;
        }
    }
}

static void during_closed(t_alarm_io *_io_, t_alarm_state *_state_)
{
    if (_io_->VehLocked) {
        enter_start(_state_, ALARM_WILLARM_START);
    } else {
        _state_->chart = ALARM_OPEN;
    }
}

static void during_willarm(t_alarm_io *_io_, t_alarm_state *_state_)
{
    if (_state_->counter == 0 && _io_->VehLocked) {
        _state_->chart = ALARM_ARMED;
    } else if (!_io_->VehLocked) {
        _state_->chart = ALARM_OPEN;
    } else {
        during_counter(_state_, ALARM_WILLARM_START, T_ARM);
    }
}

static void during_armed(t_alarm_io *_io_, t_alarm_state *_state_)
{
    if (_io_->AlarmSensor) {
        enter_start(_state_, ALARM_ACOPT_START);
    } else if (!_io_->VehLocked) {
        _state_->chart = ALARM_OPEN;
    }
}

static void during_acopt(t_alarm_io *_io_, t_alarm_state *_state_)
{
    if (_state_->counter == 0) {
        enter_start(_state_, ALARM_OPTICAL_START);
    } else if (!_io_->VehLocked) {
        _state_->chart = ALARM_OPEN;
    } else {
        during_counter(_state_, ALARM_ACOPT_START, T_SOUND);
    }
}

static void during_optical(t_alarm_io *_io_, t_alarm_state *_state_)
{
    if (_state_->counter == 0) {
        _state_->chart = ALARM_ARMED;
    } else if (!_io_->VehLocked) {
        _state_->chart = ALARM_OPEN;
    } else {
        during_counter(_state_, ALARM_OPTICAL_START, T_FLASH);
    }
}

void alarm_init(t_alarm_state *_state_)
{
    _state_->chart = ALARM_INACTIVE;
    _state_->counter = 0;
}

void alarm_compute(t_alarm_io *_io_, t_alarm_state *_state_)
{
    switch (_state_->chart) {
    case ALARM_INACTIVE:
        _state_->chart = ALARM_INIT;
        break;
    case ALARM_INIT:
    case ALARM_OPEN:
        during_closed(_io_, _state_);
        break;
    case ALARM_WILLARM_START:
    case ALARM_WILLARM_PLUS:
    case ALARM_WILLARM_END:
        during_willarm(_io_, _state_);
        break;
    case ALARM_ARMED:
        during_armed(_io_, _state_);
        break;
    case ALARM_ACOPT_START:
    case ALARM_ACOPT_PLUS:
    case ALARM_ACOPT_END:
        during_acopt(_io_, _state_);
        break;
    default:
        during_optical(_io_, _state_);
        break;
    }
    _io_->AlarmArmed = _state_->chart == ALARM_ARMED;
    _io_->SoundOn = IN_ACOPT(_state_);
    _io_->FlashOn = IN_ACOPT(_state_) || IN_OPTICAL(_state_);
}

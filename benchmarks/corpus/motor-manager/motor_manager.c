/* Motor manager: a scheduler of three phases, two symptoms that are qualified to a fault and released again, a mode chart. */
#include "motor_manager.h"

t_manager_inputs manager_u;
t_manager_outputs manager_y;
t_manager manager_dw;

static void acquire(void)
{
    manager_dw.overcurrent = manager_u.current > CURRENT_LIMIT;
    manager_dw.overheated = manager_u.temperature > TEMPERATURE_LIMIT;
}

static void qualify(_Bool symptom)
{
    if (symptom == manager_dw.fault) {
        manager_dw.count = 0;
        return;
    }
    manager_dw.count++;
    if (manager_dw.count >= (manager_dw.fault ? RELEASE : QUALIFICATION)) {
        manager_dw.fault = !manager_dw.fault;
        manager_dw.count = 0;
    }
}

static void supervise(void)
{
    if (!manager_u.enable) {
        manager_dw.mode = OFF;
        return;
    }
    switch (manager_dw.mode) {
    case OFF:
        if (!manager_dw.fault) {
            manager_dw.mode = STARTING;
        }
        break;
    case STARTING:
        if (manager_dw.fault) {
            manager_dw.mode = SAFE;
        } else if (manager_u.speed >= 50) {
            manager_dw.mode = RUN;
        }
        break;
    case RUN:
        if (manager_dw.fault) {
            manager_dw.mode = DERATED;
        } else if (manager_u.speed < 10) {
            manager_dw.mode = STARTING;
        }
        break;
    case DERATED:
        if (manager_u.speed < 10) {
            manager_dw.mode = SAFE;
        } else if (!manager_dw.fault) {
            manager_dw.mode = RUN;
        }
        break;
    default:
        if (!manager_dw.fault) {
            manager_dw.mode = OFF;
        }
        break;
    }
}

void manager_init(void)
{
    manager_dw.phase = PHASE_ACQUIRE;
    manager_dw.overcurrent = 0;
    manager_dw.overheated = 0;
    manager_dw.count = 0;
    manager_dw.fault = 0;
    manager_dw.mode = OFF;
}

void manager_step(void)
{
    switch (manager_dw.phase) {
    case PHASE_ACQUIRE:
        acquire();
        manager_dw.phase = PHASE_CONTROL;
        break;
    case PHASE_CONTROL:
        qualify(manager_dw.overcurrent || manager_dw.overheated);
        manager_dw.phase = PHASE_SUPERVISE;
        break;
    default:
        supervise();
        manager_dw.phase = PHASE_ACQUIRE;
        break;
    }
    manager_y.power = manager_dw.mode == STARTING || manager_dw.mode == RUN || manager_dw.mode == DERATED;
    manager_y.duty = manager_dw.mode == RUN ? 100 : manager_y.power ? 40 : 0;
    manager_y.lamp = manager_dw.fault;
}

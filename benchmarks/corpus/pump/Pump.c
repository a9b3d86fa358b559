/* Pump with start sequence, dry-run protection and lockout, in the manner of TargetLink: plain globals, static locals as unit delays, flags in
 * bit-fields; initial values are those of the static initialisers. */
#include "Pump.h"

Bool Sa1_Start = 0;
Bool Sa1_Stop = 0;
Bool Sa1_Reset = 0;
UInt8 Sa1_Level = 0;
UInt16 Sa1_Pressure = 0;

Bool Sa1_Motor = 0;
Bool Sa1_Alarm = 0;
UInt8 Sa1_Speed = 0;

struct tag_SIBFS_Pump SIBFS_Pump = { Ca1_Off, 0, 0, 0, 0 };

/* A failed attempt; the third one locks. */
static Void Sa1_Fail(Void)
{
    SIBFS_Pump.Failures++;
    SIBFS_Pump.Mode = SIBFS_Pump.Failures == 3 ? Ca1_Lockout : Ca1_Off;
}

static Void Sa1_Off(Bool Aux_Edge)
{
    if (Aux_Edge && Sa1_Level > 0) {
        SIBFS_Pump.Mode = Ca1_Prime;
    }
}

/* Waits for pressure. */
static Void Sa1_Prime(Bool Aux_Pressure)
{
    static UInt8 X_Sa1_Prime_Timer = 0;

    if (Sa1_Stop) {
        SIBFS_Pump.Mode = Ca1_Off;
        X_Sa1_Prime_Timer = 0;
    } else if (Aux_Pressure) {
        SIBFS_Pump.Mode = Ca1_Run;
        X_Sa1_Prime_Timer = 0;
    } else {
        X_Sa1_Prime_Timer++;
        if (X_Sa1_Prime_Timer >= PRIME_STEPS) {
            X_Sa1_Prime_Timer = 0;
            Sa1_Fail();
        }
    }
}

/* Runs; a stable run forgets the failures. */
static Void Sa1_Run(Bool Aux_Pressure)
{
    static UInt8 X_Sa1_Dry = 0;
    static UInt8 X_Sa1_Stable = 0;

    X_Sa1_Dry = (UInt8)(Aux_Pressure ? 0 : X_Sa1_Dry + 1);
    if (X_Sa1_Stable < STABLE_STEPS) {
        X_Sa1_Stable++;
    } else {
        SIBFS_Pump.Failures = 0;
    }
    if (Sa1_Stop || Sa1_Level == 0) {
        SIBFS_Pump.Mode = Ca1_Off;
    } else if (X_Sa1_Dry >= DRY_STEPS) {
        Sa1_Fail();
    }
    if (SIBFS_Pump.Mode != Ca1_Run) {
        X_Sa1_Dry = 0;
        X_Sa1_Stable = 0;
    }
}

/* Unlocks when the tank is full and Reset is held. */
static Void Sa1_Lockout(Void)
{
    static UInt8 X_Sa1_Reset_Timer = 0;

    if (Sa1_Reset && Sa1_Level == 2) {
        X_Sa1_Reset_Timer++;
    } else {
        X_Sa1_Reset_Timer = 0;
    }
    if (X_Sa1_Reset_Timer >= RESET_STEPS) {
        X_Sa1_Reset_Timer = 0;
        SIBFS_Pump.Failures = 0;
        SIBFS_Pump.Mode = Ca1_Off;
    }
}

Void Pump(Void)
{
    Bool Aux_Edge = (Bool)(Sa1_Start && !SIBFS_Pump.LastStart);
    Bool Aux_Pressure = (Bool)(Sa1_Pressure >= PRESSURE_MIN);

    switch (SIBFS_Pump.Mode) {
    case Ca1_Off:
        Sa1_Off(Aux_Edge);
        break;
    case Ca1_Prime:
        Sa1_Prime(Aux_Pressure);
        break;
    case Ca1_Run:
        Sa1_Run(Aux_Pressure);
        break;
    default:
        Sa1_Lockout();
        break;
    }

    SIBFS_Pump.LastStart = Sa1_Start != 0;
    SIBFS_Pump.Motor = SIBFS_Pump.Mode == Ca1_Prime || SIBFS_Pump.Mode == Ca1_Run;
    SIBFS_Pump.Alarm = SIBFS_Pump.Mode == Ca1_Lockout;
    Sa1_Motor = (Bool)SIBFS_Pump.Motor;
    Sa1_Alarm = (Bool)SIBFS_Pump.Alarm;
    Sa1_Speed = (UInt8)(SIBFS_Pump.Mode == Ca1_Prime ? 60 : SIBFS_Pump.Mode == Ca1_Run ? 60 + 20 * Sa1_Level : 0);
}

/* A seat heater as an FMU (FMI 2.0, Co-Simulation). */
#include <stdlib.h>
#include <string.h>
#include "fmi2Functions.h"

/* Full power lasts this many steps at most; then there is half of it. */
#define MOST_FULL 5

typedef struct {
    double temperature, limit;
    int wish, power, warm;
    int locked;
    int initialised;
    const fmi2CallbackFunctions *functions;
} Heater;

fmi2Component fmi2Instantiate(fmi2String name, fmi2Type type, fmi2String guid, fmi2String resources,
                              const fmi2CallbackFunctions *functions, fmi2Boolean visible, fmi2Boolean log)
{
    Heater *heater;
    if (type != fmi2CoSimulation || strcmp(guid, "{heater-1}") != 0)
        return NULL;
    heater = (Heater *)functions->allocateMemory(1, sizeof(Heater));
    if (heater) {
        heater->functions = functions;
        heater->temperature = 20;
        heater->limit = 60;
    }
    return heater;
}

void fmi2FreeInstance(fmi2Component component)
{
    Heater *heater = component;
    if (heater)
        heater->functions->freeMemory(heater);
}

fmi2Status fmi2SetupExperiment(fmi2Component component, fmi2Boolean with_tolerance, fmi2Real tolerance,
                               fmi2Real start, fmi2Boolean with_stop, fmi2Real stop)
{
    return start == 0 ? fmi2OK : fmi2Error;
}

fmi2Status fmi2EnterInitializationMode(fmi2Component component) { return fmi2OK; }

fmi2Status fmi2ExitInitializationMode(fmi2Component component)
{
    ((Heater *)component)->initialised = 1;
    return fmi2OK;
}

fmi2Status fmi2Terminate(fmi2Component component) { return fmi2OK; }

fmi2Status fmi2Reset(fmi2Component component) { return fmi2Error; }

fmi2Status fmi2SetReal(fmi2Component component, const fmi2ValueReference references[], size_t count,
                       const fmi2Real values[])
{
    Heater *heater = component;
    for (size_t i = 0; i < count; i++) {
        if (references[i] == 0)
            heater->temperature = values[i];
        else if (references[i] == 1 && !heater->initialised)
            heater->limit = values[i];
        else
            return fmi2Error;
    }
    return fmi2OK;
}

fmi2Status fmi2SetInteger(fmi2Component component, const fmi2ValueReference references[], size_t count,
                          const fmi2Integer values[])
{
    for (size_t i = 0; i < count; i++) {
        if (references[i] != 0)
            return fmi2Error;
        ((Heater *)component)->wish = values[i];
    }
    return fmi2OK;
}

fmi2Status fmi2GetReal(fmi2Component component, const fmi2ValueReference references[], size_t count,
                       fmi2Real values[])
{
    Heater *heater = component;
    for (size_t i = 0; i < count; i++)
        values[i] = references[i] == 0 ? heater->temperature : heater->limit;
    return fmi2OK;
}

fmi2Status fmi2GetInteger(fmi2Component component, const fmi2ValueReference references[], size_t count,
                          fmi2Integer values[])
{
    Heater *heater = component;
    for (size_t i = 0; i < count; i++)
        values[i] = references[i] == 0 ? heater->wish : references[i] == 1 ? heater->power : heater->warm;
    return fmi2OK;
}

fmi2Status fmi2GetBoolean(fmi2Component component, const fmi2ValueReference references[], size_t count,
                          fmi2Boolean values[])
{
    for (size_t i = 0; i < count; i++)
        values[i] = ((Heater *)component)->locked;
    return fmi2OK;
}

fmi2Status fmi2DoStep(fmi2Component component, fmi2Real point, fmi2Real size, fmi2Boolean forget)
{
    Heater *heater = component;
    /* A broken sensor gives nothing that one could go by. */
    if (heater->temperature > 110)
        return fmi2Error;
    if (heater->temperature > heater->limit)
        heater->locked = 1;
    if (heater->wish == 0) {
        heater->warm = 0;
        if (heater->temperature < heater->limit - 10)
            heater->locked = 0;
    }
    if (heater->wish == 2 && heater->warm < MOST_FULL)
        heater->warm++;
    heater->power = heater->wish == 0 || heater->locked ? 0
                    : heater->wish == 2 && heater->warm < MOST_FULL ? 100
                                                                     : 50;
    return fmi2OK;
}

/* Simulink Coder: recording for MAT files in models with references. */
#include "rt_logging.h"

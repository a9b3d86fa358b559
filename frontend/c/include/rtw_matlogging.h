/* Simulink Coder: recording for MAT files. */
#include "rt_logging.h"

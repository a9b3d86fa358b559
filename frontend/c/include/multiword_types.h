/* Simulink Coder: wide integers; code that uses them ships this header. */
#include <rtwtypes.h>

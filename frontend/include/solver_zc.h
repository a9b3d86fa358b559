/* Simulink Coder, older releases: the types of zero crossings. */
#include <zero_crossing_types.h>

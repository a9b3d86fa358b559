/* Settings of the project; there are none. */
#ifndef __chaincover_config_types_h
#define __chaincover_config_types_h
#endif

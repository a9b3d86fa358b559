/* Settings of the project; there are none. */
#ifndef __chaincover_user_macros_h
#define __chaincover_user_macros_h
#endif

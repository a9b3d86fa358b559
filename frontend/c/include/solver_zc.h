/* Simulink Coder: the types of zero crossings. */
#ifndef CHAINCOVER_SOLVER_ZC_H
#define CHAINCOVER_SOLVER_ZC_H
#include <zero_crossing_types.h>

/* From which sign to which a signal went between two samples: negative, zero, positive. */
typedef uint8_T slZcEventType;
#define SL_ZCS_EVENT_NUL 0x00
#define SL_ZCS_EVENT_N2P 0x01
#define SL_ZCS_EVENT_N2Z 0x02
#define SL_ZCS_EVENT_Z2P 0x04
#define SL_ZCS_EVENT_P2N 0x08
#define SL_ZCS_EVENT_P2Z 0x10
#define SL_ZCS_EVENT_Z2N 0x20
#define SL_ZCS_EVENT_ALL_UP (SL_ZCS_EVENT_N2P | SL_ZCS_EVENT_N2Z | SL_ZCS_EVENT_Z2P)
#define SL_ZCS_EVENT_ALL_DN (SL_ZCS_EVENT_P2N | SL_ZCS_EVENT_P2Z | SL_ZCS_EVENT_Z2N)
#define SL_ZCS_EVENT_ALL (SL_ZCS_EVENT_ALL_UP | SL_ZCS_EVENT_ALL_DN)

typedef uint8_T slZcSignalSignType;
#define SL_ZCS_SIGN_ZERO 0x00
#define SL_ZCS_SIGN_POS 0x01
#define SL_ZCS_SIGN_NEG 0x02
#define SL_ZCS_SIGN_UNK 0x03
#endif

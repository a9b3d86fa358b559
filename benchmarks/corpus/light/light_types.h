#ifndef LIGHT_TYPES_H
#define LIGHT_TYPES_H

#include "pervasives.h"

typedef enum {
  Light__St_Off,
  Light__St_Low,
  Light__St_High,
  Light__St_Watch,
  Light__St_Lit,
  Light__St_Dimmed
} Light__st;

/* Steps: until a press counts as long, of light after a motion, of dimmed light before it ends. */
#define Light__LONG 5
#define Light__LIT 8
#define Light__DIM 4

#endif

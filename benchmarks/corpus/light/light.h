/* --- Node light --- */
#ifndef LIGHT_H
#define LIGHT_H

#include "light_types.h"

/* Counts while `run`, from zero after `res`. */
typedef struct Light__count_mem {
  int n;
} Light__count_mem;

typedef struct Light__count_out {
  int c;
} Light__count_out;

void Light__count_reset(Light__count_mem* self);
void Light__count_step(bool run, bool res, Light__count_out* _out, Light__count_mem* self);

typedef struct Light__light_mem {
  Light__st ck;
  bool pnr;
  bool v_button;
  Light__count_mem press;
  Light__count_mem stay;
} Light__light_mem;

typedef struct Light__light_out {
  bool lamp;
  int level;
} Light__light_out;

void Light__light_reset(Light__light_mem* self);
void Light__light_step(bool button, bool motion, bool dark, Light__light_out* _out, Light__light_mem* self);

#endif

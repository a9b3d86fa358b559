/* Stair light, in the manner of Heptagon: each node has a step function with inputs by value, an output structure, a memory structure, and a
 * reset function; an automaton is a clock `ck` and a flag `pnr` that resets the nodes inside. */
#include "light.h"

void Light__count_reset(Light__count_mem* self) {
  self->n = 0;
}

void Light__count_step(bool run, bool res, Light__count_out* _out, Light__count_mem* self) {
  int v;

  if (res) {
    v = 0;
  } else {
    v = self->n;
  };
  if (run) {
    _out->c = (v+1);
  } else {
    _out->c = v;
  };
  self->n = _out->c;;
}

void Light__light_reset(Light__light_mem* self) {
  Light__count_reset(&self->press);
  Light__count_reset(&self->stay);
  self->pnr = false;
  self->ck = Light__St_Off;
  self->v_button = false;
}

void Light__light_step(bool button, bool motion, bool dark, Light__light_out* _out, Light__light_mem* self) {
  Light__count_out Light__count_out_st;

  bool edge;
  bool released_short;
  bool pressed_long;
  int held;
  int stayed;
  Light__st ns;

  edge = (button&&!(self->v_button));
  Light__count_step((button&&(self->press.n<Light__LONG)), edge, &Light__count_out_st, &self->press);
  held = Light__count_out_st.c;
  released_short = (!(button)&&(self->v_button&&(held<Light__LONG)));
  pressed_long = (button&&((held==Light__LONG)&&self->v_button));

  if (self->pnr) {
    Light__count_reset(&self->stay);
  };
  Light__count_step((((self->ck==Light__St_Lit)||(self->ck==Light__St_Dimmed))&&(self->stay.n<Light__LIT)), motion, &Light__count_out_st, &self->stay);
  stayed = Light__count_out_st.c;

  ns = self->ck;
  switch (self->ck) {
    case Light__St_Off:
      if (pressed_long) {
        ns = Light__St_Watch;
      } else if (released_short) {
        ns = Light__St_Low;
      };
      break;
    case Light__St_Low:
      if (pressed_long) {
        ns = Light__St_Watch;
      } else if (released_short) {
        ns = Light__St_High;
      };
      break;
    case Light__St_High:
      if (released_short) {
        ns = Light__St_Off;
      };
      break;
    case Light__St_Watch:
      if (released_short) {
        ns = Light__St_Off;
      } else if ((motion&&dark)) {
        ns = Light__St_Lit;
      };
      break;
    case Light__St_Lit:
      if (released_short) {
        ns = Light__St_Off;
      } else if ((stayed>=Light__LIT)) {
        ns = Light__St_Dimmed;
      };
      break;
    case Light__St_Dimmed:
      if (released_short) {
        ns = Light__St_Off;
      } else if (motion) {
        ns = Light__St_Lit;
      } else if ((stayed>=Light__DIM)) {
        ns = Light__St_Watch;
      };
      break;
    default:
      break;
  };

  self->pnr = (ns!=self->ck);
  self->ck = ns;
  self->v_button = button;
  switch (ns) {
    case Light__St_Low:
    case Light__St_Dimmed:
      _out->level = 1;
      break;
    case Light__St_High:
    case Light__St_Lit:
      _out->level = 2;
      break;
    default:
      _out->level = 0;
      break;
  };
  _out->lamp = (_out->level>0);;
}

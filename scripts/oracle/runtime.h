/* What the generated harness of a model offers the runtime, and the other way round. */
#ifndef ORACLE_RUNTIME_H
#define ORACLE_RUNTIME_H

#include <stddef.h>
#include <stdint.h>

/* The functions of a generated harness (see harness.py). */
struct oracle_model {
    void (*reset)(void);             /* static initialisers are in place: bindings, constants, init */
    void (*set_inputs)(uint32_t);    /* writes the input vector of that number */
    void (*clear_inputs)(void);      /* zeroes all inputs, so that they are no part of a state */
    void (*step)(void);              /* one transition */
    void (*assume)(void);            /* assumptions of every step, through __CPROVER_assume */
    void (*final)(void);             /* description of Final, through __CPROVER_assume */
    void (*goal)(uint32_t);          /* the property function of that number */
    void *step_function;             /* address of the step function (or of its wrapper) */
    uint32_t vectors;                /* number of input vectors */
    uint32_t goals;                  /* number of goals, at most 32 */
};

/* A writable part of the model's memory: .data and .bss of its library. */
struct oracle_segment {
    void *start;
    size_t length;
};

/* An edge of the explicit graph: one input vector where several do the same. */
struct oracle_edge {
    uint32_t from, to;   /* nodes */
    uint32_t covers;     /* goals completed by this transition, one bit each */
    uint32_t vector;     /* an input vector that takes it */
};

#endif

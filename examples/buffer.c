/* A buffer with two places, which counts what it holds: an implementation of buffer.ri. */
#ifndef PLACES
#define PLACES 2
#endif

struct inputs { _Bool enq, deq; } in;
struct outputs { _Bool E, F; unsigned char pc; } out;

static unsigned char held;
static _Bool runs;

void step(void)
{
    if (!runs) {
        runs = 1;
    } else if (in.enq && !in.deq && held < PLACES) {
        held++;
    } else if (in.deq && !in.enq && held > 0) {
        held--;
    }
    out.E = held == 0;
    out.F = held == PLACES;
    out.pc = in.enq || in.deq ? 2 : 0;
}

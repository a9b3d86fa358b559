"""Small models for the tests, written into temporary folders."""

from __future__ import annotations

import tempfile
import unittest
from pathlib import Path

#: A lamp that toggles; the second goal is unreachable, the third violated when covered.
LAMP = """int on; int presses;
void step(int press) { if (press) { on = !on; if (presses < 3) presses++; } }
void p_third(int press) { __CPROVER_assume(presses == 2 && press); step(press); __CPROVER_assert(presses == 3, ""); }
void p_never(int press) { __CPROVER_assume(presses == 4); step(press); }
void p_off(int press) { __CPROVER_assume(on && press); step(press); __CPROVER_assert(on, ""); }
"""

#: Signals of all kinds, with a period, units and an enumeration.
KINDS = """#include <stdint.h>
#include <stdbool.h>
enum mode { OFF, ON, FAULT };
typedef struct { bool go; uint8_t level; int16_t offset; float gain; enum mode wanted; } t_input;
typedef struct { enum mode mode; double scaled; uint32_t count; } t_state;
void init(t_state *s) { s->mode = OFF; s->scaled = 0; s->count = 0; }
void step(t_input *i, t_state *s) {
    s->count++;
    if (i->go && i->level > 200 && i->offset < -5 && i->gain > 0.1f && i->gain < 0.3f) {
        s->mode = i->wanted;
        s->scaled = i->gain;
    }
}
"""
KINDS_TOML = """[model]
sources = ["kinds.c"]
init = "init"
step = "step"
period = "10ms"

[input."step.i->offset"]
unit = "mV"

[input."step.i->wanted"]
range = ["OFF", "FAULT"]

[[goal]]
name = "fault"
when = "step.s->mode == FAULT && step.s->scaled > 0"
"""

#: A combination lock: 14 digits of 32 bits that no engine guesses soon. For searches that take long.
HARD = """unsigned a, b, c; unsigned char done;
void step(unsigned x, unsigned y) {
    unsigned long long p = (unsigned long long)(x | 1u) * (y | 1u);
    a = a * 1664525u + x * y + 1013904223u;
    b ^= (unsigned)(p >> 7) + a * c;
    c = c * 22695477u + (b >> 3) * x;
    if ((a * b ^ c) == 0x5A17C0DEu && x > 77u && y > 99u && (a ^ b) * 7919u == c * 104729u) done = 1;
}
void p_open(unsigned x, unsigned y) { __CPROVER_assume(done == 1); step(x, y); }
void p_first(unsigned x, unsigned y) { __CPROVER_assume(a == 0u); step(x, y); }
"""

#: A counter in BTOR2 that reaches 3.
COUNTER = """1 sort bitvec 2
2 sort bitvec 1
3 input 2 go
4 zero 1
5 state 1 count
6 init 1 5 4
7 uext 1 3 1
8 add 1 5 7
9 next 1 5 8
10 ones 1
11 eq 2 5 10
12 bad 11 full
"""



class Models(unittest.TestCase):
    """A test with a folder of its own."""

    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def write(self, name: str, text: str) -> Path:
        """Writes a file into the folder."""
        path = self.folder / name
        path.write_text(text, encoding="utf-8")
        return path

    def lamp(self) -> Path:
        return self.write("lamp.c", LAMP)

    def kinds(self) -> Path:
        self.write("kinds.c", KINDS)
        return self.write("chaincover.toml", KINDS_TOML)

    def hard(self) -> Path:
        return self.write("hard.c", HARD)

#!/usr/bin/env python3
"""A buffer with two places as a system under test: one JSON object a line, one answer a request."""
import json
import sys

PLACES = int(sys.argv[1]) if len(sys.argv) > 1 else 2
filled = 0


def step(inputs, is_first):
    """Replace this: what your system does in one step."""
    global filled
    enq, deq = inputs["enq"], inputs["deq"]
    if not is_first and enq and not deq and filled < PLACES:
        filled += 1
    if not is_first and deq and not enq and filled > 0:
        filled -= 1
    return {"E": filled == 0, "F": filled == PLACES, "pc": 2 if enq or deq else 0}


for line in sys.stdin:
    request = json.loads(line)
    if "reset" in request:
        filled = 0
        answer = {"ok": True}
    else:
        answer = {"out": step(request["in"], request["step"] == 0)}
    print(json.dumps(answer), flush=True)

#!/usr/bin/env python3
"""Instances for `chaincover atsp` that look like property graphs: distances between some states of made-up systems, as TSPLIB files.

    scripts/property_graphs.py [--size N] [--seed N] [--out DIR] [FAMILY...]

closure  a sparse random graph, costs up to 20      states   one in ten states of a random system, one step each
dials    three dials that only turn forward         strip    mostly onward along a strip, few ways back
streets  a grid of one-way streets                  modes    twenty modes, few and dear ways between them
Costs are small and many are equal; all families are strongly connected. The same arguments make the same files.
"""

import argparse
import heapq
import pathlib
import random


def closure(n, rng):
    arcs = {state: [(rng.randrange(n), rng.randint(1, 12)) for _ in range(3)] for state in range(n)}
    for state in range(n):
        arcs[state].append(((state + 1) % n, rng.randint(1, 20)))
    return arcs, list(range(n))


def states(n, rng):
    size = 10 * n
    arcs = {state: [((state + 1) % size, 1)] + [(rng.randrange(size), 1) for _ in range(3)] for state in range(size)}
    return arcs, rng.sample(range(size), n)


def dials(n, rng):
    size = 10
    digits = [10 ** dial for dial in range(3)]
    turned = lambda state, digit: state - 9 * digit if state // digit % size == 9 else state + digit
    arcs = {state: [(turned(state, digit), 1) for digit in digits] for state in range(size ** 3)}
    return arcs, rng.sample(range(size ** 3), n)


def strip(n, rng):
    size = 8 * n
    arcs = {state: [((state + 1) % size, 1), ((state + rng.randint(2, 40)) % size, 1)] for state in range(size)}
    for state in range(size):
        if rng.random() < 0.3:
            arcs[state].append(((state - rng.randint(1, 200)) % size, 1))
    return arcs, rng.sample(range(size), n)


def streets(n, rng):
    side = 40
    arcs = {state: [] for state in range(side * side)}
    def both(first, second, forward):
        for tail, head, is_open in [(first, second, forward), (second, first, not forward)]:
            if is_open or rng.random() < 0.15:
                arcs[tail].append((head, 1))
    for y in range(side):
        for x in range(side):
            if x + 1 < side:
                both(y * side + x, y * side + x + 1, y % 2 == 0)
            if y + 1 < side:
                both(y * side + x, (y + 1) * side + x, x % 2 == 1)
    return arcs, rng.sample(range(side * side), n)


def modes(n, rng):
    count, size = 20, 60
    arcs = {}
    for mode in range(count):
        for state in range(size):
            near = [rng.randrange(size), rng.randrange(size), (state + 1) % size]
            arcs[mode * size + state] = [(mode * size + head, 1) for head in near]
        for other in [(mode + 1) % count] + [rng.randrange(count) for _ in range(3)]:
            arcs[mode * size + rng.randrange(size)].append((other * size, rng.randint(2, 8)))
    return arcs, rng.sample(range(count * size), n)


FAMILIES = {family.__name__: family for family in [closure, states, dials, strip, streets, modes]}


def distances(arcs, start):
    """Costs of the cheapest ways to all states."""
    known = {}
    queue = [(0, start)]
    while queue:
        distance, state = heapq.heappop(queue)
        if state in known:
            continue
        known[state] = distance
        for head, cost in arcs[state]:
            if head not in known:
                heapq.heappush(queue, (distance + cost, head))
    return known


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--size", type=int, default=500)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path("."))
    parser.add_argument("families", nargs="*", metavar="FAMILY", help="all without one")
    arguments = parser.parse_args()
    arguments.out.mkdir(parents=True, exist_ok=True)
    for name in arguments.families or FAMILIES:
        if name not in FAMILIES:
            parser.error(f"{name} is none of {', '.join(FAMILIES)}")
        arcs, chosen = FAMILIES[name](arguments.size, random.Random(f"{name} {arguments.size} {arguments.seed}"))
        title = f"{name}-{arguments.size}-{arguments.seed}"
        rows = []
        for state in chosen:
            known = distances(arcs, state)
            rows.append(" ".join(str(known[other]) for other in chosen))
        head = f"NAME: {title}\nTYPE: ATSP\nDIMENSION: {len(chosen)}\nEDGE_WEIGHT_TYPE: EXPLICIT\nEDGE_WEIGHT_FORMAT: FULL_MATRIX\n"
        text = head + "EDGE_WEIGHT_SECTION\n" + "\n".join(rows) + "\nEOF\n"
        (arguments.out / f"{title}.atsp").write_text(text)


if __name__ == "__main__":
    main()

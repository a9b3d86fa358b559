#!/usr/bin/env python3
"""Reachability in timed systems without data: ChainCover beside TChecker, on random automata.

    scripts/timed_against_tchecker.py --tchecker BUILD/src/tck-reach [--program target/release/chaincover] [--count 100] [--size 6] [--seed 1] [--strict]

TChecker has no comparisons of two clocks. Each automaton is written as *.tio and in TChecker's language: one process, some clocks, guards and resets. `chain` says of each state whether it is covered,
unreachable or undecided; `tck-reach -a covreach` (zone graph with inclusion) says for each state, in a call of its own, whether it can be reached. The script ends
with exit code 1 at the first contradiction and prints both texts. At the end: states by verdict, and times of all calls.
"""

import argparse
import json
import pathlib
import random
import re
import subprocess
import sys
import tempfile
import time


def automaton(rng, size, strict):
    """Edges: name, source, target, guard, resets. A guard is a list of (clock, relation, number)."""
    clocks = ["c", "d", "e"][: rng.randint(1, 3)]
    relations = ["<=", ">=", "=="] + (["<", ">"] if strict else [])
    edges = []
    for number in range(rng.randint(size, 3 * size)):
        # The language asks for a transition that leaves the initial state.
        source = 0 if number == 0 else rng.randrange(size)
        guard = []
        for _ in range(rng.choice([0, 1, 1, 2, 2])):
            guard.append((rng.choice(clocks), rng.choice(relations), rng.randint(0, 5)))
        resets = [clock for clock in clocks if rng.random() < 0.35]
        edges.append((f"e{number}", source, rng.randrange(size), guard, resets))
    return clocks, edges


def as_tio(clocks, edges, size):
    def atom(clock, relation, number):
        return f"{clock} {'=' if relation == '==' else relation} {number}"

    lines = ["timed random", "clock " + ", ".join(clocks), "output A", "initial q0"]
    for name, source, target, guard, resets in edges:
        when = " when " + " and ".join(atom(*one) for one in guard) if guard else ""
        reset = " reset " + ", ".join(resets) if resets else ""
        lines.append(f"edge {name}: q{source} -> q{target}{when} A!{reset}")
    lines.append("goal states")
    return "\n".join(lines) + "\n"


def as_tchecker(clocks, edges, size):
    lines = ["system:random", "event:a", "process:P"] + [f"clock:1:{clock}" for clock in clocks]
    for state in range(size):
        lines.append(f"location:P:q{state}{{{'initial: : ' if state == 0 else ''}labels: l{state}}}")
    for name, source, target, guard, resets in edges:
        provided = "provided: " + " && ".join(f"{clock} {relation} {number}" for clock, relation, number in guard) if guard else ""
        done = "do: " + "; ".join(f"{clock} = 0" for clock in resets) if resets else ""
        lines.append(f"edge:P:q{source}:q{target}:a{{{' : '.join(part for part in (provided, done) if part)}}}")
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default="target/release/chaincover")
    parser.add_argument("--tchecker", required=True)
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--size", type=int, default=6)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--strict", action="store_true", help="bounds may be strict")
    options = parser.parse_args()
    rng = random.Random(options.seed)
    counts, seconds, stuck = {}, [0.0, 0.0], 0
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        for number in range(options.count):
            made = automaton(rng, options.size, options.strict)
            tio, tck = as_tio(*made, options.size), as_tchecker(*made, options.size)
            (folder / "r.tio").write_text(tio)
            (folder / "r.tck").write_text(tck)
            begun = time.monotonic()
            done = subprocess.run([options.program, "chain", folder / "r.tio", "--timeout", "20s", "-q", "--json", folder / "r.json"],
                                  capture_output=True, text=True, check=False)
            seconds[0] += time.monotonic() - begun
            if "no transition can be taken in the initial state" in done.stderr:
                stuck += 1
                continue
            if done.returncode not in (0, 5, 20):
                sys.exit(f"automaton {number}: exit code {done.returncode}\n{done.stderr}\n{tio}")
            ours = {goal["name"]: goal["status"] for goal in json.loads((folder / "r.json").read_text())["goals"]}
            for state in range(options.size):
                begun = time.monotonic()
                done = subprocess.run([options.tchecker, "-a", "covreach", "-l", f"l{state}", folder / "r.tck"], capture_output=True, text=True, check=False)
                seconds[1] += time.monotonic() - begun
                answer = re.search(r"REACHABLE\s+(true|false)", done.stdout)
                if answer is None:
                    sys.exit(f"automaton {number}: TChecker says {done.stdout}{done.stderr}\n{tck}")
                theirs = answer.group(1) == "true"
                said = ours.get(f"in q{state}", "without a goal")
                counts[said, theirs] = counts.get((said, theirs), 0) + 1
                if said == "covered" and not theirs or said == "unreachable" and theirs:
                    sys.exit(f"automaton {number}, state q{state}: {said}, TChecker: {theirs}\n{tio}\n{tck}")
    for (said, theirs), count in sorted(counts.items()):
        print(f"{count:6} states {said}, TChecker: {'reachable' if theirs else 'unreachable'}")
    if stuck:
        print(f"{stuck:6} automata in which nothing can happen")
    print(f"{seconds[0]:.1f} s {options.count} calls of chaincover, {seconds[1]:.1f} s {options.count * options.size} calls of tck-reach")


if __name__ == "__main__":
    main()

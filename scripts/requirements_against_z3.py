#!/usr/bin/env python3
"""Consistency of requirements by `chaincover check` beside Z3 on the formula that `check --smt` writes, as a table in Markdown.

    scripts/requirements_against_z3.py [--program target/release/chaincover] [--z3 z3] [--limit 60] [--faulty] [SPEC.ri]

The interface (the buffer of the examples) has a constant N. One run of each program for each row, one after the other: first sizes N from 2 to 10^6 at
depth 5, then depths 1 to 20 at N = 2. Z3 is asked whether steps 0 to K can be answered; `check` decides that for every depth, names conflicts, and
says what is void. With --faulty a guard is left out, so that the requirements contradict each other from step 1 on. Ratios are times of Z3 by times
of `check`; with `>` where Z3 was stopped by the limit. The answers of both have to agree.
"""

import argparse
import json
import pathlib
import subprocess
import sys
import tempfile
import time

SIZES = [2, 10, 100, 1_000, 10_000, 100_000, 1_000_000]
DEPTHS = [1, 2, 3, 5, 8, 12, 16, 20]
DEPTH_OF_SIZES, SIZE_OF_DEPTHS = 5, 2
GUARD = " and k > 0"


def timed(command, limit):
    """Standard output and seconds of a command; None where it takes longer than the limit."""
    start = time.monotonic()
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=limit, check=False)
    except subprocess.TimeoutExpired:
        return None, limit
    return done.stdout, time.monotonic() - start


def ours(options, spec, size):
    """Whether the interface is consistent, the least depth where it is not, and seconds."""
    command = [options.program, "check", str(spec), "-D", f"N={size}", "-q", "--json", "-"]
    text, seconds = timed(command, options.limit)
    if text is None:
        return None, None, seconds
    found = json.loads(text)
    return found["consistent"], found.get("depth"), seconds


def theirs(options, spec, size, depth, folder):
    """Whether steps 0 to the depth can be answered, and seconds."""
    question = folder / "question.smt2"
    written = subprocess.run([options.program, "check", str(spec), "-D", f"N={size}", "-q", "--smt", str(depth)], capture_output=True, text=True,
                             check=True)
    question.write_text(written.stdout)
    text, seconds = timed([options.z3, str(question)], options.limit)
    return {"sat": True, "unsat": False}.get((text or "").strip()), seconds


def row(options, spec, size, depth, folder):
    consistent, least, own = ours(options, spec, size)
    answered, other = theirs(options, spec, size, depth, folder)
    expected = None if consistent is None else consistent or least is not None and least > depth
    if None not in (expected, answered) and expected != answered:
        sys.exit(f"N = {size}, K = {depth}: check says {expected}, Z3 says {answered}")
    bound = "" if answered is not None else ">"
    said = {True: "consistent", False: f"inconsistent from step {least}", None: "undecided"}[consistent]
    z3 = {True: "answered", False: "not answered", None: "unknown or stopped"}[answered]
    ratio = f"{bound}{other / own:.3g}" if consistent is not None else "-"
    return [size, depth, said, f"{own:.3f}", z3, f"{other:.3f}", ratio]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default="target/release/chaincover")
    parser.add_argument("--z3", default="z3")
    parser.add_argument("--limit", type=float, default=60, help="seconds for each run")
    parser.add_argument("--faulty", action="store_true")
    parser.add_argument("spec", nargs="?", default="examples/buffer.ri")
    options = parser.parse_args()
    text = pathlib.Path(options.spec).read_text()
    if options.faulty and GUARD not in text:
        sys.exit(f"{options.spec} has no guard `{GUARD.strip()}` that could be left out")
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        spec = folder / "interface.ri"
        spec.write_text(text.replace(GUARD, "", 1) if options.faulty else text)
        head = ["N", "K", "check, at every depth", "seconds", "Z3, steps 0 to K", "seconds", "ratio"]
        print("| " + " | ".join(head) + " |\n|" + "---|" * len(head), flush=True)
        rows = [(size, DEPTH_OF_SIZES) for size in SIZES] + [(SIZE_OF_DEPTHS, depth) for depth in DEPTHS]
        for size, depth in rows:
            print("| " + " | ".join(map(str, row(options, spec, size, depth, folder))) + " |", flush=True)


if __name__ == "__main__":
    main()

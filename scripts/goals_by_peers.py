#!/usr/bin/env python3
"""Goals of models decided by `chaincover chain` beside model checkers, as a table in Markdown.

    scripts/goals_by_peers.py [--program target/release/chaincover] [--abc berkeley-abc] [--btormc PATH] [--limit 60] MODEL...

Each model is given to the others as `chain --emit aig` and `--emit btor2` write it: one `bad` line for each goal (expectations are left out). ABC
answers by property-directed reachability for all goals (`pdr -a`) and by bounded search (`bmc3 -a`), btormc by bounded search and by k-induction;
btormc is not asked about models with floats, which BTOR2 lacks. One run after the other, each on one core; the limit is one of processor time for
the others, and one by the clock for `chain`. A cell has the goals that are reached, the deepest step among them, the goals that are
proven unreachable, and seconds of processor time. `chain` finds one chain for all goals, the others one trace for each, so that its goals
come later. The run ends with an error where answers contradict each other.
"""

import argparse
import json
import pathlib
import re
import resource
import subprocess
import sys
import tempfile

BOUND = 100_000
EXPECTATION = ":violated"


def binary(text):
    """A model in ASCII AIGER as binary AIGER, without expectations, and the names of its `bad` lines."""
    lines = text.split("\n")
    variables, inputs, latches, outputs, ands, *more = map(int, lines[0].split()[1:])
    bads, constraints = (more + [0, 0])[:2]
    sections, start = [], 1
    for size in (inputs, latches, outputs, bads, constraints, ands):
        sections.append([list(map(int, line.split())) for line in lines[start : start + size]])
        start += size
    names = dict(line[1:].split(" ", 1) for line in lines[start:] if re.match(r"b\d+ ", line))
    kept = [index for index in range(bads) if not names[str(index)].endswith(EXPECTATION)]
    firsts = [row[0] for part in (sections[0], sections[1], sections[5]) for row in part]
    if firsts != list(range(2, 2 * variables + 2, 2)):
        sys.exit("the AIGER model does not number its variables one after the other")
    header = f"aig {variables} {inputs} {latches} 0 {ands} {len(kept)} {constraints}"
    states = [" ".join(map(str, row[1:])) for row in sections[1]]
    ends = [str(sections[3][index][0]) for index in kept] + [str(row[0]) for row in sections[4]]
    data = bytearray(("\n".join([header, *states, *ends]) + "\n").encode())
    for gate, one, other in sections[5]:
        for difference in (gate - max(one, other), abs(one - other)):
            while difference >= 128:
                data.append(difference & 127 | 128)
                difference >>= 7
            data.append(difference)
    return bytes(data), [names[str(index)] for index in kept]


def run(command, limit=None):
    """What a program writes until it ends or has used its processor time, if that is limited, and how much it has used."""

    def limited():
        resource.setrlimit(resource.RLIMIT_CPU, (limit, limit + 1))

    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(["stdbuf", "-oL", *command], capture_output=True, text=True, check=False, preexec_fn=limited if limit else None)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return done.stdout, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


class Answers:
    """Names of goals that are reached, with steps, names of those that are proven unreachable, and how many these are."""

    def __init__(self, reached, unreachable, seconds, count=None):
        self.reached, self.unreachable, self.seconds = reached, unreachable, seconds
        self.count = len(unreachable) if count is None else count

    def cell(self):
        deepest = f" (step {max(self.reached.values())})" if self.reached else ""
        return f"{len(self.reached)}{deepest}, {self.count}, {self.seconds:.1f} s"


def ours(options, model):
    command = [options.program, "chain", str(model), "--jobs", "1", "--timeout", f"{options.limit}s", "--no-replay", "-q", "--json", "-"]
    text, seconds = run(command)
    goals = json.loads(text)["goals"]
    reached = {goal["name"]: goal["at"] for goal in goals if goal["status"] == "covered"}
    unreachable = {goal["name"] for goal in goals if goal["status"] == "unreachable"}
    return Answers(reached, unreachable, seconds)


def abc(options, engine, path, names):
    text, seconds = run([options.abc, "-q", f"read_aiger {path}; fold; {engine}"], options.limit)
    reached = {names[int(goal)]: int(step) for goal, step in re.findall(r"Output\s+(\d+) was asserted in frame\s+(\d+)", text)}
    proved = re.search(r"Proved = (\d+)", text)
    return Answers(reached, set(), seconds, int(proved.group(1)) if proved else 0)


def btormc(options, more, path, names):
    command = [options.btormc, "-v", "1", "--trace-gen", "0", "--stop-first", "0", "-kmax", str(BOUND), *more, str(path)]
    text, seconds = run(command, options.limit)
    found = re.findall(r"bad state property (\d+) reachable at bound k = (\d+)", text)
    proved = {names[int(goal)] for goal in re.findall(r"bad state property (\d+) unreachable at bound", text)}
    return Answers({names[int(goal)]: int(step) for goal, step in found}, proved, seconds)


def emitted(options, model, stage):
    done = subprocess.run([options.program, "chain", str(model), "--emit", stage], capture_output=True, text=True, check=False)
    return done.stdout if done.returncode == 0 else None


def row(options, model, folder):
    """The cells of a model, after it was found that no two answers contradict each other."""
    data, names = binary(emitted(options, model, "aig"))
    circuit, words = folder / "model.aig", folder / "model.btor2"
    circuit.write_bytes(data)
    cells = {"chain": ours(options, model)}
    for engine in ("pdr -a -v", "bmc3 -a -v"):
        cells[engine] = abc(options, engine, circuit, names) if options.abc else None
    text = emitted(options, model, "btor2") if options.btormc else None
    if text is not None:
        words.write_text("\n".join(line for line in text.split("\n") if not re.match(r"\d+ bad .*" + EXPECTATION, line)))
    for more in ([], ["--kind"]):
        cells["btormc " + " ".join(more)] = btormc(options, more, words, names) if text is not None else None
    answers = [answer for answer in cells.values() if answer is not None]
    reached = {goal for answer in answers for goal in answer.reached}
    unreachable = {goal for answer in answers for goal in answer.unreachable}
    if reached & unreachable or any(len(reached) + answer.count > len(names) for answer in answers):
        sys.exit(f"{model}: answers contradict each other: {sorted(reached & unreachable)}")
    return [model.name, len(names), *("-" if answer is None else answer.cell() for answer in cells.values())]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default="target/release/chaincover")
    parser.add_argument("--abc", default="berkeley-abc")
    parser.add_argument("--btormc")
    parser.add_argument("--limit", type=int, default=60, help="seconds for each run")
    parser.add_argument("models", nargs="+", type=pathlib.Path)
    options = parser.parse_args()
    print("| model | goals | `chain` | ABC `pdr` | ABC `bmc3` | btormc | btormc, k-induction |")
    print("|---|---|---|---|---|---|---|", flush=True)
    with tempfile.TemporaryDirectory() as name:
        for model in options.models:
            print("| " + " | ".join(map(str, row(options, model, pathlib.Path(name)))) + " |", flush=True)


if __name__ == "__main__":
    main()

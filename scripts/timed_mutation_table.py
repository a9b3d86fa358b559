#!/usr/bin/env python3
"""Mutants of timed systems as a table in Markdown: what one chain kills, one test per transition, random tests.

    scripts/timed_mutation_table.py [--program target/release/chaincover] [--timeout 60s] [--seed N] SYSTEM...

Of each system (`*.tio`, `*.xlia`) `mutate` decides the mutants; `mutate --score` then judges three kinds of tests, of which each kill has been run again:

* chain: the chains of `chain`, all transitions in as few steps as possible
* single: for each transition the shortest chain that takes it, from the initial state
* random: random walks over the transitions that end in an output, made test cases and run against the system itself with random values and times, up to
  the event that leaves the path; as many as fit into the time that the chains take (at least as many steps where that is 0), each started anew

A cell has kills, steps, time and number of tests. An event of a test kills where the mutant may deviate before the next input is due.
"""

import argparse
import fractions
import json
import pathlib
import random
import re
import subprocess
import tempfile


def call(*arguments):
    """Runs a command; its exit code and what it prints."""
    done = subprocess.run([str(word) for word in arguments], capture_output=True, text=True, check=False)
    return done.returncode, done.stdout, done.stderr


def time_of(trace):
    return sum((fractions.Fraction(event["after"]) for event in trace), fractions.Fraction(0))


def kills(options, system, files):
    """The mutants that the tests of some files kill."""
    if not files:
        return set()
    code, text, errors = call(options.program, "mutate", system, "--timeout", options.timeout, "--json", "-", "--score", *files)
    if code not in (0, 5):
        raise SystemExit(f"{system}: {errors}")
    found = json.loads(text)
    for note in found.get("notes", []):
        print(f"<!-- {system.stem}: {note} -->")
    return {mutant["id"] for mutant in found["mutants"] if mutant["verdict"] == "killed"}


def chains(options, system, folder, name, goals=()):
    """The chains for some goals (none named: all of the system): their file, None where there is none, and their events."""
    chosen = ["--goals", ",".join(goals)] if goals else []
    call(options.program, "chain", system, "--timeout", options.timeout, "-q", "-o", folder / name, *chosen)
    path = folder / name / "chain.json"
    if not path.exists():
        return None, []
    found = json.loads(path.read_text())
    return path, [[{"after": event["delay"]} for event in chain["events"]] for chain in found["chains"]]


def edges_of(system):
    """Transitions of a *.tio: name, source, target, whether they send."""
    pattern = re.compile(r"^edge\s+(\w+)\s*:\s*(\w+)\s*->\s*(\w+)(.*)$", re.MULTILINE)
    return [(name, source, target, "!" in rest.replace("!=", "")) for name, source, target, rest in pattern.findall(system.read_text())]


def random_trace(options, system, folder, rng, edges, initial):
    """What the system shows in a test case of a random walk; None where the walk is none of the system, or its test case cannot be made."""
    at, walk = initial, []
    for _ in range(rng.randint(1, 8)):
        leaving = [edge for edge in edges if edge[1] == at]
        if not leaving:
            break
        walk.append(rng.choice(leaving))
        at = walk[-1][2]
    while walk and not walk[-1][3]:
        walk.pop()
    if not walk:
        return None
    purpose = ".".join(edge[0] for edge in walk)
    code, _, _ = call(options.program, "testcase", system, "--purpose", purpose, "--timeout", options.wait, "-o", folder / "walk")
    if code != 0:
        return None
    _, text, _ = call(options.program, "run", folder / "walk" / "testcase.json", "--sut", system, "--choose", "random", "--seed", rng.randrange(10**6))
    return [json.loads(line) for line in text.splitlines() if line.startswith('{"event"')]


def row(options, system, folder):
    code, text, errors = call(options.program, "mutate", system, "--timeout", options.timeout, "--json", "-")
    if code not in (0, 5):
        raise SystemExit(f"{system}: {errors}")
    mutants = json.loads(text)["mutants"]
    count = lambda *verdicts: sum(mutant["verdict"] in verdicts for mutant in mutants)
    killed = {mutant["id"] for mutant in mutants if mutant["verdict"] == "killed"}

    path, traces = chains(options, system, folder, "chain")
    reached = {goal["name"] for goal in json.loads(path.read_text())["goals"] if goal["status"] == "covered"}
    steps, time = sum(map(len, traces)), sum(map(time_of, traces), fractions.Fraction(0))
    by_chain = kills(options, system, [path])
    chain = (by_chain, steps, time, len(traces))

    singles = [chains(options, system, folder, f"single-{goal}", [goal]) for goal in sorted(reached)]
    tests = [trace for _, traces in singles for trace in traces]
    by_single = kills(options, system, [path for path, _ in singles if path is not None])
    single = (by_single, sum(map(len, tests)), sum(map(time_of, tests), fractions.Fraction(0)), len(tests))

    rng, edges = random.Random(options.seed), edges_of(system)
    initial = re.search(r"^initial\s+(\w+)", system.read_text(), re.MULTILINE).group(1)
    files, spent, taken = [], fractions.Fraction(0), 0
    for _ in range(2000):
        if taken >= steps and spent >= time or taken >= 20 * steps:
            break
        trace = random_trace(options, system, folder, rng, edges, initial)
        if trace:
            file = folder / f"random-{len(files)}.jsonl"
            file.write_text("".join(json.dumps(event) + "\n" for event in trace))
            files.append(file)
            spent, taken = spent + time_of(trace), taken + len(trace)
    by_random = kills(options, system, files)
    cell = lambda test: f"{len(test[0])} ({test[1]}, {float(test[2]):g}, {test[3]})"
    everything = killed | by_chain | by_single | by_random
    return [system.stem, len(mutants), len(everything), count("equivalent", "conforms"),
            len(mutants) - len(everything) - count("equivalent", "conforms", "unviable"), cell(chain), cell(single),
            cell((by_random, taken, spent, len(files)))]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default="target/release/chaincover")
    parser.add_argument("--timeout", default="60s")
    parser.add_argument("--wait", default="60", help="time-out of the test cases of random walks")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("systems", nargs="+", type=pathlib.Path)
    options = parser.parse_args()
    head = ["system", "mutants", "killed", "conform", "undecided", "one chain", "one test per transition", "random, same time"]
    print("| " + " | ".join(head) + " |\n|" + "---|" * len(head), flush=True)
    for system in options.systems:
        with tempfile.TemporaryDirectory() as temporary:
            print("| " + " | ".join(map(str, row(options, system, pathlib.Path(temporary)))) + " |", flush=True)


if __name__ == "__main__":
    main()

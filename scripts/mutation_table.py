#!/usr/bin/env python3
"""Mutants of C models as a table in Markdown: verdicts, chains, bounds, and what other tests reveal.

    scripts/mutation_table.py [--program target/release/chaincover] [--timeout 60s] [--seed N] [--store DIR] FOLDER...

Of each model (a folder with chaincover.toml) `mutate` decides the standard mutants; then `mutate --score` tells how many of those that it killed die
by the ordinary goal chain (`chain`), by as many random steps as its own chains have, and by ten times as many. Random steps have the inputs of
some step of the chains; `single` is the steps of a test for each mutant. --store keeps the JSON files, and takes them from there when they exist.
"""

import argparse
import csv
import json
import pathlib
import random
import subprocess
import sys
import tempfile
import time

HEAD = ["model", "mutants", "killed", "equivalent", "conform", "crash", "unviable", "undecided", "decided", "chains", "steps", "bound", "single",
        "goal chain", "random", "10 x random", "seconds"]


def called(program, arguments):
    """Runs the program; its exit code and seconds."""
    start = time.monotonic()
    done = subprocess.run([program, *arguments], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
    return done.returncode, time.monotonic() - start


def result(program, arguments, path):
    """The JSON that a call writes, and its seconds; None where there is none. What is stored is taken."""
    if not path.exists():
        code, seconds = called(program, [*arguments, "--json", str(path)])
        if not path.exists():
            print(f"{path.stem}: no result, exit code {code}", file=sys.stderr)
            return None
        found = json.loads(path.read_text())
        found["seconds"] = seconds
        path.write_text(json.dumps(found))
    return json.loads(path.read_text())


def killed(found):
    return {mutant["id"] for mutant in found["mutants"] if mutant["verdict"] == "killed"}


def random_steps(found, steps, seed, path):
    """A table of random steps, each with the inputs of some step of the chains, so that assumptions on single steps hold."""
    def cell(value):
        value = value["value"] if isinstance(value, dict) else value
        return str(value).lower() if isinstance(value, bool) else str(value)

    known = {tuple(map(cell, step["inputs"].values())) for chain in found["chains"] for step in chain["steps"]}
    names = next((list(step["inputs"]) for chain in found["chains"] for step in chain["steps"]), [])
    rng, rows = random.Random(seed), sorted(known)
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(names)
        writer.writerows([rng.choice(rows) for _ in range(steps)] if rows else [])


def score(program, model, tests, path, wanted):
    """How many of some mutants tests kill, in per cent."""
    found = result(program, ["mutate", str(model), "--no-replay", "--score", str(tests)], path)
    if found is None or not wanted:
        return "-"
    return f"{100 * len(wanted & killed(found)) // len(wanted)} %"


def row(options, model, folder):
    """One model's row; None where there is no result."""
    name = model.name
    found = result(options.program, ["mutate", str(model), "--timeout", options.timeout], folder / f"{name}.json")
    if found is None:
        return None
    verdicts = [mutant["verdict"] for mutant in found["mutants"]]
    count = verdicts.count
    wanted = killed(found)
    goal_chain = folder / f"{name}-chain.json"
    result(options.program, ["chain", str(model), "-q", "--timeout", "20s", "--violations", "off"], goal_chain)
    scores = [score(options.program, model, goal_chain, folder / f"{name}-goals.json", wanted) if goal_chain.exists() else "-"]
    for factor in (1, 10):
        table = folder / f"{name}-random-{factor}.csv"
        random_steps(found, factor * max(found["length"], 1), options.seed, table)
        scores.append(score(options.program, model, table, folder / f"{name}-random-{factor}.json", wanted))
    decided = 100 * (len(verdicts) - count("undecided")) / max(len(verdicts), 1)
    bound = found["length"] if found.get("minimal") else found["lower_bound"]
    return [name, len(verdicts), count("killed"), count("equivalent"), count("conforms"), count("crash"), count("unviable"), count("undecided"),
            f"{decided:.0f} %", len(found["chains"]), found["length"], bound, found["single"], *scores, f"{found['seconds']:.0f}"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default="target/release/chaincover")
    parser.add_argument("--timeout", default="60s")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--store", type=pathlib.Path)
    parser.add_argument("models", nargs="+", type=pathlib.Path)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = options.store or pathlib.Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        print("| " + " | ".join(HEAD) + " |\n|" + "---|" * len(HEAD), flush=True)
        for model in options.models:
            cells = row(options, model, folder)
            if cells is not None:
                print("| " + " | ".join(map(str, cells)) + " |", flush=True)


if __name__ == "__main__":
    main()

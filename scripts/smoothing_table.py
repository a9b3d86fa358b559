#!/usr/bin/env python3
"""Prints how often inputs change along the chains of the corpus, as found and smoothed, as the table of docs/formats.md.

Usage: smoothing_table.py [CHAINCOVER [CASE...]]    CHAINCOVER: the program (default: chaincover)
"""

import json
import subprocess
import sys
import tempfile
from pathlib import Path

CORPUS = Path(__file__).resolve().parent.parent / "benchmarks" / "corpus"


def measured(program, case):
    """Steps, changes as found, changes smoothed; None where the chains are not smoothed or were not found in time."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "chain.json"
        command = [program, "chain", CORPUS / case, "--quiet", "--no-replay", "--timeout", "10min", "--json", path]
        ended = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        if ended.returncode not in (0, 10, 20):
            return None
        chains = json.loads(path.read_text())["chains"]
    if any("raw_input_changes" not in chain for chain in chains):
        return None
    total = lambda key: sum(chain[key] for chain in chains)
    return total("length"), total("raw_input_changes"), total("input_changes")


def main():
    program = sys.argv[1] if len(sys.argv) > 1 else "chaincover"
    cases = sys.argv[2:] or sorted(path.parent.name for path in CORPUS.glob("*/expect.toml"))
    print("| case | steps | as found | smoothed |\n|---|---|---|---|")
    shares, missing = [], []
    for case in cases:
        row = measured(program, case)
        if row is None:
            missing.append(case)
            continue
        steps, found, smoothed = row
        shares.append(smoothed / found if found else 1)
        print(f"| {case} | {steps} | {found} | {smoothed} |", flush=True)
    print(f"\nOn average over {len(shares)} cases {100 * sum(shares) / max(len(shares), 1):.0f} % of the changes are left.")
    if missing:
        print(f"Not smoothed, or not found in time: {', '.join(missing)}.")


main()

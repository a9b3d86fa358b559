#!/usr/bin/env python3
"""Tours of `chaincover atsp` beside those of elkai (LKH) and OR-tools: gap to the optimum and seconds, side by side.

    scripts/compare_tours.py [--program target/release/chaincover] [--limit SECONDS] [--optima optima.csv] FILE.atsp...

Each solver runs alone, one after the other, on the same file; seconds are wall-clock times of the call (for chaincover of the whole process, with
its proof; the others prove nothing). `pip install elkai ortools`; what is not installed is reported as absent. The optima (a CSV file
with the columns name and optimum) are only for the column of gaps; without them a gap is relative to the best tour of the run.
"""

import argparse
import csv
import json
import pathlib
import subprocess
import sys
import time


def read_matrix(path):
    """The full matrix of a TSPLIB file of type ATSP."""
    words = path.read_text().split()
    keys = [word.rstrip(":") for word in words]
    after = words[keys.index("DIMENSION") + 1]
    size = int(words[keys.index("DIMENSION") + 2] if after == ":" else after)
    start = words.index("EDGE_WEIGHT_SECTION") + 1
    numbers = [int(float(word)) for word in words[start:start + size * size]]
    if len(numbers) != size * size:
        sys.exit(f"{path}: {len(numbers)} weights instead of {size * size}")
    return [numbers[row * size:(row + 1) * size] for row in range(size)]


def tour_length(matrix, tour):
    """The length of a closed tour that visits every vertex once."""
    if sorted(tour) != list(range(len(matrix))):
        raise ValueError("not a tour")
    return sum(matrix[a][b] for a, b in zip(tour, tour[1:] + tour[:1]))


def chaincover(program, path, matrix, limit):
    """Length and whether it is proven."""
    call = [program, "atsp", str(path), "--json", "-", "--timeout", f"{limit}s"]
    answer = json.loads(subprocess.run(call, capture_output=True, text=True, check=False).stdout)
    return tour_length(matrix, answer["tour"]), answer["optimal"]


def elkai(matrix, _limit):
    """LKH with its default number of runs."""
    import elkai as package
    tour = package.DistanceMatrix(matrix).solve_tsp()
    return tour_length(matrix, tour[:-1] if tour[0] == tour[-1] else tour), False


def ortools(matrix, limit):
    """Guided local search for the whole limit."""
    from ortools.constraint_solver import pywrapcp, routing_enums_pb2
    manager = pywrapcp.RoutingIndexManager(len(matrix), 1, 0)
    routing = pywrapcp.RoutingModel(manager)
    cost = routing.RegisterTransitMatrix(matrix)
    routing.SetArcCostEvaluatorOfAllVehicles(cost)
    parameters = pywrapcp.DefaultRoutingSearchParameters()
    parameters.local_search_metaheuristic = routing_enums_pb2.LocalSearchMetaheuristic.GUIDED_LOCAL_SEARCH
    parameters.time_limit.FromMilliseconds(int(limit * 1000))
    found = routing.SolveWithParameters(parameters)
    tour, index = [], routing.Start(0)
    while not routing.IsEnd(index):
        tour.append(manager.IndexToNode(index))
        index = found.Value(routing.NextVar(index))
    return tour_length(matrix, tour), False


def available(name):
    try:
        __import__(name)
        return True
    except ImportError:
        return False


def timed(solve):
    start = time.perf_counter()
    length, is_proven = solve()
    return length, is_proven, time.perf_counter() - start


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default="target/release/chaincover")
    parser.add_argument("--limit", type=float, default=2.0, help="seconds for each solver and instance")
    parser.add_argument("--optima", type=pathlib.Path)
    parser.add_argument("files", nargs="+", type=pathlib.Path)
    arguments = parser.parse_args()
    optima = {}
    if arguments.optima:
        with arguments.optima.open() as file:
            optima = {row["name"]: int(row["optimum"]) for row in csv.DictReader(file)}
    others = [(name, solve) for name, solve in [("elkai", elkai), ("ortools", ortools)] if available(name)]
    for name in {"elkai", "ortools"} - {name for name, _ in others}:
        print(f"{name}: absent (pip install {name})", file=sys.stderr)
    header = ["instance", "n", "best"] + [f"{name} {what}" for name in ["chaincover", *dict(others)] for what in ["gap %", "s"]]
    print(" | ".join(f"{title:>16}" for title in header + ["proven"]))
    for path in arguments.files:
        matrix = read_matrix(path)
        rows = [timed(lambda: chaincover(arguments.program, path, matrix, arguments.limit))]
        rows += [timed(lambda solve=solve: solve(matrix, arguments.limit)) for _, solve in others]
        best = optima.get(path.stem, min(length for length, _, _ in rows))
        cells = [path.stem, str(len(matrix)), str(best)]
        for length, _, seconds in rows:
            cells += [f"{100 * (length - best) / best:.2f}", f"{seconds:.2f}"]
        cells.append("yes" if rows[0][1] else "no")
        print(" | ".join(f"{cell:>16}" for cell in cells), flush=True)


if __name__ == "__main__":
    main()

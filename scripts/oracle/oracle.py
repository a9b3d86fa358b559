#!/usr/bin/env python3
"""Finds by explicit search what ChainCover must find: an oracle for small models that shares no code with it.

The C of a case is compiled with gcc, all its states are enumerated by running it, and the exact optimum (fewest chains, then least
total length) comes from a breadth-first search over state x set of covered goals.

    scripts/oracle/oracle.py benchmarks/corpus/cruise-1            # what was found
    scripts/oracle/oracle.py --check benchmarks/corpus/*/          # compares with each expect.toml
"""

import argparse
import ctypes as c
import multiprocessing
import sys
import tempfile
import tomllib
from collections import deque
from pathlib import Path

import harness
import tours

FAR = 0xFFFF


class Edge(c.Structure):
    _fields_ = [("start", c.c_uint32), ("to", c.c_uint32), ("covers", c.c_uint32), ("vector", c.c_uint32)]


class Segment(c.Structure):
    _fields_ = [("start", c.c_void_p), ("length", c.c_size_t)]


class Start(c.Structure):
    _fields_ = [("goal", c.c_uint32), ("state", c.c_uint32)]


class Graph:
    """The explicit graph of a case: nodes are states with the goals begun in them; edges name the goals they complete."""

    def __init__(self, case, limit, sanitize=False):
        self.case = case
        self.folder = tempfile.TemporaryDirectory()
        folder = Path(self.folder.name)
        runtime, search = harness.build_support(folder)
        library = harness.build(case, folder, sanitize)
        self.runtime = c.CDLL(str(runtime), mode=c.RTLD_GLOBAL)
        self.search = c.CDLL(str(search))
        self.model = c.CDLL(str(library))
        self.open(library)
        self.nodes = self.runtime.rt_explore(c.c_uint32(limit))
        if self.nodes == 0:
            raise harness.Unsupported(f"more than {limit} nodes")
        self.read_back()

    def open(self, library):
        address = c.addressof(c.c_char.in_dll(self.model, "oracle_model"))
        base = address - harness.symbol_offset(library, "oracle_model")
        parts = harness.segments(library)
        table = (Segment * len(parts))(*[Segment(base + offset, size) for offset, size in parts])
        self.runtime.rt_open(c.c_void_p(address), table, c.c_uint32(len(parts)))

    def read_back(self):
        runtime = self.runtime
        runtime.rt_edges.restype = runtime.rt_starts.restype = c.c_size_t
        runtime.rt_final.restype = c.POINTER(c.c_ubyte)
        edges = c.POINTER(Edge)()
        self.edge_count = runtime.rt_edges(c.byref(edges))
        self.edges = edges
        self.first = (c.c_size_t * (self.nodes + 1))()
        for k in range(self.edge_count):
            self.first[edges[k].start + 1] += 1
        for n in range(self.nodes):
            self.first[n + 1] += self.first[n]
        self.final = runtime.rt_final()
        self.states = runtime.rt_states()
        self.goals = [goal.name for goal in self.case.goals]
        self.steps = [runtime.rt_goal_steps(g) for g in range(len(self.goals))]
        runtime.rt_covered.restype = runtime.rt_violated.restype = c.c_uint64
        self.covered = [runtime.rt_covered(g) for g in range(len(self.goals))]
        self.violated = [runtime.rt_violated(g) for g in range(len(self.goals))]

    def starts(self):
        """For each goal the set of nodes in which an occurrence of it begins."""
        table = c.POINTER(Start)()
        count = self.runtime.rt_starts(c.byref(table))
        by_state = {}
        for k in range(count):
            by_state.setdefault(table[k].state, set()).add(table[k].goal)
        result = [set() for _ in self.goals]
        for node in range(self.nodes):
            for goal in by_state.get(self.runtime.rt_state_of(node), ()):
                result[goal].add(node)
        return result


class Quotient:
    """The graph with all nodes of the same future merged, restricted to the goals that can be covered at all."""

    def __init__(self, graph):
        self.graph = graph
        useful = self.useful(graph)
        self.reachable = [g for g in range(len(graph.goals)) if useful >> g & 1]
        position = {g: k for k, g in enumerate(self.reachable)}
        block = (c.c_uint32 * graph.nodes)()
        self.nodes = graph.search.se_merge(c.c_uint32(graph.nodes), graph.edges, graph.first, graph.final, block)
        self.block = block
        seen, rows = set(), [[] for _ in range(self.nodes)]
        final = (c.c_ubyte * self.nodes)()
        for n in range(graph.nodes):
            if block[n] in seen:
                continue
            seen.add(block[n])
            final[block[n]] = graph.final[n]
            outgoing = {}
            for k in range(graph.first[n], graph.first[n + 1]):
                edge = graph.edges[k]
                covers = sum(1 << position[g] for g in self.reachable if edge.covers >> g & 1)
                outgoing.setdefault((block[edge.to], covers), edge.vector)
            rows[block[n]] = sorted((to, covers, vector) for (to, covers), vector in outgoing.items())
        self.final = final
        self.edge_count = sum(map(len, rows))
        self.edges = (Edge * max(1, self.edge_count))()
        self.first = (c.c_size_t * (self.nodes + 1))()
        k = 0
        for n, row in enumerate(rows):
            self.first[n] = k
            for to, covers, vector in row:
                self.edges[k] = Edge(n, to, covers, vector)
                k += 1
        self.first[self.nodes] = k
        self.init = block[0]

    @staticmethod
    def useful(graph):
        """The goals completed on some run that still can end in Final."""
        distance = (c.c_uint16 * graph.nodes)()
        graph.search.se_backward(c.c_uint32(graph.nodes), graph.edges, c.c_size_t(graph.edge_count), graph.final, distance)
        mask = 0
        for k in range(graph.edge_count):
            if distance[graph.edges[k].to] != FAR:
                mask |= graph.edges[k].covers
        return mask


class Optimum:
    """Fewest chains, then least total length, and (for one chain) the orders and a witness."""

    def __init__(self, quotient):
        self.q = quotient
        search, goals = quotient.graph.search, len(quotient.reachable)
        self.size = quotient.nodes << goals
        self.sets = 1 << goals
        if self.size > 1 << 31:
            raise harness.Unsupported(f"{quotient.nodes} nodes x 2^{goals} sets are too many")
        self.distance = (c.c_uint16 * self.size)()
        shortest = (c.c_uint16 * self.sets)()
        self.full = self.sets - 1
        self.arguments = (c.c_uint32(quotient.nodes), quotient.edges, quotient.first, quotient.final, c.c_uint32(quotient.init),
                          c.c_uint32(goals))
        search.se_chains(*self.arguments, c.c_int(1), self.distance, shortest)
        if shortest[self.full] == FAR:
            search.se_chains(*self.arguments, c.c_int(0), self.distance, shortest)
        search.se_supersets(c.c_uint32(goals), shortest)
        self.chains, self.length = self.several(search, goals, shortest)

    def several(self, search, goals, shortest):
        if goals == 0:
            return 0, 0
        if shortest[self.full] != FAR:
            return 1, shortest[self.full]
        fewer = shortest
        for chains in range(2, goals + 1):
            best = search.se_total(c.c_uint32(goals), shortest, fewer, None, c.c_uint32(self.full))
            if best != FAR:
                return chains, best
            total = (c.c_uint16 * self.sets)()
            for part in range(self.sets):
                search.se_total(c.c_uint32(goals), shortest, fewer, total, c.c_uint32(part))
            fewer = total
        raise AssertionError("each reachable goal should have a chain of its own")

    def successors(self, item):
        goals = len(self.q.reachable)
        node, covered = item >> goals, item & self.full
        for k in range(self.q.first[node], self.q.first[node + 1]):
            edge = self.q.edges[k]
            yield edge, (edge.to << goals) | covered | edge.covers

    def good_marks(self):
        marks = (c.c_ubyte * self.size)()
        self.q.graph.search.se_good(*self.arguments, c.c_uint32(self.length), self.distance, marks)
        return marks

    def witness(self):
        """A shortest single chain: list of (input vector, goals completed)."""
        goals = len(self.q.reachable)
        marks = self.good_marks()
        item, chain, real = self.q.init << goals, [], 0
        graph = self.q.graph
        for level in range(self.length):
            for edge, to in self.successors(item):
                if marks[to] == 1 and self.distance[to] == level + 1:
                    break
            for k in range(graph.first[real], graph.first[real + 1]):
                step = graph.edges[k]
                covers = sum(1 << i for i, g in enumerate(self.q.reachable) if step.covers >> g & 1)
                if self.q.block[step.to] == edge.to and covers == edge.covers:
                    break
            fresh = [graph.goals[g] for i, g in enumerate(self.q.reachable) if (to & ~item) >> i & 1]
            chain.append((step.vector, fresh))
            item, real = to, step.to
        return chain

    def orders(self, most=24):
        """All orders of first coverage among the shortest single chains; None if they are too many to list."""
        goals = len(self.q.reachable)
        if self.size > 1 << 26:
            return None
        marks = self.good_marks()
        level = {(): {self.q.init << goals}}
        for length in range(self.length):
            after = {}
            for order, items in level.items():
                for item in items:
                    for _, to in self.successors(item):
                        if marks[to] == 1 and self.distance[to] == length + 1:
                            fresh = (to & ~item) & self.full
                            if fresh & (fresh - 1):
                                return None
                            extended = order + ((fresh.bit_length() - 1,) if fresh else ())
                            after.setdefault(extended, set()).add(to)
            level = after
            if len(level) > most * 8 or sum(map(len, level.values())) > 400_000:
                return None
        return sorted([self.q.graph.goals[self.q.reachable[k]] for k in order] for order in level) if len(level) <= most else None


def overlaps(graph):
    """Pairs of goals with occurrences through the same transition. Between two goals of several steps this says only that they
    may overlap in one run (marked by `?`)."""
    table = c.POINTER(c.c_uint32)()
    graph.runtime.rt_passed.restype = c.c_size_t
    count = graph.runtime.rt_passed(c.byref(table))
    masks = {mask for mask in table[:count] if mask & (mask - 1)}
    goals = range(len(graph.goals))
    pairs = {(a, b) for mask in masks for a in goals for b in goals if a < b and mask >> a & 1 and mask >> b & 1}
    return [graph.goals[a] + "+" + graph.goals[b] + ("?" if min(graph.steps[a], graph.steps[b]) > 1 else "") for a, b in sorted(pairs)]


def depth(graph):
    """Greatest distance of a state from Init."""
    seen, queue, far = {0}, deque([(0, 0)]), 0
    while queue:
        node, far = queue.popleft()
        for k in range(graph.first[node], graph.first[node + 1]):
            if graph.edges[k].to not in seen:
                seen.add(graph.edges[k].to)
                queue.append((graph.edges[k].to, far + 1))
    return far


def findings(folder, arguments):
    """Everything found about a case, as the keys of expect.toml and a few more."""
    case = harness.read_case(folder)
    graph = Graph(case, arguments.limit, arguments.sanitize)
    quotient = Quotient(graph)
    found = {"goals": len(graph.goals), "states": graph.states, "nodes": graph.nodes, "merged": quotient.nodes,
             "unreachable": sorted(name for g, name in enumerate(graph.goals) if g not in quotient.reachable),
             "violated": sorted(name for g, name in enumerate(graph.goals) if graph.violated[g] and graph.covered[g]),
             "sometimes": sorted(name for g, name in enumerate(graph.goals) if 0 < graph.violated[g] < graph.covered[g]),
             "overlaps": overlaps(graph), "steps": graph.steps}
    if not arguments.no_depth:
        found["depth"] = depth(graph)
    optimum = Optimum(quotient)
    found |= {"chains": optimum.chains, "length": optimum.length}
    if optimum.chains == 1 and not arguments.no_orders:
        found["orders"] = optimum.orders()
    if arguments.trace and optimum.chains == 1:
        found["trace"] = [(harness.vector_text(case, vector), fresh) for vector, fresh in optimum.witness()]
    if arguments.abstraction:
        found |= tours.abstraction(graph, quotient.reachable)
    return found


def differences(found, expected):
    """What expect.toml says otherwise."""
    wrong = []
    for key in ("chains", "length", "unreachable", "violated"):
        want = expected.get(key, [] if key in ("unreachable", "violated") else None)
        want = sorted(want) if isinstance(want, list) else want
        if want is not None and want != found[key]:
            wrong.append(f"{key}: expected {want}, found {found[key]}")
    if expected.get("minimal") == "proven" and expected.get("lower_bound") != expected.get("length"):
        wrong.append("lower_bound: differs from length although minimal is proven")
    if expected.get("orders") and found.get("orders") is not None and sorted(expected["orders"]) != found["orders"]:
        wrong.append(f"orders: expected {sorted(expected['orders'])}, found {found['orders']}")
    return wrong


def report(name, found):
    print(f"{name}: {found['goals']} goals, {found['states']} states ({found['merged']} merged), depth {found.get('depth')}: "
          f"{found['chains']} chain(s), length {found['length']}; unreachable {found['unreachable']}, violated {found['violated']}")
    for key in ("sometimes", "overlaps", "orders", "weights", "tour", "tour_orders"):
        if found.get(key):
            print(f"  {key}: {found[key]}")
    for number, (inputs, fresh) in enumerate(found.get("trace", [])):
        print(f"  {number:4} {inputs:40} {' '.join(fresh)}")


def judge(folder, arguments):
    """Reports on a case or compares it with its expect.toml; whether something is wrong."""
    name = Path(folder).resolve().name
    try:
        found = findings(folder, arguments)
    except harness.Unsupported as problem:
        print(f"{name}: not explored: {problem}")
        return True
    if not arguments.check:
        report(name, found)
        return False
    wrong = differences(found, tomllib.loads((Path(folder) / "expect.toml").read_text()))
    print(f"{name}: {'as expected' if not wrong else '; '.join(wrong)}")
    return bool(wrong)


def in_a_process(function, *arguments):
    """Runs it in a process of its own (libraries of two cases would meet in one); whether it returned true or died."""
    process = multiprocessing.Process(target=lambda: sys.exit(function(*arguments)))
    process.start()
    process.join()
    return process.exitcode != 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("cases", nargs="+", help="folders with a chaincover.toml")
    parser.add_argument("--check", action="store_true", help="compare with expect.toml; exit code 1 if something differs")
    parser.add_argument("--trace", action="store_true", help="print a shortest chain")
    parser.add_argument("--abstraction", action="store_true", help="weights, tour bound, and whether the shortest orders admit a chain")
    parser.add_argument("--sanitize", action="store_true", help="compile with -fsanitize=undefined")
    parser.add_argument("--no-orders", action="store_true")
    parser.add_argument("--no-depth", action="store_true")
    parser.add_argument("--limit", type=int, default=2_000_000, help="most nodes to explore")
    arguments = parser.parse_args()
    bad = sum(in_a_process(judge, folder, arguments) for folder in arguments.cases)
    sys.exit(1 if bad else 0)


if __name__ == "__main__":
    main()

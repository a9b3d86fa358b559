"""The abstraction of the paper, computed exactly: weights between goals, the shortest tour, and which of the shortest
orders the system can follow at all (at any length).
"""

import ctypes as c
import itertools
from collections import deque

FAR = 0xFFFF


def distances(graph, marked):
    flags = (c.c_ubyte * graph.nodes)()
    for node in marked:
        flags[node] = 1
    result = (c.c_uint16 * graph.nodes)()
    graph.search.se_backward(c.c_uint32(graph.nodes), graph.edges, c.c_size_t(graph.edge_count), flags, result)
    return result


def weights(graph, goals):
    """W[a][b], counted from the first state of a to the first state of b; index -1 stands for Init (row) and Final (column)."""
    starts = graph.starts()
    finals = [n for n in range(graph.nodes) if graph.final[n]]
    to = {b: distances(graph, starts[b]) for b in goals} | {-1: distances(graph, finals)}
    ends = {a: set() for a in goals}
    for k in range(graph.edge_count):
        edge = graph.edges[k]
        for a in goals:
            if edge.covers >> a & 1:
                ends[a].add(edge.to)
    table = {-1: {b: to[b][0] for b in goals}}
    for a in goals:
        table[a] = {b: min((to[b][n] for n in ends[a]), default=FAR) for b in [*goals, -1] if b != a}
        table[a] = {b: w + graph.steps[a] if w != FAR else FAR for b, w in table[a].items()}
    return table


def closure(table, goals):
    """Floyd-Warshall over the goals."""
    for via in goals:
        for a in [-1, *goals]:
            for b in [*goals, -1]:
                if via not in (a, b) and b in table[a] and via in table[a] and b in table[via]:
                    table[a][b] = min(table[a][b], table[a][via] + table[via][b])
    return table


def shortest_orders(table, goals, most=2000):
    """Length of the shortest tour and the orders that have it (Held-Karp)."""
    full = (1 << len(goals)) - 1
    best = {(full, k): table[g][-1] for k, g in enumerate(goals)}

    def rest(covered, last):
        if (covered, last) not in best:
            best[covered, last] = min(table[goals[last]][goals[k]] + rest(covered | 1 << k, k)
                                      for k in range(len(goals)) if not covered >> k & 1)
        return best[covered, last]

    total = min(table[-1][g] + rest(1 << k, k) for k, g in enumerate(goals))
    if total >= FAR:
        return total, []
    orders, stack = [], [((k,), 1 << k, total - table[-1][g]) for k, g in enumerate(goals) if table[-1][g] + rest(1 << k, k) == total]
    while stack and len(orders) < most:
        order, covered, left = stack.pop()
        if covered == full:
            orders.append([goals[k] for k in order])
            continue
        for k in range(len(goals)):
            if not covered >> k & 1 and table[goals[order[-1]]][goals[k]] + rest(covered | 1 << k, k) == left:
                stack.append((order + (k,), covered | 1 << k, left - table[goals[order[-1]]][goals[k]]))
    return total, orders


def follow(graph, order):
    """Length of the shortest chain that completes the goals in this order, None if there is none."""
    seen, queue = {(0, 0)}, deque([(0, 0, 0)])
    while queue:
        node, done, length = queue.popleft()
        if done == len(order) and graph.final[node]:
            return length
        for k in range(graph.first[node], graph.first[node + 1]):
            edge = graph.edges[k]
            for after in {done, done + (done < len(order) and edge.covers >> order[done] & 1)}:
                if (edge.to, after) not in seen:
                    seen.add((edge.to, after))
                    queue.append((edge.to, after, length + 1))
    return None


def abstraction(graph, goals, show=6):
    """Weights by name, the tour bound, and for some of the shortest orders the length of their best chain."""
    table = weights(graph, goals)
    name = lambda k, end: end if k == -1 else graph.goals[k]
    readable = {f"{name(a, 'Init')}->{name(b, 'Final')}": w for a, row in table.items() for b, w in row.items() if w != FAR}
    if len(goals) > 16 or not goals:
        return {}
    total, orders = shortest_orders(closure(table, goals), goals)
    if total >= FAR:
        return {"weights": readable, "tour": "none"}
    lengths = [follow(graph, order) for order in orders[:40]]
    summary = {"feasible": sum(x is not None for x in lengths), "infeasible": sum(x is None for x in lengths),
               "best": min((x for x in lengths if x is not None), default=None), "orders": len(orders)}
    return {"weights": readable if len(goals) <= 5 else None, "tour": total,
            "tour_orders": (summary, [([graph.goals[g] for g in o], x) for o, x in list(zip(orders, lengths))[:show]])}

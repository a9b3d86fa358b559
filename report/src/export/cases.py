

class _Unknown(Exception):
    """A value that was not measured."""


def _close(seen, number, step, index):
    """The recorded value where the measured one agrees with it, else the measured one."""
    name, *how = OUTPUTS[index]
    recorded = CHAINS[number][step][1]
    if index < len(recorded) and _same(seen, recorded[index], *how):
        return recorded[index]
    return seen


def _recorded(number, name, behind):
    """What a word that a rig does not see held behind so many steps, by the record."""
    value = STATES[number].get(name, [])[behind:][:1]
    if value in ([], [None]):
        raise _Unknown(name)
    return value[0]


def _is_as_recorded(rows, number, at, steps, nodes, consequent):
    """Whether all that was measured up to the end of a window is as recorded, but for what the consequent reads."""
    read, waiting = set(), [consequent]
    while waiting:
        op, _, arguments, name, step, _ = nodes[waiting.pop()]
        waiting += arguments
        if op == "output":
            read.add((at + step - 1, name))
    for behind in range(at + steps):
        row, recorded = rows[behind] if behind < len(rows) else None, CHAINS[number][behind][1]
        for (name, *how), seen, value in zip(OUTPUTS, row or [], recorded):
            if (behind, name) not in read and not _same(seen, value, *how):
                return False
    return True


def _look(rows, number, at, shifts):
    """What a window that begins in step `at` reads; outputs are measured, and shifted within their tolerances."""

    def look(op, name, step):
        if op == "input":
            return CHAINS[number][at + step][0][INPUTS.index(name)]
        if op == "state":
            return _recorded(number, name, at + step)
        behind = at + step - 1
        if behind < 0:
            if name not in INITIAL[number]:
                raise _Unknown(name)
            return INITIAL[number][name]
        if behind >= len(rows) or rows[behind] is None:
            raise _Unknown(name)
        index = next(index for index, output in enumerate(OUTPUTS) if output[0] == name)
        seen = rows[behind][index]
        if OUTPUTS[index][1] not in ("single", "double") and not _is_whole(seen):
            raise AssertionError(f"chain {number + 1}, step {behind}: {name} is measured as {seen!r}, which is none of its values")
        shift = shifts.get(name, 0)
        if shift == "record":
            return _close(seen, number, behind, index)
        if shift:
            _, kind, absolute, relative, ulps = OUTPUTS[index]
            return seen + shift * _width(seen, kind, absolute, relative, ulps)
        return seen

    return look


def _shifts(nodes):
    """Ways in which measured floats may be off: each as it is, as recorded, and at both ends of its tolerance."""
    names = {node[3] for node in nodes if node[0] == "output"}
    loose = [name for name, kind, *how in OUTPUTS if name in names and kind in ("single", "double") and any(how)]
    if len(loose) > 4:
        return [{name: shift for name in loose} for shift in (0, "record", -1, 1)]
    return [dict(zip(loose, shifts)) for shifts in itertools.product((0, "record", -1, 1), repeat=len(loose))]


def _shown(value, kind, width):
    if kind == "float":
        return repr(value)
    return str(_signed(value, width) if kind == "signed" else value)


def _judge(requirement, number, rows):
    """How often a requirement applies along a chain, what is wrong where it does not hold, and how many
    windows cannot be judged.

    Whether an antecedent holds that reads words which a rig does not see is told by the record, as long
    as all that is measured agrees with it.
    """
    name, steps, nodes, antecedent, consequent, claims, unseen = requirement
    source = f"   ({', '.join(unseen)} as recorded)" if unseen else ""
    shifts = _shifts(nodes)
    applied, wrong, unknown = 0, [], 0
    for at in range(len(CHAINS[number]) - steps + 1):
        try:
            record = {output[0]: "record" for output in OUTPUTS}
            if not _evaluate(nodes, _look(rows, number, at, record))[antecedent]:
                continue
            if unseen and not _is_as_recorded(rows, number, at, steps, nodes, consequent):
                break
            applied += 1
            if any(_evaluate(nodes, _look(rows, number, at, shift))[consequent] for shift in shifts):
                continue
            values = _evaluate(nodes, _look(rows, number, at, {}))
        except _Unknown:
            unknown += 1
            continue
        broken = [claim for claim in claims if values[claim[2]]]
        step = at + steps - 1
        for text, place, _, reads in broken:
            seen = [
                f"{expression} = {_shown(values[value], kind, int(nodes[value][1][1:]))}"
                for expression, is_read, value, kind in reads
                if values[is_read]
            ]
            saw = f"   saw {', '.join(seen)}" if seen else ""
            wrong.append(f"chain {number + 1}, step {step}: expect {text}{saw}{source}   {place}".rstrip())
        if not broken:
            wrong.append(f"chain {number + 1}, step {step}: {name} does not hold{source}")
    return applied, wrong, unknown


@pytest.mark.parametrize("requirement", REQUIREMENTS, ids=[requirement[0] for requirement in REQUIREMENTS])
def test_requirement(measured, requirement):
    """Judges measured values wherever the antecedent holds, whatever was recorded."""
    applied, wrong, unknown = 0, [], 0
    for number in range(len(CHAINS)):
        found, broken, unjudged = _judge(requirement, number, measured(number))
        applied += found
        wrong += broken
        unknown += unjudged
    assert not wrong, "\n".join([f"{requirement[0]} is violated", *wrong])
    if not applied and unknown:
        pytest.skip(f"{unknown} windows cannot be judged: they read what was neither measured nor recorded")
    if not applied:
        unseen = f", as far as that can be told: a rig does not see {', '.join(requirement[6])}" if requirement[6] else ""
        pytest.skip(f"its antecedent occurs nowhere in what was measured{unseen}")


@pytest.mark.parametrize("name, why", UNSEEN, ids=[name for name, _ in UNSEEN])
def test_unseen_requirement(name, why):
    """A requirement that cannot be judged from outside."""
    pytest.skip(f"{name}: {why}")

import itertools
import math
from fractions import Fraction

import pytest


def _width(value, kind, absolute, relative, ulps):
    """How far a measured float may be off."""
    if value != value or value in (inf, -inf):
        return 0.0
    pattern, word = ("<f", "<I") if kind == "single" else ("<d", "<Q")
    bits = struct.unpack(word, struct.pack(pattern, abs(value)))[0]
    above = struct.unpack(pattern, struct.pack(word, bits + 1))[0]
    ulp = above - abs(value) if above != inf else abs(value) * 2.0 ** (-24 if kind == "single" else -53)
    return max(absolute, relative * abs(value), ulps * ulp)


def _is_whole(seen):
    """Whether a measured value is one that integers, truths and enumerators have."""
    try:
        return seen == int(seen)
    except (OverflowError, ValueError):
        return False


def _same(seen, expected, kind, absolute, relative, ulps):
    """Whether a measured value agrees with the expected one."""
    if kind not in ("single", "double"):
        return _is_whole(seen) and int(seen) == expected
    if kind == "single":
        seen = _single(seen)
        expected = _single(expected)
    if expected != expected or expected in (inf, -inf):
        return seen == expected or (seen != seen and expected != expected)
    return abs(seen - expected) <= _width(expected, kind, absolute, relative, ulps)


@pytest.fixture(scope="module")
def driver():
    try:
        from chain_driver import Driver
    except ModuleNotFoundError as error:
        if error.name != "chain_driver":
            raise
        pytest.skip("write chain_driver.py; chain_driver_example.py shows how")
    driver = Driver()
    yield driver
    driver.close()


def _play(driver, number):
    """Plays a chain; returns for each step the measured outputs, or None where there are none."""
    chain = CHAINS[number]
    driver.reset()
    rows = []
    for row in range(len(chain) + OUTPUT_LATENCY):
        inputs = chain[min(row, len(chain) - 1)][0]
        for name, value in zip(INPUTS, inputs):
            driver.set_input(name, value)
        driver.step()
        step = row - OUTPUT_LATENCY
        if step >= 0:
            # A last step that does not return has no outputs.
            rows.append([driver.get_output(output[0]) for output in OUTPUTS] if chain[step][1] or not OUTPUTS else None)
    return rows


@pytest.fixture(scope="module")
def measured(driver):
    """What is measured along a chain, which is played once for all cases."""
    played = {}

    def rows(number):
        if number not in played:
            played[number] = _play(driver, number)
        return played[number]

    return rows


@pytest.mark.parametrize("number", range(len(CHAINS)))
def test_recorded_outputs(measured, number):
    """Compares with what the model did, and with values that requirements fix."""
    wrong = []
    for step, (row, (_, recorded)) in enumerate(zip(measured(number), CHAINS[number])):
        for (name, *how), seen, value in zip(OUTPUTS, row or [], recorded):
            expected, requirement = EXPECTED[number].get((step, name), (value, None))
            # Where the record violates a requirement, that judges alone.
            if expected is None or _same(seen, expected, *how):
                continue
            goals = [goal[0] for goal in GOALS if goal[2] == number and goal[3] == step]
            source = f"by {requirement}" if requirement else "as recorded"
            wrong.append(f"step {step}: {name} is {seen}, expected {expected} {source} {goals or ''}".rstrip())
    assert not wrong, "\n".join(wrong)

"""Results as objects."""

from __future__ import annotations

import html
import json
import os
import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Optional, Union

from . import _native
from .errors import ConfigError, _error

if TYPE_CHECKING:
    from pandas import DataFrame as _DataFrame

#: A value of a signal: a truth, an integer or a float; enumerators are integers.
Value = Union[bool, int, float]


@dataclass(frozen=True)
class Origin:
    """Where something was written."""

    file: str
    line: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}"


def _origin(fields: Optional[dict[str, Any]]) -> Optional[Origin]:
    return Origin(fields["file"], fields["line"]) if fields else None


@dataclass(frozen=True)
class Progress:
    """How far a search is."""

    #: The stage at work; empty before the first begins.
    stage: str
    #: Depth asked so far.
    depth: int
    #: Goals known to be reachable.
    covered: int
    #: Length of the best chains so far, in steps.
    best: Optional[int]
    #: Lower bound of that length.
    bound: int


@dataclass(frozen=True)
class Signal:
    """An input, an output or a word of the state."""

    #: Its key in steps.
    name: str
    #: How the program reaches it.
    lvalue: str
    #: Its type in the program.
    type: str
    #: Value bits.
    bits: int
    #: `bool`, `unsigned`, `signed`, `float` or `pointer`; `None` in results of early versions.
    kind: Optional[str]
    #: Physical unit.
    unit: Optional[str]
    #: What it means.
    text: Optional[str]
    #: Names of values.
    enumerators: Mapping[str, int] = field(hash=False)

    def value(self, stored: Any) -> Value:
        """The value that `chain.json` stores so."""
        if isinstance(stored, dict):
            digits = stored["bits"][2:]
            number: float = struct.unpack(">f" if len(digits) == 8 else ">d", bytes.fromhex(digits))[0]
            return number
        if self.kind == "bool":
            return bool(int(stored))
        return float(stored) if self.kind == "float" else int(stored)


def _signals(entries: Sequence[dict[str, Any]]) -> tuple[Signal, ...]:
    return tuple(
        Signal(
            name=entry["name"],
            lvalue=entry["lvalue"],
            type=entry["type"],
            bits=entry["bits"],
            kind=entry.get("kind"),
            unit=entry.get("unit"),
            text=entry.get("text"),
            enumerators={name: int(value) for name, value in entry.get("enumerators", {}).items()},
        )
        for entry in entries
    )


@dataclass(frozen=True)
class Goal:
    """A test goal, and what became of it."""

    name: str
    requirement: Optional[str]
    text: Optional[str]
    origin: Optional[Origin]
    #: Length of its window in steps.
    steps: int
    #: `covered`, `unreachable` or `undecided`; of a model that was only read, `undecided`.
    status: str
    #: Index of the first chain that covers it.
    chain: Optional[int]
    #: First step of its first occurrence there.
    at: Optional[int]
    #: `held`, `violated` or `none`.
    expectation: str
    #: `proven`, `violated`, `vacuous` or `undecided`: about all executions; `None` where nobody asked.
    verdict: Optional[str]
    #: What was proven of a goal that is not covered, or which bound was reached.
    reason: Optional[str]
    #: Of timed systems `forced`, `cooperation` or `undecided`: whether a tester can force it; `None` where nobody asked.
    forcing: Optional[str] = None

    def __str__(self) -> str:
        return self.name


def _goals(data: dict[str, Any]) -> tuple[Goal, ...]:
    return tuple(
        Goal(
            name=entry["name"],
            requirement=entry["requirement"],
            text=entry["text"],
            origin=_origin(entry["origin"]),
            steps=entry["steps"],
            status=entry["status"],
            chain=entry["chain"],
            at=entry["at"],
            expectation=entry["expectation"],
            verdict=entry.get("verdict"),
            reason=entry["reason"],
            forcing=(entry.get("forcing") or {}).get("verdict"),
        )
        for entry in data["goals"]
    )


@dataclass(frozen=True)
class Counterexample:
    """The shortest execution that violates a requirement, as far as that is proven."""

    #: Number of steps.
    length: int
    #: No execution with fewer steps violates the requirement.
    lower_bound: int
    #: The step that violates it.
    step: int
    #: What does not hold, as it was written.
    expression: Optional[str]
    #: `True` on the compiled code, `"evaluator"` on the evaluator alone, `False` if they disagree.
    replayed: Union[bool, str]
    #: Its file, where `export` writes one: `violation_NAME.json`.
    file: Optional[str]


@dataclass(frozen=True)
class Verdict:
    """What holds of all executions."""

    #: Name of the requirement.
    name: str
    #: `property`, `assertion`, `undefined operation`, ...
    kind: str
    requirement: Optional[str]
    text: Optional[str]
    origin: Optional[Origin]
    #: `proven`, `violated`, `vacuous` or `undecided`.
    verdict: str
    #: How it was shown.
    reason: Optional[str]
    #: Where it is undecided: no execution violates it within this many steps.
    depth: Optional[int]
    counterexample: Optional[Counterexample]


def _counterexample(entry: Optional[dict[str, Any]]) -> Optional[Counterexample]:
    if entry is None:
        return None
    return Counterexample(
        length=entry["length"],
        lower_bound=entry["lower_bound"],
        step=entry["step"],
        expression=entry.get("expression"),
        replayed=entry["replayed"],
        file=entry.get("file"),
    )


def _verdicts(data: dict[str, Any]) -> tuple[Verdict, ...]:
    return tuple(
        Verdict(
            name=entry["name"],
            kind=entry["kind"],
            requirement=entry.get("requirement"),
            text=entry.get("text"),
            origin=_origin(entry.get("origin")),
            verdict=entry["verdict"],
            reason=entry.get("reason"),
            depth=entry.get("depth"),
            counterexample=_counterexample(entry.get("counterexample")),
        )
        for entry in data.get("verdicts", [])
    )


@dataclass(frozen=True)
class Step:
    """A step of a chain."""

    #: From 0.
    number: int
    #: Seconds from the beginning of the chain, where the period is known.
    seconds: Optional[float]
    #: What the tester applies.
    inputs: Mapping[str, Value] = field(hash=False)
    #: What the step answers; nothing where it does not return.
    outputs: Mapping[str, Value] = field(hash=False)
    #: The state before the step.
    state: Mapping[str, Value] = field(hash=False)
    #: Goals whose first occurrence this step completes.
    covers: tuple[str, ...]
    #: Inputs that do not matter in this step.
    dont_care: tuple[str, ...]
    #: The outputs that requirements allow, as a formula.
    allowed: Optional[str]
    #: What ends the program in this step.
    ends: Optional[str]


@dataclass(frozen=True)
class Chain:
    """A test case chain: steps from the initial state on."""

    #: Its place among the chains of the result.
    index: int
    steps: tuple[Step, ...]
    #: Names of the goals it was made for, in order.
    order: tuple[str, ...]
    #: How long it takes, where the period is known.
    seconds: Optional[float]
    #: `True` on the compiled code, `"evaluator"` on the evaluator alone, `False` if they disagree.
    replayed: Union[bool, str]
    #: How the compiled code was made to fit the target, or why it was not run.
    replayed_how: Optional[str]
    #: `certain` or `possible`, for requirements: whether an allowed system may prevent a goal.
    grade: Optional[str]
    inputs: tuple[Signal, ...] = field(repr=False)
    outputs: tuple[Signal, ...] = field(repr=False)
    state: tuple[Signal, ...] = field(repr=False)

    def __len__(self) -> int:
        return len(self.steps)

    def to_pandas(self, *, state: bool = False) -> _DataFrame:
        """A row for each step, a column for each input and output, with `state` for state words, too.

        The index has seconds where the period is known, else numbers of steps. Columns have the
        narrowest type that holds the signal exactly, enumerations are categorical, integers above
        64 bits Python's. `attrs["units"]` has the units by column, `attrs["covers"]` the goals by
        number of the step. An output that has the name of an input gets the column `output.NAME`,
        a state word that has one of theirs `state.NAME`.
        """
        from ._frame import frame

        return frame(self, with_state=state)


def _values(signals: Mapping[str, Signal], stored: dict[str, Any]) -> dict[str, Value]:
    return {name: signals[name].value(value) for name, value in stored.items() if name in signals}


def _chains(data: dict[str, Any]) -> tuple[Chain, ...]:
    inputs, outputs, state = (_signals(data[kind]) for kind in ("inputs", "outputs", "state"))
    tables = [{signal.name: signal for signal in signals} for signals in (inputs, outputs, state)]
    chains = []
    for index, chain in enumerate(data["chains"]):
        seconds, length = chain.get("seconds"), chain["length"]
        steps = tuple(
            Step(
                number=number,
                seconds=None if seconds is None else seconds * number / length,
                inputs=_values(tables[0], step["inputs"]),
                outputs=_values(tables[1], step["outputs"]),
                state=_values(tables[2], step["state"]),
                covers=tuple(step["covers"]),
                dont_care=tuple(step.get("dont_care", [])),
                allowed=step.get("allowed"),
                ends=step.get("ends"),
            )
            for number, step in enumerate(chain["steps"])
        )
        chains.append(
            Chain(
                index=index,
                steps=steps,
                order=tuple(chain["order"]),
                seconds=seconds,
                replayed=chain["replayed"],
                replayed_how=chain.get("replayed_how"),
                grade=chain.get("grade"),
                inputs=inputs,
                outputs=outputs,
                state=state,
            )
        )
    return tuple(chains)


class Result:
    """Chains, what became of the goals, and what is proven.

    Objects are made when they are asked for: the steps of a long chain take seconds, and Ctrl-C is
    to be answered at once.
    """

    #: What is to be said of the files that :meth:`export` wrote last.
    export_notes: tuple[str, ...] = ()

    def __init__(self, text: str = "", native: Optional[_native.Found] = None) -> None:
        self._text = text
        self._native = native

    @cached_property
    def json(self) -> dict[str, Any]:
        """What `chain.json` has: everything, as `docs/formats.md` describes it."""
        data: dict[str, Any] = json.loads(self._native.json() if self._native else self._text)
        return data

    @cached_property
    def goals(self) -> tuple[Goal, ...]:
        """The goals, in the order of the model."""
        return _goals(self.json)

    @cached_property
    def verdicts(self) -> tuple[Verdict, ...]:
        """What holds of all executions; empty where nothing is required, or nobody asked."""
        return _verdicts(self.json)

    @cached_property
    def chains(self) -> tuple[Chain, ...]:
        """The chains, step by step."""
        return _chains(self.json)

    @cached_property
    def inputs(self) -> tuple[Signal, ...]:
        """What the tester applies."""
        return _signals(self.json["inputs"])

    @cached_property
    def outputs(self) -> tuple[Signal, ...]:
        """What steps answer."""
        return _signals(self.json["outputs"])

    @cached_property
    def state(self) -> tuple[Signal, ...]:
        """Words of the state."""
        return _signals(self.json["state"])

    @property
    def name(self) -> str:
        """Name of the model."""
        return str(self.json["model"]["name"])

    @property
    def length(self) -> int:
        """Steps of all chains together."""
        return int(self.json["summary"]["length"])

    @property
    def lower_bound(self) -> int:
        """No chains with fewer steps cover the same goals (for the same number of chains)."""
        return int(self.json["summary"]["lower_bound"])

    @property
    def is_proven_minimal(self) -> bool:
        """Whether no fewer chains and no shorter ones cover what is covered."""
        return bool(self.json["summary"]["minimal"] == "proven")

    @property
    def stopped(self) -> Optional[str]:
        """What ended the search before it was done: `timeout`, `interrupted`, or `None`.

        `None` for results that were loaded from files, too, which do not tell.
        """
        return self._native.stopped if self._native else None

    @property
    def notes(self) -> tuple[str, ...]:
        """What one should know: trusted invariants, undefined operations met, what proofs rest on."""
        return tuple(self.json.get("notes", []))

    def goal(self, name: str) -> Goal:
        """The goal of a name; raises `KeyError` where there is none."""
        for goal in self.goals:
            if goal.name == name:
                return goal
        raise KeyError(name)

    def steps_to(self, goal: Union[Goal, str]) -> tuple[Step, ...]:
        """The steps of a chain up to the end of the goal's first occurrence.

        Raises `KeyError` where there is no such goal, `LookupError` where it is not covered.
        """
        found = self.goal(str(goal))
        if found.chain is None or found.at is None:
            raise LookupError(f"{found.name} is {found.status}")
        return self.chains[found.chain].steps[: found.at + found.steps]

    def export(
        self,
        folder: Union[str, os.PathLike[str]],
        formats: Sequence[str] = ("csv",),
        *,
        output_latency: int = 0,
        dont_care: str = "hold",
        tolerances: Optional[Mapping[str, Mapping[str, float]]] = None,
        force: bool = False,
    ) -> list[Path]:
        """Writes `chain.json`, counterexamples and the formats into a folder; returns the files.

        The vectors are replayed as they are written. `formats` lists names of
        :func:`chaincover.formats`. `dont_care` is what is written where an input does not matter:
        `hold`, `zero`, `default` or `mark`. `tolerances` says how far a measured output may be off,
        as `{"speed": {"abs": 0.1, "rel": 1e-3, "ulp": 4}}`. Files that ChainCover did not write are
        replaced with `force` only.

        Raises :class:`ConfigError` where a format cannot express the result; the other files are
        written all the same.
        """
        if self._native is None:
            raise ConfigError("a loaded result is exported by the command line: chaincover export CHAIN.json")
        if isinstance(formats, str):
            raise ConfigError(f"formats: a list of names is expected; write [{formats!r}]")
        arguments = {
            "formats": list(formats),
            "output_latency": output_latency,
            "dont_care": dont_care,
            "tolerances": {name: _tolerance(name, parts) for name, parts in (tolerances or {}).items()},
            "force": force,
        }
        try:
            files, refused, notes = self._native.export(os.fspath(folder), arguments)
        except _native.Failure as failure:
            raise _error(failure) from None
        self.export_notes = tuple(notes)
        if refused:
            raise ConfigError("; ".join(refused))
        return [Path(file) for file in files]

    def __str__(self) -> str:
        return self._native.summary() if self._native else repr(self)

    def __repr__(self) -> str:
        return f"<chaincover.Result {self._title()}>"

    def _title(self) -> str:
        covered = sum(goal.status == "covered" for goal in self.goals)
        chains = "1 chain" if len(self.chains) == 1 else f"{len(self.chains)} chains"
        return (
            f"{self.name}: {covered} of {len(self.goals)} goals covered, "
            f"{chains} of {self.length} steps, {self._minimality()}"
        )

    def _minimality(self) -> str:
        if self.is_proven_minimal:
            return "proven minimal"
        if self.json["summary"]["minimal"] == "gap":
            return f"at least {self.lower_bound} are needed"
        return "minimality unknown"

    def _repr_html_(self) -> str:
        """The table of goals, for notebooks."""
        columns = ("goal", "requirement", "status", "chain", "step", "expectation", "all executions", "reason")
        rows = []
        for goal in self.goals:
            chain = "" if goal.chain is None else str(goal.chain + 1)
            at = "" if goal.at is None else str(goal.at)
            expectation = "" if goal.expectation == "none" else goal.expectation
            fate = (goal.status, chain, at, expectation, goal.verdict or "", goal.reason or "")
            cells = (goal.name, goal.requirement or "", *fate)
            rows.append("".join(f"<td>{html.escape(cell)}</td>" for cell in cells))
        head = "".join(f"<th>{html.escape(column)}</th>" for column in columns)
        body = "".join(f"<tr>{row}</tr>" for row in rows)
        return (
            f"<table><caption>{html.escape(self._title())}</caption>"
            f"<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
        )


def _tolerance(name: str, parts: Mapping[str, float]) -> tuple[Any, Any, Any]:
    unknown = sorted(set(parts) - {"abs", "rel", "ulp"})
    if unknown:
        raise ConfigError(f"tolerances: {name}: unknown part `{unknown[0]}`: expected abs, rel or ulp")
    for part, width in parts.items():
        if not 0 <= width < float("inf") or (part == "ulp" and width != int(width)):
            raise ConfigError(f"tolerances: {name}: {part}: `{width}` is no width")
    ulp = parts.get("ulp")
    return parts.get("abs"), parts.get("rel"), None if ulp is None else int(ulp)


@dataclass(frozen=True)
class Written:
    """A condition or a line of code as it was written."""

    text: str
    origin: Optional[Origin]


@dataclass(frozen=True)
class Needed:
    """What excludes a goal."""

    #: Conditions of the goal.
    conditions: tuple[Written, ...]
    assumptions: tuple[Written, ...]
    invariants: tuple[Written, ...]
    #: Lines of the code that branch.
    decisions: tuple[Written, ...]


@dataclass(frozen=True)
class Explanation:
    """Why a goal cannot be reached, or how short a chain for it alone is."""

    goal: str
    #: `covered`, `unreachable` or `undecided`.
    status: str
    reason: Optional[str]
    #: Whether it is proven that no execution, or none that may end, reaches the goal.
    is_excluded: bool
    #: Steps of the shortest chain for this goal alone that is known.
    length: Optional[int]
    #: No chain that covers it is shorter.
    lower_bound: int
    #: All conditions of the goal.
    conditions: tuple[Written, ...]
    #: What of all that excludes the goal; everything where it is not excluded.
    needed: Needed
    #: Whether nothing of `needed` can be left out: found out for all of it.
    is_minimal: bool
    notes: tuple[str, ...]


def _written(entries: Sequence[dict[str, Any]]) -> tuple[Written, ...]:
    return tuple(Written(entry["text"], _origin(entry["origin"])) for entry in entries)


def _explanation(text: str) -> Explanation:
    data = json.loads(text)
    needed = data["needed"]
    return Explanation(
        goal=data["goal"],
        status=data["status"],
        reason=data["reason"],
        is_excluded=data["is_excluded"],
        length=data["length"],
        lower_bound=data["lower_bound"],
        conditions=_written(data["conditions"]),
        needed=Needed(
            conditions=_written(needed["conditions"]),
            assumptions=_written(needed["assumptions"]),
            invariants=_written(needed["invariants"]),
            decisions=_written(needed["decisions"]),
        ),
        is_minimal=data["is_minimal"],
        notes=tuple(data["notes"]),
    )

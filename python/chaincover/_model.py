"""Reading models, and what is asked of them."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Optional, Union

from . import _native
from ._result import Explanation, Goal, Progress, Result, Signal, _explanation, _goals, _signals
from .errors import Diagnostic, Interrupted, SelfCheckError, StoppedError, _diagnostics, _error

#: A path of a file or a folder.
PathLike = Union[str, "os.PathLike[str]"]
#: Called twenty times a second during a search; `False` ends it.
Callback = Callable[[Progress], object]


def read(
    *paths: PathLike,
    target: Optional[str] = None,
    define: Sequence[str] = (),
    include: Sequence[PathLike] = (),
    step: Optional[str] = None,
    init: Optional[str] = None,
    goals: Sequence[PathLike] = (),
    coverage: Sequence[str] = (),
    branches_only: bool = False,
    coverage_alone: bool = False,
    observe: int | None = None,
    unwind: Optional[int] = None,
    assume_unwound: bool = False,
    robustness: bool = False,
    view: Optional[str] = None,
    no_idle: bool = False,
    top: Optional[str] = None,
    parameters: Optional[Mapping[str, object]] = None,
    reset: Optional[str] = None,
    zero_init: bool = False,
    a2l: Optional[PathLike] = None,
    a2l_ranges: bool = False,
    period: Optional[str] = None,
    ub: str = "report",
    timeout: Optional[float] = None,
) -> Model:
    """Reads a model: one `chaincover.toml`, one folder that holds one, or source files of any language.

    `target` is the data model (`ip16`, `ilp32`, `lp64`), `coverage` lists criteria (`mcdc`,
    `decision`, ...), `ub` what is done about operations that C leaves undefined (`report`, `avoid`,
    `forbid`), `parameters` are those of a hardware design (`--param`), `timeout` is in seconds; the
    others are the command line's options of these names.

    Raises :class:`ReadError` where the source is wrong or not supported, :class:`ConfigError` where
    files are missing or what was asked for makes no sense, :class:`StoppedError` at the time limit.
    """
    arguments = {
        "include": [os.fspath(path) for path in include],
        "define": list(define),
        "target": target,
        "step": step,
        "init": init,
        "goals": [os.fspath(path) for path in goals],
        "coverage": list(coverage),
        "branches_only": branches_only,
        "coverage_alone": coverage_alone,
        "observe": observe,
        "unwind": unwind,
        "assume_unwound": assume_unwound,
        "robustness": robustness,
        "view": view,
        "no_idle": no_idle,
        "top": top,
        "parameters": [f"{name}={value}" for name, value in (parameters or {}).items()],
        "reset": reset,
        "zero_init": zero_init,
        "a2l": None if a2l is None else os.fspath(a2l),
        "a2l_ranges": a2l_ranges,
        "period": period,
        "ub": ub,
    }
    if not paths:
        raise TypeError("read() needs a path: a folder, a chaincover.toml or source files")
    try:
        native = _native.read([os.fspath(path) for path in paths], arguments, timeout, None)
    except _native.Failure as failure:
        raise _error(failure) from None
    return Model(native)


def load(path: PathLike) -> Result:
    """A stored result, `chain.json`, as it was written.

    Raises :class:`ConfigError` where there is none, or its parts contradict one another. Nothing is
    run: :func:`replay` does that.
    """
    try:
        return Result(_native.load(os.fspath(path)))
    except _native.Failure as failure:
        raise _error(failure) from None


def goals(*paths: PathLike, **settings: Any) -> list[Goal]:
    """The goals of a model, or those of a stored result where the path ends in `.json`.

    For tests with a case for each goal; there is no search::

        @pytest.mark.parametrize("goal", cc.goals("models/window_lift"), ids=str)
        def test_rig(rig, goal): ...

    `settings` are those of :func:`read`.
    """
    if len(paths) == 1 and os.fspath(paths[0]).endswith(".json") and not settings:
        return list(load(paths[0]).goals)
    return list(read(*paths, **settings).goals)


def formats() -> dict[str, str]:
    """Names of the formats of :meth:`Result.export`, with descriptions."""
    return dict(_native.formats())


class Model:
    """A model that was read. Several threads may search it at once."""

    #: The goals; nothing is known of them yet.
    goals: tuple[Goal, ...]
    inputs: tuple[Signal, ...]
    outputs: tuple[Signal, ...]
    state: tuple[Signal, ...]

    def __init__(self, native: _native.Model) -> None:
        self._native = native
        data = json.loads(native.json())
        self._name = str(data["model"]["name"])
        self.goals = _goals(data)
        self.inputs = _signals(data["inputs"])
        self.outputs = _signals(data["outputs"])
        self.state = _signals(data["state"])

    @property
    def name(self) -> str:
        """Its name."""
        return self._name

    @property
    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """Warnings and notes about the sources."""
        return _diagnostics(self._native.diagnostics())

    def __repr__(self) -> str:
        return f"<chaincover.Model {self.name}: {len(self.goals)} goals>"

    def find_chains(
        self,
        *,
        timeout: Optional[float] = None,
        progress: Optional[Callback] = None,
        max_k: Optional[int] = None,
        gap: float = 0.0,
        jobs: Optional[int] = None,
        seed: int = 0,
        solver: Optional[str] = None,
        strategy: str = "exact",
        engine: str = "auto",
        without: Sequence[str] = (),
        reset_cost: Optional[int] = None,
        violations: str = "beside",
        replay: bool = True,
        smooth: bool = True,
        single_change: bool = False,
        dwell: int = 0,
        slew: Optional[Mapping[str, float]] = None,
    ) -> Result:
        """The fewest and shortest chains that cover all goals, run on the compiled code.

        `timeout` is in seconds: the best result so far is returned, and its `stopped` says so.
        Goals that are undecided, unreachable or violated are part of the result, too. `progress` is
        called twenty times a second with a :class:`Progress`; where it answers `False` the search
        ends with a :class:`StoppedError`, and what it raises ends the search and is raised here.
        Ctrl-C raises :class:`Interrupted`, which is a `KeyboardInterrupt`. Both exceptions have the
        best so far as `result`. Other threads go on meanwhile. `gap` is a share: 0.05 is content
        with chains 5 % above the bound. The other options are those of the command line.

        Raises :class:`ConfigError` where there are no goals, no executions, or options make no
        sense; :class:`SelfCheckError` where the compiled code disagrees.
        """
        search = _search(timeout, max_k, gap, jobs, seed, solver, strategy, engine, without, reset_cost)
        arguments = {
            "violations": violations,
            "replay": replay,
            "smooth": smooth,
            "single_change": single_change,
            "dwell": dwell,
            "slew": dict(slew or {}),
        }
        try:
            native = self._native.find_chains(search, arguments, _callback(progress))
        except _native.Failure as failure:
            raise _error(failure) from None
        result = Result(native=native)
        raised = native.raised
        if isinstance(raised, KeyboardInterrupt):
            raise Interrupted(result) from raised
        if raised is not None:
            raise raised
        if native.disagreements:
            raise SelfCheckError("\n".join(native.disagreements), result=result)
        if native.is_ended_by_callback:
            raise StoppedError("the progress callback ended the search", result=result)
        return result

    def explain(
        self,
        goal: Union[Goal, str],
        *,
        timeout: Optional[float] = None,
        progress: Optional[Callback] = None,
        max_k: Optional[int] = None,
        jobs: Optional[int] = None,
        solver: Optional[str] = None,
    ) -> Explanation:
        """Why a goal cannot be reached: which conditions, assumptions and lines exclude it.

        For a goal that can be reached, how short a chain for it alone is. The sources are read
        again, as they are now. Raises :class:`ConfigError` where there is no such goal,
        :class:`StoppedError` where `progress` answers `False`.
        """
        search = _search(timeout, max_k, 0.0, jobs, 0, solver, "exact", "auto", (), None)
        try:
            return _explanation(self._native.explain(str(goal), search, _callback(progress)))
        except _native.Failure as failure:
            raise _error(failure) from None


def _search(
    timeout: Optional[float],
    max_k: Optional[int],
    gap: float,
    jobs: Optional[int],
    seed: int,
    solver: Optional[str],
    strategy: str,
    engine: str,
    without: Sequence[str],
    reset_cost: Optional[int],
) -> dict[str, Any]:
    return {
        "timeout": timeout,
        "max_k": max_k,
        "gap": gap,
        "jobs": jobs or os.cpu_count() or 1,
        "seed": seed,
        "solver": solver,
        "strategy": strategy,
        "engine": engine,
        "without": list(without),
        "reset_cost": reset_cost,
    }


def _callback(progress: Optional[Callback]) -> Optional[Callable[..., object]]:
    """A callback as the native code calls it."""
    if progress is None:
        return None

    def tell(stage: str, depth: int, covered: int, best: Optional[int], bound: int) -> object:
        return progress(Progress(stage, depth, covered, best, bound))

    return tell


@dataclass(frozen=True)
class ReplayedChain:
    """What became of a stored chain on the code as it is now."""

    #: What the compiled code says: `agrees`, `disagrees`, `dies`, `unavailable` or `skipped`.
    check: str
    #: The same in words.
    text: str
    #: Recorded values that are others now; the truth says whether it is an output's.
    differences: tuple[tuple[str, bool], ...]


@dataclass(frozen=True)
class Replay:
    """What became of a stored result on the code as it is now."""

    chains: tuple[ReplayedChain, ...]
    #: The result, judged again.
    judged: Result
    #: Sources, and the configuration file, whose content is no longer the one recorded.
    changed: tuple[str, ...]
    #: Where the recorded configuration is another than the one that the files give now.
    configured: tuple[str, ...]
    #: Names of goals that the stored result covers, and that are no longer covered.
    lost: tuple[str, ...]

    @property
    def is_as_recorded(self) -> bool:
        """Whether the compiled code was run on all chains and agrees, and outputs and coverage are those recorded.

        State words may differ where the sources have changed.
        """

        def is_same(chain: ReplayedChain) -> bool:
            differs = any(is_output or not self.changed for _, is_output in chain.differences)
            return chain.check == "agrees" and not differs

        return all(map(is_same, self.chains)) and not self.lost and not self.configured


def replay(path: PathLike) -> Replay:
    """Runs the chains of a stored result, `chain.json`, on the code as it is now, and judges again.

    Raises :class:`DeviationError` where a chain is no execution of the model any more,
    :class:`SelfCheckError` where model and compiled code disagree.
    """
    before = load(path)
    try:
        data = json.loads(_native.replay(os.fspath(path), None))
    except _native.Failure as failure:
        raise _error(failure) from None
    chains = tuple(
        ReplayedChain(
            check=chain["check"],
            text=chain["text"],
            differences=tuple((entry["text"], entry["is_output"]) for entry in chain["differences"]),
        )
        for chain in data["chains"]
    )
    judged = Result(json.dumps(data["judged"]))
    covered = {goal.name for goal in judged.goals if goal.status == "covered"}
    lost = tuple(g.name for g in before.goals if g.status == "covered" and g.name not in covered)
    disagrees = [chain.text for chain in chains if chain.check == "disagrees"]
    if disagrees:
        raise SelfCheckError("\n".join(disagrees), result=judged)
    return Replay(
        chains=chains,
        judged=judged,
        changed=tuple(data["changed"]),
        configured=tuple(data["configured"]),
        lost=lost,
    )

"""The shortest input sequence that covers all test goals of a reactive program, with proofs.

    >>> import chaincover as cc
    >>> model = cc.read("models/window_lift")
    >>> result = model.find_chains(timeout=60)
    >>> result.chains[0].to_pandas()
    >>> result.export("out", ["csv", "mf4"])

Everything is found by the same code as that of the command line, which this package installs, too.
"""

from ._model import Model, Replay, ReplayedChain, formats, goals, load, read, replay
from ._native import __version__
from ._reqif import Described, Requirement, describe_goals, requirements
from ._result import (
    Chain,
    Counterexample,
    Explanation,
    Goal,
    Needed,
    Origin,
    Progress,
    Result,
    Signal,
    Step,
    Verdict,
    Written,
)
from .errors import (
    ChainCoverError,
    ConfigError,
    DeviationError,
    Diagnostic,
    InternalError,
    Interrupted,
    Place,
    ReadError,
    SelfCheckError,
    StoppedError,
)

__all__ = [
    "Chain",
    "ChainCoverError",
    "ConfigError",
    "Counterexample",
    "Described",
    "DeviationError",
    "Diagnostic",
    "Explanation",
    "Goal",
    "InternalError",
    "Interrupted",
    "Model",
    "Needed",
    "Origin",
    "Place",
    "Progress",
    "ReadError",
    "Replay",
    "ReplayedChain",
    "Requirement",
    "Result",
    "SelfCheckError",
    "Signal",
    "Step",
    "StoppedError",
    "Verdict",
    "Written",
    "__version__",
    "describe_goals",
    "formats",
    "goals",
    "load",
    "read",
    "replay",
    "requirements",
]

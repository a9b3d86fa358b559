"""What calls raise."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Optional

from . import _native

if TYPE_CHECKING:
    from ._result import Result


@dataclass(frozen=True)
class Place:
    """A place in a source."""

    file: str
    line: int
    #: From 1; `None` where it is not known.
    column: Optional[int]
    #: The line itself, where the file could be read.
    text: Optional[str]


@dataclass(frozen=True)
class Diagnostic:
    """A message about the sources."""

    #: `error`, `warning` or `note`.
    severity: str
    #: What it is about, for programs.
    code: str
    message: str
    place: Optional[Place]
    #: What can be done about it, and further places.
    notes: tuple[tuple[str, Optional[Place]], ...]

    def __str__(self) -> str:
        where = f"{self.place.file}:{self.place.line}: " if self.place else ""
        return f"{where}{self.severity}: {self.message}"


class ChainCoverError(Exception):
    """What all exceptions of this package are, but for :class:`Interrupted`."""

    #: Messages about the sources, where there are any.
    diagnostics: tuple[Diagnostic, ...]

    def __init__(self, message: str, diagnostics: tuple[Diagnostic, ...] = ()) -> None:
        super().__init__(message)
        self.diagnostics = diagnostics


class ConfigError(ChainCoverError):
    """What was asked for makes no sense, or files cannot be read or written."""


class ReadError(ChainCoverError):
    """The source is wrong or not supported; `diagnostics` say all that is wrong, with places."""


class DeviationError(ChainCoverError):
    """A stored chain is no execution of the model any more."""


class InternalError(ChainCoverError):
    """A defect of ChainCover."""


class SelfCheckError(ChainCoverError):
    """The compiled code, or a second computation, disagrees with the result: a defect of ChainCover.

    `result` is what was found, if there is something; it must not be relied on.
    """

    result: Optional[Result]

    def __init__(
        self,
        message: str,
        diagnostics: tuple[Diagnostic, ...] = (),
        result: Optional[Result] = None,
    ) -> None:
        super().__init__(message, diagnostics)
        self.result = result


class StoppedError(ChainCoverError):
    """The progress callback ended the search, or a limit ended a call before it had a result.

    `result` is the best so far, or `None` where there is nothing yet.
    """

    result: Optional[Result]

    def __init__(
        self,
        message: str,
        diagnostics: tuple[Diagnostic, ...] = (),
        result: Optional[Result] = None,
    ) -> None:
        super().__init__(message, diagnostics)
        self.result = result


class Interrupted(KeyboardInterrupt):
    """Ctrl-C during a search; `result` is the best so far.

    A `KeyboardInterrupt` and no `Exception`: loops over many models end at Ctrl-C.
    """

    result: Result

    def __init__(self, result: Result) -> None:
        super().__init__("interrupted; the attribute `result` has the best so far")
        self.result = result


_KINDS: dict[str, type[ChainCoverError]] = {
    "request": ConfigError,
    "source": ReadError,
    "timeout": StoppedError,
    "stopped": StoppedError,
    "self-check": SelfCheckError,
    "deviates": DeviationError,
    "internal": InternalError,
}


def _place(fields: Optional[dict[str, Any]]) -> Optional[Place]:
    return Place(**fields) if fields else None


def _diagnostics(text: str) -> tuple[Diagnostic, ...]:
    """Diagnostics as the native code writes them."""
    return tuple(
        Diagnostic(
            severity=entry["severity"],
            code=entry["code"],
            message=entry["message"],
            place=_place(entry["place"]),
            notes=tuple((note["text"], _place(note["place"])) for note in entry["notes"]),
        )
        for entry in json.loads(text)
    )


def _error(failure: _native.Failure) -> ChainCoverError:
    """The exception with a name for one of the native code."""
    kind, message, diagnostics = failure.args
    return _KINDS[kind](message, _diagnostics(diagnostics))

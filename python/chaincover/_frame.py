"""Chains as tables of pandas."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Optional

if TYPE_CHECKING:
    from pandas import DataFrame as _DataFrame

    from ._result import Chain, Signal, Value

#: Widths of integers that pandas has.
_WIDTHS = (8, 16, 32, 64)


def frame(chain: Chain, *, with_state: bool) -> _DataFrame:
    """The steps of a chain as rows."""
    try:
        import pandas
    except ModuleNotFoundError as error:
        message = "to_pandas needs pandas: pip install 'chaincover[pandas]'"
        raise ModuleNotFoundError(message, name=error.name) from None
    steps = chain.steps
    groups: list[tuple[str, tuple[Signal, ...], list[Any]]] = [
        ("input", chain.inputs, [step.inputs for step in steps]),
        ("output", chain.outputs, [step.outputs for step in steps]),
    ]
    if with_state:
        groups.append(("state", chain.state, [step.state for step in steps]))
    columns: dict[str, Any] = {}
    units: dict[str, str] = {}
    for group, signals, rows in groups:
        for signal in signals:
            name = signal.name if signal.name not in columns else f"{group}.{signal.name}"
            columns[name] = _column(pandas, signal, [row.get(signal.name) for row in rows])
            if signal.unit is not None:
                units[name] = signal.unit
    index: Any  # with the types of pandas, these are two
    if chain.seconds is None:
        index = pandas.RangeIndex(len(steps), name="step")
    else:
        index = pandas.Index([step.seconds for step in steps], dtype="float64", name="seconds")
    table = pandas.DataFrame({name: column.set_axis(index) for name, column in columns.items()}, index=index)
    table.attrs["units"] = units
    table.attrs["covers"] = {step.number: list(step.covers) for step in steps if step.covers}
    return table


def _column(pandas: Any, signal: Signal, values: Sequence[Optional[Value]]) -> Any:
    """The values of a signal; those of steps that do not return are missing."""
    names: dict[Value, str] = {}
    for name, value in signal.enumerators.items():
        # Of several names of a value the first is shown.
        names.setdefault(value, name)
    if names and all(value is None or value in names for value in values):
        shown = [None if value is None else names[value] for value in values]
        return pandas.Series(pandas.Categorical(shown, categories=list(names.values())))
    return pandas.Series(list(values), dtype=_type(signal, any(value is None for value in values)))


def _type(signal: Signal, has_missing: bool) -> str:
    """The narrowest type that holds all values of a signal."""
    if signal.kind == "float":
        return "float32" if signal.bits == 32 else "float64"
    if signal.kind == "bool":
        return "boolean" if has_missing else "bool"
    width = next((width for width in _WIDTHS if signal.bits <= width), None)
    if width is None:
        return "object"
    name = "int" if signal.kind in ("signed", None) else "uint"
    # Integers of numpy have no missing values, those of pandas have.
    return f"{name.replace('i', 'I').replace('u', 'U')}{width}" if has_missing else f"{name}{width}"

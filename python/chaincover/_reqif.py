"""Requirements of ReqIF files: reading them, and writing their texts beside the goals of a model."""

from __future__ import annotations

import contextlib
import os
import re
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Union

from .errors import ConfigError

#: A path of a file or a folder.
_Path = Union[str, "os.PathLike[str]"]

#: What to do where the packages are not there.
_ADVICE = "ReqIF files need two packages more: pip install 'chaincover[reqif]'"

#: In place of the name of an attribute: what ReqIF itself calls an object.
_IDENTIFIER = "IDENTIFIER"

#: Elements of XHTML behind which a new line begins.
_BLOCKS = frozenset(("br", "dd", "div", "dt", "h1", "h2", "h3", "h4", "h5", "h6", "li", "p", "td", "th", "tr"))


@dataclass(frozen=True)
class Requirement:
    """A requirement of a requirements tool."""

    #: What people and goals call it.
    id: str
    #: What it says, on one line.
    text: str

    def __str__(self) -> str:
        return self.id


@dataclass(frozen=True)
class Described:
    """What :func:`describe_goals` did."""

    #: Names of the goals that have the text of their requirement now.
    goals: tuple[str, ...]
    #: Names of the goals that keep a text of their own.
    kept: tuple[str, ...]
    #: Requirements that no goal of the file names.
    without_goals: tuple[Requirement, ...]
    #: Identifiers that goals name and that are no requirements, where that was allowed.
    unknown: tuple[str, ...]


def requirements(
    path: _Path, *, id: str = "ReqIF.ForeignID", text: str = "ReqIF.Text"
) -> list[Requirement]:
    """The requirements of a ReqIF file (`.reqif`), in its order.

    `id` and `text` are names of attributes (`LONG-NAME`), or `IDENTIFIER` for that of the object
    itself. Objects that have neither, such as headings, are no requirements. Texts with mark-up are
    read without it, and runs of white space become one blank.

    Raises :class:`ConfigError` where the file cannot be read, has no requirement, two of one
    identifier, or one that has a text and no identifier; `ModuleNotFoundError` where the packages
    that read ReqIF are not installed.
    """
    content = _content(os.fspath(path))
    names = {
        definition.identifier: definition.long_name or definition.identifier
        for kind in content.spec_types or []
        for definition in getattr(kind, "attribute_definitions", None) or []
    }
    found = []
    for spec_object in content.spec_objects or []:
        attributes = spec_object.attributes
        values = {names.get(entry.definition_ref, entry.definition_ref): _text(entry) for entry in attributes}
        values[_IDENTIFIER] = spec_object.identifier
        requirement = Requirement(values.get(id, ""), values.get(text, ""))
        if requirement.text and not requirement.id:
            raise ConfigError(
                f"{path}: the object {spec_object.identifier} has a text and no `{id}`; "
                f"name the attribute with its identifier (id=...): {_list(values)}"
            )
        if requirement.id and (requirement.text or id != _IDENTIFIER):
            found.append(requirement)
    if not found:
        raise ConfigError(f"{path}: no object has the attribute `{id}`; attributes there are {_list(names.values())}")
    if not any(requirement.text for requirement in found):
        raise ConfigError(f"{path}: no requirement has a `{text}`; attributes there are {_list(names.values())}")
    twice = [name for name, count in Counter(requirement.id for requirement in found).items() if count > 1]
    if twice:
        raise ConfigError(f"{path}: several requirements have the same `{id}`: {_list(twice)}")
    return found


def describe_goals(
    path: _Path,
    requirements: Sequence[Requirement],
    *,
    replace: bool = False,
    allow_unknown: bool = False,
) -> Described:
    """Writes the texts of requirements beside the goals that name them in a configuration.

    `path` is a `chaincover.toml`, or the folder that holds one: each `[[goal]]` whose `requirement`
    is the identifier of one of these requirements gets its `text`. Goals that have another text keep
    it, unless it is to be replaced. Comments and order stay, and a file in which nothing changes is
    not written. Reports, `traceability.csv` and `chain.json` show both from the next search on.

    Raises :class:`ConfigError` where the file cannot be read, and where a goal names something that
    is none of the requirements, unless that is allowed.
    """
    try:
        import tomlkit
        from tomlkit.exceptions import TOMLKitError
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError(_ADVICE, name=error.name) from None
    file = Path(path)
    file = file / "chaincover.toml" if file.is_dir() else file
    texts = {requirement.id: requirement.text for requirement in requirements}
    try:
        before = file.read_bytes().decode()
        document = tomlkit.parse(before)
    except (OSError, UnicodeDecodeError, TOMLKitError) as error:
        raise ConfigError(f"{file}: the configuration cannot be read: {error}") from None
    goals: Any = document.get("goal", [])
    if not isinstance(goals, list) or not all(isinstance(goal, dict) for goal in goals):
        raise ConfigError(f"{file}: goals are tables that begin with [[goal]]")
    named = [goal for goal in goals if goal.get("requirement") is not None]
    unknown: dict[str, list[str]] = {}
    for goal in named:
        if goal["requirement"] not in texts:
            unknown.setdefault(str(goal["requirement"]), []).append(str(goal.get("name")))
    if unknown and not allow_unknown:
        told = [f"{name} (of {', '.join(of)})" for name, of in unknown.items()]
        raise ConfigError(f"{file}: goals name what is none of the requirements: {_list(told)}")
    described, kept = [], []
    for goal in named:
        text, own = texts.get(goal["requirement"]), goal.get("text")
        if text and own not in (None, text) and not replace:
            kept.append(str(goal.get("name")))
        elif text:
            described.append(str(goal.get("name")))
            if own != text:
                goal["text"] = text
    after = tomlkit.dumps(document)
    if after != before:
        _replace(file, after)
    have_goals = {goal["requirement"] for goal in named}
    without = tuple(requirement for requirement in requirements if requirement.id not in have_goals)
    return Described(tuple(described), tuple(kept), without, tuple(unknown))


def _content(path: str) -> Any:
    """What a file holds."""
    try:
        from reqif.parser import ReqIFParser
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError(_ADVICE, name=error.name) from None
    try:
        bundle = ReqIFParser.parse(path)
    except OSError as error:
        raise ConfigError(f"{path}: {error.strerror or error}") from None
    except Exception as error:  # Its parser raises whatever Python does where a tag is missing.
        raise ConfigError(f"{path}: this is no ReqIF that can be read: {error or type(error).__name__}") from None
    content = getattr(bundle.core_content, "req_if_content", None)
    if content is None:
        raise ConfigError(f"{path}: this ReqIF has no content (REQ-IF-CONTENT)")
    return content


def _text(attribute: Any) -> str:
    """The value of an attribute on one line, without mark-up."""
    value = attribute.xml_node.find("THE-VALUE") if attribute.xml_node is not None else None
    text = "".join(_pieces(value)) if value is not None else attribute.value
    return re.sub(r"\s+", " ", text if isinstance(text, str) else ", ".join(text)).strip()


def _pieces(element: Any) -> Iterator[str]:
    """The text below an element, with a line end behind each block."""
    yield element.text or ""
    for child in element:
        # What is no element, such as a comment, says nothing itself.
        if isinstance(child.tag, str):
            yield from _pieces(child)
            if child.tag.rpartition("}")[2] in _BLOCKS:
                yield "\n"
        yield child.tail or ""


def _list(names: Collection[str], most: int = 8) -> str:
    """Names for a message, not too many of them."""
    shown = list(dict.fromkeys(names))
    return ", ".join(shown[:most]) + (", ..." if len(shown) > most else "") or "none"


def _replace(file: Path, text: str) -> None:
    """Writes a file whole or not at all."""
    aside = file.with_name(f".{file.name}.{os.getpid()}")
    try:
        aside.write_bytes(text.encode())
        aside.chmod(file.stat().st_mode)
        aside.replace(file)
    except OSError as error:
        with contextlib.suppress(OSError):
            aside.unlink()
        raise ConfigError(f"{file}: {error.strerror or error}") from None

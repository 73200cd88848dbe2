"""Strict YAML: mappings, lists and text, each with its line; nothing is run, repeated or guessed.

A value is the text that stands there or nothing (``null``, ``~``, empty): ``country: NO`` is Norway and not false.
Aliases are refused, so a small file cannot unfold into a huge one.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeAlias

import yaml

from mediaan.errors import UsageError

Plain: TypeAlias = "str | list[Plain] | dict[str, Plain] | None"
KeyPath: TypeAlias = tuple[str | int, ...]

MAX_BYTES = 1_000_000
MAX_DEPTH = 20
_PLAIN = ("str", "null", "bool", "int", "float", "timestamp", "merge", "value", "seq", "map")
_PLAIN_TAGS = {f"tag:yaml.org,2002:{kind}" for kind in _PLAIN}


@dataclass(frozen=True, slots=True)
class Problem:
    """Something to mend: where, and what to do."""

    path: KeyPath
    text: str


@dataclass(slots=True)
class Document:
    """What a YAML file holds.

    Attributes
    ----------
    content : mapping, list, text or None
    lines : dict
        Line of every key and list item by its path, from 1.
    problems : list of Problem
        What was refused while reading.
    """

    content: Plain = None
    lines: dict[KeyPath, int] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)

    def line(self, path: KeyPath) -> int | None:
        """Line of a path, or of the nearest thing around it."""
        while path not in self.lines and path:
            path = path[:-1]
        return self.lines.get(path)


def read_document(path: Path) -> Document:
    """Read a YAML file of at most 1 MB.

    Raises
    ------
    UsageError
        If it cannot be read or is no YAML of this strict kind.
    """
    root = _compose(_text(path), path)
    document = Document()
    if root is not None:
        document.content = _plain(root, (), document)
    return document


def shown_path(path: KeyPath) -> str:
    """A key path as people write it.

    Examples
    --------
    >>> shown_path(("media", 2, "purpose"))
    'media[2].purpose'
    """
    text = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in path)
    return text.removeprefix(".")


def _text(path: Path) -> str:
    try:
        with path.open("rb") as file:
            data = file.read(MAX_BYTES + 1)
    except OSError as error:
        message = f"{path}: cannot be read: {error.strerror or error}; name a YAML file that is there"
        raise UsageError(message, code="config_unreadable") from error
    if len(data) > MAX_BYTES:
        raise UsageError(
            f"{path}: is larger than {MAX_BYTES // 1_000_000} MB; is it the right file?", code="config_large"
        )
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise UsageError(f"{path}: is not UTF-8 text; save it as UTF-8", code="config_unreadable") from error


class _Composer(yaml.SafeLoader):
    """Nodes of a document, of bounded depth and without aliases."""

    depth = 0

    def compose_node(self, parent: yaml.Node | None, index: object) -> yaml.Node | None:
        if self.check_event(yaml.AliasEvent):
            raise self._refusal("aliases (*name) are not supported; write it out")
        if self.depth >= MAX_DEPTH:
            raise self._refusal(f"nested deeper than {MAX_DEPTH} levels")
        self.depth += 1
        node = super().compose_node(parent, index)  # type: ignore[arg-type]
        self.depth -= 1
        return node

    def _refusal(self, problem: str) -> yaml.MarkedYAMLError:
        return yaml.MarkedYAMLError(problem=problem, problem_mark=self.get_mark())


def _way_out(problem: str | None) -> str:
    """What mostly helps where YAML says what it found and not what is wrong; nothing for what we refuse ourselves."""
    if problem is None or not re.search("expected|found|not allowed|could not find", problem):
        return ""
    if r"\t" in problem:
        return "; indent with spaces instead of tabs"
    return "; look there, and a line above, at indents, brackets, quotes, and colons with a space behind them"


def _compose(text: str, path: Path) -> yaml.Node | None:
    try:
        return yaml.compose(text, Loader=_Composer)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark
        where = f"line {mark.line + 1}, column {mark.column + 1}: " if mark else ""
        raise UsageError(f"{path}: {where}{error.problem}{_way_out(error.problem)}", code="config_invalid") from error
    except yaml.YAMLError as error:
        raise UsageError(f"{path}: is not YAML: {error}", code="config_invalid") from error


def _plain(node: yaml.Node, path: KeyPath, document: Document) -> Plain:
    document.lines.setdefault(path, node.start_mark.line + 1)
    if node.tag not in _PLAIN_TAGS:
        document.problems.append(Problem(path, "tags (!name) are not supported; write plain text"))
    if isinstance(node, yaml.MappingNode):
        return _mapping(node, path, document)
    if isinstance(node, yaml.SequenceNode):
        return [_plain(item, (*path, i), document) for i, item in enumerate(node.value)]
    return None if node.tag == "tag:yaml.org,2002:null" else str(node.value)


def _mapping(node: yaml.MappingNode, path: KeyPath, document: Document) -> dict[str, Plain]:
    content: dict[str, Plain] = {}
    for key, value in node.value:
        name = str(key.value) if isinstance(key, yaml.ScalarNode) else "?"
        line = key.start_mark.line + 1
        if not isinstance(key, yaml.ScalarNode):
            document.problems.append(Problem(path, f"line {line} has a list or mapping for a key; write a word"))
        elif name in content:
            first = document.lines[(*path, name)]
            document.problems.append(Problem((*path, name), f"written twice, on lines {first} and {line}; keep one"))
            continue
        document.lines[(*path, name)] = line
        content[name] = _plain(value, (*path, name), document)
    return content

"""Read YAML strictly, validate it, and name every problem with its line and its fix.

A value is the text that stands there or nothing (``null``, ``~``, empty): ``country: NO`` is Norway and not false.
Aliases are refused, so a small file cannot unfold into a huge one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeAlias, TypeVar, get_args

import yaml
from pydantic import BaseModel, ConfigDict, ValidationError
from pydantic.fields import FieldInfo
from pydantic_core import PydanticCustomError

from mediaan.errors import UsageError, did_you_mean, shorten
from mediaan.storage.input_file import check_file
from mediaan.types.arguments import as_path

Plain: TypeAlias = "str | list[Plain] | dict[str, Plain] | None"
KeyPath: TypeAlias = tuple[str | int, ...]

MAX_BYTES = 1_000_000
MAX_DEPTH = 20
_PLAIN = ("str", "null", "bool", "int", "float", "timestamp", "merge", "value", "seq", "map")
_PLAIN_TAGS = {f"tag:yaml.org,2002:{kind}" for kind in _PLAIN}


@dataclass(frozen=True, slots=True)
class ConfigProblem:
    """Something to mend: where, and what to do."""

    path: KeyPath
    text: str

    def __str__(self) -> str:
        return ": ".join(filter(None, (format_key_path(self.path), self.text)))


@dataclass(slots=True)
class Document:
    """Contents of a YAML file with lines and problems."""

    content: Plain = None
    lines: dict[KeyPath, int] = field(default_factory=dict)
    """Line of every key and list item by its path, from 1."""
    problems: list[ConfigProblem] = field(default_factory=list)
    """What was refused while reading."""

    def line(self, path: KeyPath) -> int | None:
        """Return the line of a path, or of its nearest parent."""
        while path not in self.lines and path:
            path = path[:-1]
        return self.lines.get(path)


def read_small_file(path: Path, kind: str) -> bytes:
    """Read a configuration file of at most 1 MB, called `kind` in complaints."""
    try:
        if path.exists():
            check_file(path, "config_unreadable")
        with path.open("rb") as file:
            data = file.read(MAX_BYTES + 1)
    except OSError as error:
        message = f"{path}: cannot be read: {error.strerror or error}; give a {kind} file that exists"
        raise UsageError(message, code="config_unreadable") from error
    if len(data) > MAX_BYTES:
        raise UsageError(
            f"{path}: is larger than {MAX_BYTES // 1_000_000} MB; is it the right file?", code="config_large"
        )
    return data


def read_document(path: Path) -> Document:
    """Read a YAML file of at most 1 MB.

    Raises UsageError: if it cannot be read or is no YAML of this strict kind.
    """
    path = as_path(path)
    data = read_small_file(path, "YAML")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise UsageError(f"{path}: is not UTF-8 text; save it as UTF-8", code="config_unreadable") from error
    try:
        root = yaml.compose(text, Loader=_Composer)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark
        where = f"line {mark.line + 1}, column {mark.column + 1}: " if mark else ""
        hint = ""  # what mostly helps where YAML says only what it found; our own refusals say it themselves
        if error.problem and re.search("expected|found|not allowed|could not find", error.problem):
            hint = "; check this line and the one above: indents, brackets, quotes, and a space after each colon"
            hint = "; indent with spaces instead of tabs" if r"\t" in error.problem else hint
        raise UsageError(f"{path}: {where}{error.problem}{hint}", code="config_invalid") from error
    except yaml.YAMLError as error:
        raise UsageError(f"{path}: is not YAML: {error}", code="config_invalid") from error
    document = Document()
    if root is not None:
        document.content = _plain(root, (), document)
    return document


def format_key_path(path: KeyPath) -> str:
    """Format a key path as people write it.

    >>> format_key_path(("media", 2, "purpose"))
    'media[2].purpose'
    """
    text = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in path)
    return text.removeprefix(".")


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


def _plain(node: yaml.Node, path: KeyPath, document: Document) -> Plain:
    document.lines.setdefault(path, node.start_mark.line + 1)
    if node.tag not in _PLAIN_TAGS:
        document.problems.append(ConfigProblem(path, "tags (!name) are not supported; write plain text"))
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
            document.problems.append(ConfigProblem(path, f"line {line} has a list or mapping for a key; write a word"))
        elif name in content:
            first = document.lines[(*path, name)]
            document.problems.append(
                ConfigProblem((*path, name), f"written twice, on lines {first} and {line}; keep one")
            )
            continue
        document.lines[(*path, name)] = line
        content[name] = _plain(value, (*path, name), document)
    return content


_MOST_SHOWN = 20


class StrictModel(BaseModel):
    """Base of all schemas: unknown keys are refused, instances do not change, numbers are finite."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)


def validation_problems(error: ValidationError, model: type[BaseModel]) -> list[ConfigProblem]:
    """Return every failure of a validation as a problem with its fix, in the order of the schema."""
    details = error.errors(include_url=False)
    inner = {tuple(detail["loc"])[:-1] for detail in details}
    problems = []
    for detail in details:
        path, kind = tuple(detail["loc"]), detail["type"]
        if kind == "too_short" and path in inner:
            continue
        if kind == "extra_forbidden":
            text = _unknown_key(str(path[-1]), _model_at(model, _names(path[:-1])) or model)
        elif kind == "missing":
            text = f"is missing; write {_hint(model, path)}"
        elif kind == "unknown_value":
            text = detail["msg"]
        else:
            text = f"found {describe_value(detail['input'])}; write {_hint(model, path)}"
        problems.append(ConfigProblem(path, text))
    return problems


def refusal(text: str) -> PydanticCustomError:
    """Return an error for a validator to raise, whose text says what is wrong and what to write."""
    return PydanticCustomError("unknown_value", "{text}", {"text": text})


Model = TypeVar("Model", bound=BaseModel)


def validate_document(path: Path, document: Document, model: type[Model]) -> Model:
    """Return the contents of a document as a model.

    Raises UsageError: naming the file and every line and key that must change, with the fix.
    """
    settings = None
    try:
        settings = model.model_validate(document.content)
    except ValidationError as error:
        document.problems += validation_problems(error, model)
    if settings is None or document.problems:
        raise UsageError(format_problems(str(path), document, document.problems), code="config_invalid")
    return settings


def describe_error(error: ValidationError, model: type[BaseModel]) -> str:
    """Describe every failure of a validation in one line."""
    return "; ".join(map(str, validation_problems(error, model)))


def format_problems(name: str, document: Document, problems: list[ConfigProblem]) -> str:
    """Format all problems of a file in one message, by line."""
    return list_problems(
        name, [(document.line(p.path) or 0, format_key_path(p.path) or "the file", p.text) for p in problems]
    )


def list_problems(name: str, problems: Iterable[tuple[int, str, str]]) -> str:
    """Format problems of a file in one message, by line: where, in which key or column, and what to do."""
    placed = sorted(problems, key=lambda problem: problem[0])
    lines = [f"  line {line}, {where}: {text}" for line, where, text in placed[:_MOST_SHOWN]]
    if len(placed) > _MOST_SHOWN:
        lines.append(f"  and {len(placed) - _MOST_SHOWN} more")
    count = "1 problem" if len(placed) == 1 else f"{len(placed)} problems"
    return "\n".join([f"{name}: {count}", *lines])


def describe_value(value: Any) -> str:
    """Describe a value briefly, for a message.

    >>> describe_value(None), describe_value(["a"]), describe_value("tiktok")
    ('nothing', 'a list', "'tiktok'")
    """
    if value is None:
        return "nothing"
    if isinstance(value, (list, tuple)):
        return "a list"
    if isinstance(value, dict):
        return "a mapping"
    return repr(shorten(str(value)))


def _unknown_key(key: str, owner: type[BaseModel]) -> str:
    for name, model_field in _fields(owner).items():
        if any(key in _fields(inner) for inner in _models(model_field.annotation)):
            return f"this key does not belong here; it belongs under {name!r}"
    keys = list(_fields(owner))
    return "unknown key" + (did_you_mean(key, keys) or f"; known keys are {', '.join(keys)}")


def _hint(model: type[BaseModel], path: KeyPath) -> str:
    """Return the schema's description of the value at a path; list items share that of their list."""
    names = _names(path)
    owner = _model_at(model, names[:-1])
    field = _fields(owner).get(names[-1]) if owner and names else None
    if field is not None and field.description and not (isinstance(path[-1], int) and _keys(model, path)):
        return field.description
    return f"a mapping with the keys {', '.join(_keys(model, path))}"


def _keys(model: type[BaseModel], path: KeyPath) -> list[str]:
    owner = _model_at(model, _names(path))
    return list(_fields(owner)) if owner else []


def _fields(model: type[BaseModel]) -> dict[str, FieldInfo]:
    """Return fields by the name that files use: `for` is a keyword and needs another name in Python."""
    return {field.alias or name: field for name, field in model.model_fields.items()}


def _names(path: KeyPath) -> list[str]:
    return [part for part in path if isinstance(part, str)]


def _model_at(model: type[BaseModel], names: list[str]) -> type[BaseModel] | None:
    for name in names:
        field = _fields(model).get(name)
        inner = next(_models(field.annotation), None) if field else None
        if inner is None:
            return None
        model = inner
    return model


def _models(annotation: Any) -> Iterator[type[BaseModel]]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    for argument in get_args(annotation):
        yield from _models(argument)

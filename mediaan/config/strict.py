"""Schemas that accept nothing unknown, and complaints about what does not fit them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, get_args

from pydantic import BaseModel, ConfigDict, ValidationError
from pydantic.fields import FieldInfo
from pydantic_core import ErrorDetails

from mediaan.config.document import Document, KeyPath, Problem, shown_path
from mediaan.config.vocabulary import did_you_mean, shortened

_MOST_SHOWN = 20


class Strict(BaseModel):
    """Base of all schemas: unknown keys are refused, instances do not change, numbers are finite."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)


def complaints(error: ValidationError, model: type[BaseModel]) -> list[Problem]:
    """Every failure of a validation as a problem with its fix, in the order of the schema."""
    details = error.errors(include_url=False)
    inner = {tuple(detail["loc"])[:-1] for detail in details}
    return [
        Problem(tuple(detail["loc"]), _sentence(detail, model))
        for detail in details
        if not (detail["type"] == "too_short" and tuple(detail["loc"]) in inner)
    ]


def complaint_text(name: str, document: Document, problems: list[Problem]) -> str:
    """All problems of a file in one message, by line."""
    return listed(name, [(document.line(p.path) or 0, shown_path(p.path) or "the file", p.text) for p in problems])


def listed(name: str, problems: Iterable[tuple[int, str, str]]) -> str:
    """Problems of a file in one message, by line: where, in which key or column, and what to do."""
    placed = sorted(problems, key=lambda problem: problem[0])
    lines = [f"  line {line}, {where}: {text}" for line, where, text in placed[:_MOST_SHOWN]]
    if len(placed) > _MOST_SHOWN:
        lines.append(f"  and {len(placed) - _MOST_SHOWN} more")
    count = "1 problem" if len(placed) == 1 else f"{len(placed)} problems"
    return "\n".join([f"{name}: {count}", *lines])


def found(value: Any) -> str:
    """A value as a message shows it: short, whatever it is.

    Examples
    --------
    >>> found(None), found(["a"]), found("tiktok")
    ('nothing', 'a list', "'tiktok'")
    """
    if value is None:
        return "nothing"
    if isinstance(value, (list, tuple)):
        return "a list"
    if isinstance(value, dict):
        return "a mapping"
    return repr(shortened(str(value)))


def _sentence(detail: ErrorDetails, model: type[BaseModel]) -> str:
    path, kind = tuple(detail["loc"]), detail["type"]
    if kind == "extra_forbidden":
        return _unknown_key(str(path[-1]), _model_at(model, _names(path[:-1])) or model)
    if kind == "missing":
        return f"is missing; write {_hint(model, path)}"
    if kind == "unknown_value":
        return detail["msg"]
    return f"found {found(detail['input'])}; write {_hint(model, path)}"


def _unknown_key(key: str, owner: type[BaseModel]) -> str:
    for name, field in _fields(owner).items():
        if any(key in _fields(inner) for inner in _models(field.annotation)):
            return f"unknown key here; it belongs under {name!r}"
    keys = list(_fields(owner))
    return "unknown key" + (did_you_mean(key, keys) or f"; known here are {', '.join(keys)}")


def _hint(model: type[BaseModel], path: KeyPath) -> str:
    """What a schema says should stand at a path; list items share their list's words."""
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
    """Fields as files name them: `for` is a word of the language and needs another name in a program."""
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

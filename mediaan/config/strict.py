"""Schemas that accept nothing unknown, and complaints about what does not fit them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, get_args

from pydantic import BaseModel, ConfigDict, ValidationError
from pydantic_core import ErrorDetails

from mediaan.config.document import Document, KeyPath, Problem, shown_path
from mediaan.config.vocabulary import did_you_mean

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
    placed = sorted(((document.line(p.path) or 0, p) for p in problems), key=lambda pair: pair[0])
    lines = [f"  line {line}, {shown_path(p.path) or 'the file'}: {p.text}" for line, p in placed[:_MOST_SHOWN]]
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
    text = str(value)
    return repr(text if len(text) <= 60 else text[:59] + "…")


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
    for name, field in owner.model_fields.items():
        if any(key in inner.model_fields for inner in _models(field.annotation)):
            return f"unknown key here; it belongs under {name!r}"
    keys = list(owner.model_fields)
    return "unknown key" + (did_you_mean(key, keys) or f"; known here are {', '.join(keys)}")


def _hint(model: type[BaseModel], path: KeyPath) -> str:
    """What a schema says should stand at a path; list items share their list's words."""
    names = _names(path)
    owner = _model_at(model, names[:-1])
    field = owner.model_fields.get(names[-1]) if owner and names else None
    if field is not None and field.description and not (isinstance(path[-1], int) and _keys(model, path)):
        return field.description
    return f"a mapping with the keys {', '.join(_keys(model, path))}"


def _keys(model: type[BaseModel], path: KeyPath) -> list[str]:
    owner = _model_at(model, _names(path))
    return list(owner.model_fields) if owner else []


def _names(path: KeyPath) -> list[str]:
    return [part for part in path if isinstance(part, str)]


def _model_at(model: type[BaseModel], names: list[str]) -> type[BaseModel] | None:
    for name in names:
        inner = next(_models(model.model_fields[name].annotation), None) if name in model.model_fields else None
        if inner is None:
            return None
        model = inner
    return model


def _models(annotation: Any) -> Iterator[type[BaseModel]]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    for argument in get_args(annotation):
        yield from _models(argument)
